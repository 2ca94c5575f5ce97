/** Owns timing entrants against each other: in rounds, alternating within a round, the order shifted from round to round. */
import { measure } from 'mitata';
import { callLoop } from './loop.ts';

export interface Entrant {
  readonly name: string;
  /** What is timed. */
  readonly call: () => unknown;
  /** How many tool calls one `call` makes. @default 1 */
  readonly callsInOne?: number;
  /** The call may reject, which is part of the timing. @default false */
  readonly rejects?: boolean;
}

/** How much is timed. */
export interface Effort {
  readonly rounds: number;
  readonly samples: number;
  readonly sampleMs: number;
  readonly warmUpMs: number;
  /** Consecutive calls before the event loop turns. @default 64 */
  readonly callsPerTurn?: number;
  /** Which sample of a round counts: the median, or the least disturbed one, which excludes most of the collector's work. */
  readonly counts: 'p50' | 'min';
}

export const fullEffort: Effort = { rounds: 41, samples: 3, sampleMs: 10, warmUpMs: 500, counts: 'p50' };
export const quickEffort: Effort = { rounds: 25, samples: 3, sampleMs: 2, warmUpMs: 300, counts: 'min' };
/** Nanoseconds per call, one figure per round. */
export interface Timing {
  readonly name: string;
  readonly rounds: readonly number[];
}

interface Runner {
  readonly name: string;
  readonly calls: number;
  readonly sample: () => Promise<void>;
  readonly figures: number[];
}

export async function race(entrants: readonly Entrant[], effort: Effort): Promise<readonly Timing[]> {
  const runners: Runner[] = [];
  for (const entrant of entrants) runners.push(await prepare(entrant, effort));
  for (let round = 0; round < effort.rounds; round += 1) {
    for (let place = 0; place < runners.length; place += 1) {
      const runner = runners[(place + round) % runners.length];
      if (runner) runner.figures.push(await timeSample(runner, effort));
    }
  }
  return runners.map(({ name, figures }) => ({ name, rounds: figures }));
}

async function timeSample({ sample, calls }: Runner, { samples, counts }: Effort): Promise<number> {
  // A sample is already a loop, so mitata must not repeat it.
  // No collection is forced: it would discard compiled code as well, which makes the next samples several times slower.
  const once = { batch_threshold: -1, min_cpu_time: 0, samples_threshold: Infinity, gc: false };
  const measured = await measure(sample, { ...once, min_samples: samples });
  return Math.round((measured[counts] / calls) * 10) / 10;
}

/** Warms up an entrant and finds how many calls fill a sample. */
async function prepare({ name, call, callsInOne = 1, rejects = false }: Entrant, effort: Effort): Promise<Runner> {
  const { warmUpMs, sampleMs, callsPerTurn = 64 } = effort;
  const loop = callLoop(call, rejects);
  let calls = 0;
  let block = 1;
  const begin = performance.now();
  let callMs = 0;
  while (calls === 0 || performance.now() - begin < warmUpMs) {
    const start = performance.now();
    await loop(1, block);
    callMs = (performance.now() - start) / block;
    calls += block;
    block = Math.min(callsPerTurn, block * 2);
  }
  const perSample = Math.max(1, Math.round(sampleMs / callMs));
  const perBlock = Math.min(callsPerTurn, perSample);
  const blocks = Math.ceil(perSample / perBlock);
  return { name, calls: blocks * perBlock * callsInOne, sample: () => loop(blocks, perBlock), figures: [] };
}
