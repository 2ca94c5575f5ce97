import { defineTool, ToolExecutionService, type AnyTool } from '@holdfast/core';
import type { Entrant } from '../timing/race.ts';
import { holdfastRace, type Heat } from './holdfast-race.ts';

type Service = ToolExecutionService<readonly AnyTool[]>;

type Shape = (service: Service, calls: number) => Promise<unknown>;

const work = async (): Promise<number> => 1;

/** The ways of making many calls. */
const shapes: Readonly<Record<string, Shape>> = {
  executeToolBatch: (service, calls) =>
    service.executeToolBatch(Array.from({ length: calls }, () => ({ toolName: 'work', arguments: {} }))),
  'executeTool, all at once': (service, calls) =>
    Promise.all(Array.from({ length: calls }, () => service.executeTool({ toolName: 'work', arguments: {} }))),
  'executeTool, one after another': async (service, calls) => {
    for (let call = 0; call < calls; call += 1) await service.executeTool({ toolName: 'work', arguments: {} });
  },
};

/** Shows how the size of a batch affects promises alone. */
const floor: Shape = (_service, calls) => Promise.all(Array.from({ length: calls }, work));

/** The large batch blocks the thread for long, so it gets fewer samples; the small one is repeated to fill the same time. */
const large = (quick: boolean): number => (quick ? 10_000 : 100_000);

export const batch = holdfastRace({
  name: 'batch',
  title: 'A large batch against a small one, per call',
  what: 'The tool is `async () => 1`. 100 calls against 100,000 (10,000 with `--quick`), in each of the ways to make many calls.',
  inspect() {
    const service = serviceOfOne();
    const callsInOne = 10_000;
    const calls = Array.from({ length: callsInOne }, () => ({ toolName: 'work', arguments: {} }));
    return { call: () => service.executeToolBatch(calls), callsInOne };
  },
  async heats(quick) {
    const service = serviceOfOne();
    const sizes = [100, large(quick)];
    const heatOf = (title: string, shape: Shape): Heat => {
      const entrants = sizes.map((calls): Entrant => ({ name: nameOf(calls), call: () => shape(service, calls), callsInOne: calls }));
      const [small = '', many = ''] = sizes.map(nameOf);
      return {
        title,
        reference: small,
        entrants,
        targets: shape === floor ? [] : [{ of: many, to: small, atMost: 1.3, wanted: `${title}: ${many} ≤ 1.3 × ${small}` }],
        effort: { rounds: quick ? 5 : 9, samples: 1, sampleMs: quick ? 50 : 500 },
      };
    };
    const heats = [
      heatOf('no library, `Promise.all` of the work', floor),
      ...Object.entries(shapes).map(([title, shape]) => heatOf(title, shape)),
    ];
    return { heats, close: () => service.close().then(() => []) };
  },
});

function serviceOfOne(): Service {
  return new ToolExecutionService<readonly AnyTool[]>({ tools: [defineTool({ name: 'work', run: work })] });
}

function nameOf(calls: number): string {
  return `${calls.toLocaleString('en')} calls`;
}
