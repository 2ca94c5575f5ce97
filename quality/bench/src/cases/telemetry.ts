/** The cost of metrics and spans per call: each variant in a separate process, the processes alternating. */
import { fork, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import type { Report } from '../report/report.ts';
import { ratioTarget, timingTable } from '../report/timing-table.ts';
import { both, nothing, variants } from '../telemetry/variants.ts';
import type { Task } from '../telemetry/entrant.ts';
import type { Timing } from '../timing/race.ts';
import type { Case } from './case.ts';

const program = join(import.meta.dirname, '../telemetry/entrant.ts');

interface Entrant {
  readonly name: string;
  readonly process: ChildProcess;
}

async function start(name: string): Promise<Entrant> {
  const process = fork(program, [name]);
  await once(process, 'message');
  return { name, process };
}

async function ask({ process }: Entrant, task: Task): Promise<number> {
  process.send(task);
  const [figure] = (await once(process, 'message')) as [number];
  return figure;
}

/** Alternating, with the order shifted from round to round; the first rounds are warm-up. */
async function race(entrants: readonly Entrant[], task: Task, rounds: number, warmUp: number): Promise<readonly Timing[]> {
  const figures = new Map<string, number[]>(entrants.map(({ name }) => [name, []]));
  for (let round = -warmUp; round < rounds; round += 1) {
    for (let place = 0; place < entrants.length; place += 1) {
      const entrant = entrants[(place + round + warmUp) % entrants.length] as Entrant;
      const figure = await ask(entrant, task);
      if (round >= 0) figures.get(entrant.name)?.push(figure);
    }
  }
  return [...figures].map(([name, all]) => ({ name, rounds: all }));
}

const targetOf = (title: string) => ({ of: both, to: nothing, atMost: 1.15, wanted: `${title}: without an SDK ≤ 1.15 × nothing attached` });

export const telemetry: Case = {
  name: 'telemetry',
  page: 'TELEMETRY.md',
  async run({ quick }): Promise<Report> {
    const entrants = await Promise.all(Object.keys(variants).map(start));
    try {
      const atOnce = await race(entrants, { tool: 'at once', calls: 6_400 }, quick ? 10 : 40, quick ? 5 : 10);
      const inOneMs = await race(entrants, { tool: 'in 1 ms', calls: 64 }, quick ? 5 : 20, 3);
      const titles = ['the tool is `async () => 1`', 'the tool waits 1 ms'] as const;
      return {
        name: 'telemetry',
        title: 'Cost of telemetry',
        what:
          'Processor time per call, of all threads. Each variant runs in a separate process, as in an application, and the processes take turns. ' +
          '`metrics` is `createMetrics`; without an SDK, OpenTelemetry records nothing; the SDK samples everything, creates two spans per call and passes ' +
          'them to an exporter that drops them, and aggregates metrics: most of that figure is the SDK’s own cost. A listener requires that every event is timestamped and delivered.',
        tables: [timingTable(atOnce, nothing, titles[0]), timingTable(inOneMs, nothing, titles[1])],
        targets: [...ratioTarget(atOnce, targetOf(titles[0])), ...ratioTarget(inOneMs, targetOf(titles[1]))],
        notes: [],
        figures: {
          nanosecondsPerCall: Object.fromEntries(
            [atOnce, inOneMs].map((all, at) => [titles[at], Object.fromEntries(all.map((one) => [one.name, one.rounds]))]),
          ),
        },
      };
    } finally {
      for (const { process } of entrants) process.disconnect();
    }
  },
};
