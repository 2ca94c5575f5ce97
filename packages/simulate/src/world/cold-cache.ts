/** Owns how much longer requests take after faults that leave a cache empty: it fills as requests are served. */
import type { ColdCache } from './fault.ts';
import type { ScheduledFault } from './schedule.ts';

export interface Caches {
  /** How many times as long a request takes that begins now. */
  factor(now: number): number;
  /** A request was served. */
  served(now: number): void;
}

interface Cold extends ColdCache {
  readonly fromMs: number;
  count: number;
}

export function createCaches(faults: readonly ScheduledFault[]): Caches {
  const all = faults.flatMap(({ untilMs, coldCache }): readonly Cold[] => (coldCache ? [{ ...coldCache, fromMs: untilMs, count: 0 }] : []));
  return {
    factor: (now) =>
      all.reduce(
        (product, { fromMs, factor, requests, count }) =>
          now < fromMs || count >= requests ? product : product * (1 + (factor - 1) * (1 - count / requests)),
        1,
      ),
    served(now) {
      for (const cold of all) if (now >= cold.fromMs) cold.count += 1;
    },
  };
}
