import { defineTool, ToolExecutionService, type AnyTool, type ProfileName } from '@holdfast/core';
import type { Entrant } from '../timing/race.ts';
import { holdfastRace, type Heat } from './holdfast-race.ts';

type Service = ToolExecutionService<readonly AnyTool[]>;

interface Shape {
  readonly callsInOne: number;
  readonly call: (service: Service) => Promise<unknown>;
}

const call = { toolName: 'work', arguments: {} };
const hundred = Array.from({ length: 100 }, () => call);
const steps = {
  calls: [
    { ...call, callId: 'first' },
    { ...call, callId: 'second' },
    { ...call, callId: 'third', dependsOn: ['first', 'second'] },
  ],
};

/** The ways in which agents make calls, in normal operation. */
const shapes: Readonly<Record<string, Shape>> = {
  'one call after another': { callsInOne: 1, call: (service) => service.executeTool(call) },
  'a hundred calls at once': { callsInOne: 100, call: (service) => service.executeToolBatch(hundred) },
  'turns of three calls, one after the others': { callsInOne: 3, call: (service) => service.executeTurn(steps) },
};

const profiles: readonly ProfileName[] = ['spec', 'adaptive'];

/** Read-only tools are hedged: the hedge delay is learned, too. */
const effects = { undeclared: undefined, read: 'read' } as const;

export const adaptive = holdfastRace({
  name: 'adaptive',
  title: 'Profile `adaptive` when nothing is wrong',
  what: 'The tool is `async () => 1`. The same calls under `adaptive`, which learns from each, and under `spec`, alternating in one process.',
  inspect() {
    const service = serviceOf('adaptive', 'read');
    return { call: () => service.executeTool(call) };
  },
  async heats() {
    const services = new Map(
      profiles.flatMap((profile) => Object.values(effects).map((effect) => [`${profile} ${effect}`, serviceOf(profile, effect)])),
    );
    const heatOf = (title: string, { callsInOne, call: make }: Shape, effect: 'read' | undefined): Heat => ({
      title: `${title}, ${effect === 'read' ? 'a tool that only reads' : 'effect not declared'}`,
      reference: 'spec',
      entrants: profiles.map((name): Entrant => ({ name, callsInOne, call: () => make(services.get(`${name} ${effect}`) as Service) })),
      targets: [{ of: 'adaptive', to: 'spec', atMost: 1.15, wanted: `${title}: adaptive ≤ 1.15 × spec` }],
    });
    const heats = Object.entries(shapes).flatMap(([title, shape]) => Object.values(effects).map((effect) => heatOf(title, shape, effect)));
    return { heats, close: () => Promise.all([...services.values()].map((service) => service.close())).then(() => []) };
  },
});

function serviceOf(profile: ProfileName, effect: 'read' | undefined): Service {
  const work = defineTool({ name: 'work', ...(effect && { effect }), run: async () => 1 });
  return new ToolExecutionService<readonly AnyTool[]>({ tools: [work], profile });
}
