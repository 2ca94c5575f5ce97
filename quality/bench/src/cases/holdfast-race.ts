/** A case in which Holdfast runs against itself under other conditions. */
import type { Report } from '../report/report.ts';
import { ratioTarget, timingTable, type RatioWanted } from '../report/timing-table.ts';
import { race, type Effort, type Entrant } from '../timing/race.ts';
import type { Case, Inspected } from './case.ts';

export interface Heat {
  readonly title: string;
  readonly reference: string;
  readonly entrants: readonly Entrant[];
  readonly targets?: readonly RatioWanted[];
  readonly effort?: Partial<Effort>;
}

export interface HoldfastRace {
  readonly name: string;
  readonly title: string;
  readonly what: string;
  /** What `--profile` and `--allocations` examine. */
  readonly inspect?: () => Inspected;
  readonly heats: (quick: boolean) => Promise<{ readonly heats: readonly Heat[]; readonly close?: () => Promise<readonly string[]> }>;
}

/** Heats run one after another; `close` returns the report's notes. */
export function holdfastRace({ name, title, what, inspect, heats: prepare }: HoldfastRace): Case {
  return {
    name,
    ...(inspect && { holdfast: async () => inspect() }),
    async run({ quick, effort }): Promise<Report> {
      const { heats, close } = await prepare(quick);
      const run = [];
      for (const heat of heats) run.push({ heat, timings: await race(heat.entrants, { ...effort, ...heat.effort }) });
      return {
        name,
        title,
        what,
        tables: run.map(({ heat, timings }) => timingTable(timings, heat.reference, heat.title)),
        targets: run.flatMap(({ heat, timings }) => (heat.targets ?? []).flatMap((wanted) => ratioTarget(timings, wanted))),
        notes: (await close?.()) ?? [],
        figures: {
          nanosecondsPerCall: Object.fromEntries(
            run.map(({ heat, timings }) => [heat.title, Object.fromEntries(timings.map((one) => [one.name, one.rounds]))]),
          ),
        },
      };
    },
  };
}
