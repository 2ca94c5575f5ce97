/** A case in which contenders run against each other on one job. */
import type { Contender, Job, ProtectedJob } from '../contenders/contender.ts';
import { holdfast } from '../contenders/holdfast.ts';
import { contenders } from '../contenders/index.ts';
import type { Report, Target } from '../report/report.ts';
import { ratioTarget, timingTable, type RatioWanted } from '../report/timing-table.ts';
import { race, type Entrant, type Timing } from '../timing/race.ts';
import type { Case, CaseOptions } from './case.ts';
import { choose } from './case.ts';

export interface Contest {
  readonly name: string;
  readonly title: string;
  readonly what: string;
  readonly targets?: readonly Omit<RatioWanted, 'of'>[];
  /** The contenders that take part. @default every contender */
  readonly takesPart?: (contender: Contender) => boolean;
  /** The job, created separately for each contender. */
  readonly job?: () => Job;
  /** How a contender makes its calls. @default it protects the job */
  readonly enter?: (contender: Contender) => Promise<ProtectedJob>;
  /** Number of concurrent calls. @default 1 */
  readonly parallel?: number;
  readonly rejects?: boolean;
  /** Additional checks besides the time. */
  readonly check?: () => Promise<{ readonly targets: readonly Target[]; readonly notes: readonly string[] }>;
}

export function contest(definition: Contest): Case {
  const { name, title, what, targets = [], takesPart = () => true, parallel = 1, rejects = false, check } = definition;
  const enter = definition.enter ?? (async (contender: Contender) => contender.protect(definition.job?.() ?? { run: async () => 1 }));
  const atOnce = (call: ProtectedJob['call']): ProtectedJob['call'] =>
    parallel === 1 ? call : () => Promise.all(Array.from({ length: parallel }, call));
  return {
    name,
    async holdfast() {
      const { call, ...job } = await enter(holdfast);
      return { ...job, call: atOnce(call), callsInOne: parallel };
    },
    async run({ effort, only }: CaseOptions): Promise<Report> {
      const entrants: Entrant[] = [];
      const open: ProtectedJob[] = [];
      for (const contender of choose(contenders.filter(takesPart), only)) {
        const job = await enter(contender);
        open.push(job);
        entrants.push({ name: contender.name, call: atOnce(job.call), callsInOne: parallel, rejects });
      }
      const timings: readonly Timing[] = await race(entrants, effort);
      for (const job of open) await job.close?.();
      const checked = await check?.();
      return {
        name,
        title,
        what,
        tables: [timingTable(timings, holdfast.name)],
        targets: [...targets.flatMap((wanted) => ratioTarget(timings, { of: holdfast.name, ...wanted })), ...(checked?.targets ?? [])],
        notes: checked?.notes ?? [],
        figures: { nanosecondsPerCall: Object.fromEntries(timings.map((timing) => [timing.name, timing.rounds])) },
      };
    },
  };
}
