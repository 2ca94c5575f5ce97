import { defineTool, ToolExecutionService, type AnyTool } from '@holdfast/core';
import type { Entrant } from '../timing/race.ts';
import { holdfastRace, type Heat } from './holdfast-race.ts';

const few = '10 tools';
const many = '10,000 tools';

export const manyTools = holdfastRace({
  name: 'many-tools',
  title: 'A call among 10,000 tools against one among 10',
  what: 'Every tool is `async () => 1`. One tool is called again and again, or all of them in turn, which also touches 10,000 circuit breakers and counts.',
  async heats() {
    const sizes = [
      { name: few, names: toolNames(10) },
      { name: many, names: toolNames(10_000) },
    ];
    const services = sizes.map(({ name, names }) => ({ name, names, service: serviceOf(names) }));
    const heat = (title: string, callsOf: (service: Service, names: readonly string[]) => Entrant['call']): Heat => ({
      title,
      reference: few,
      entrants: services.map(({ name, names, service }) => ({ name, call: callsOf(service, names) })),
      targets: [{ of: many, to: few, atMost: 1.3, wanted: `${title}: ≤ 1.3 × ${few}` }],
    });
    const heats = [
      heat('one of them is called', (service, names) => {
        const toolName = names[names.length >> 1] ?? '';
        return () => service.executeTool({ toolName, arguments: {} });
      }),
      heat('all are called in turn', (service, names) => {
        let next = 0;
        return () => {
          next = next + 1 < names.length ? next + 1 : 0;
          return service.executeTool({ toolName: names[next] ?? '', arguments: {} });
        };
      }),
    ];
    return { heats };
  },
});

type Service = ToolExecutionService<readonly AnyTool[]>;

function toolNames(count: number): readonly string[] {
  return Array.from({ length: count }, (_, number) => `tool-${number}`);
}

function serviceOf(names: readonly string[]): Service {
  return new ToolExecutionService<readonly AnyTool[]>({ tools: names.map((name) => defineTool({ name, run: async () => 1 })) });
}
