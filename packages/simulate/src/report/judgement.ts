/**
 * Owns the targets of the profile `adaptive`, and whether it meets them.
 *
 * 1. A target compares means over the seeds, unrounded.
 * 2. "The best" is the best of all contenders except the one under test and those that know the future.
 */
import { absent, percent } from './figure.ts';
import type { Standing } from './standing.ts';

/** Whether a contender meets one bar in one world. */
export interface Verdict {
  /** Name of the world. */
  readonly world: string;
  /** The bar in words. */
  readonly wanted: string;
  /** What the contender reached, formatted. */
  readonly seen: string;
  /** The best of the others, for relative targets. */
  readonly best: string;
  /** Whether the contender meets the bar. */
  readonly met: boolean;
}

/** Bars that differ from world to world, by the name of the world. */
export interface Bars {
  /** Minimum success per world. */
  readonly success: Readonly<Record<string, number>>;
  /** Worlds in which more requests per call are allowed than elsewhere. */
  readonly requestsPerCallDuring: Readonly<Record<string, number>>;
}

/** The bars of the built-in scenarios. */
export const bars: Bars = {
  success: { random_failures: 0.99, rate_limit: 1, flapping: 0.84, brownout: 0.9 },
  requestsPerCallDuring: { random_failures: 1.45 },
};

const withinShare = 0.01;
const usualRequestsPerCall = 1.25;

/** One world's targets. `judged` is the contender under test; `bounds` are those that know the future. */
export function judge(
  standings: readonly Standing[],
  judged: string,
  bounds: readonly string[] = ['oracle'],
  { success, requestsPerCallDuring }: Bars = bars,
): readonly Verdict[] {
  const own = standings.find(({ contender }) => contender === judged);
  if (!own) return [];
  const others = standings.filter(({ contender }) => contender !== judged && !bounds.includes(contender));
  const verdicts: (Verdict | undefined)[] = [
    share(own, others, 'success', 'success overall'),
    minimumVerdict(own, success[own.world]),
    share(own, others, 'after30s', 'success in the 30 s after'),
    requests(own, requestsPerCallDuring[own.world] ?? usualRequestsPerCall),
    recovers(own, others),
  ];
  return verdicts.filter((verdict) => verdict !== undefined);
}

function share(own: Standing, others: readonly Standing[], name: 'success' | 'after30s', words: string): Verdict | undefined {
  const seen = own[name]?.mean;
  const best = highest(others, (other) => other[name]?.mean);
  if (seen === undefined || !best) return undefined;
  return {
    world: own.world,
    wanted: `${words}: within 1 % of the best`,
    seen: `${percent(seen)} %`,
    best: `${percent(best.value)} % (${best.contender})`,
    met: seen >= best.value - withinShare,
  };
}

function minimumVerdict(own: Standing, bar: number | undefined): Verdict | undefined {
  if (bar === undefined || !own.success) return undefined;
  const seen = own.success.mean;
  return {
    world: own.world,
    wanted: `success overall: at least ${percent(bar)} %`,
    seen: `${percent(seen)} %`,
    best: absent,
    met: seen >= bar,
  };
}

function requests(own: Standing, bar: number): Verdict | undefined {
  const seen = own.requestsPerCallDuring?.mean;
  if (seen === undefined) return undefined;
  return {
    world: own.world,
    wanted: `requests per call while the fault lasts: at most ${bar}`,
    seen: seen.toFixed(2),
    best: absent,
    met: seen <= bar,
  };
}

function recovers(own: Standing, others: readonly Standing[]): Verdict | undefined {
  const best = highest(others, (other) => (other.neverRecovered > 0 ? undefined : negative(other.recoveryS?.mean)));
  const seen = own.neverRecovered > 0 ? Infinity : own.recoveryS?.mean;
  if (!best || seen === undefined) return undefined;
  return {
    world: own.world,
    wanted: 'recovery: no slower than the best',
    seen: seen === Infinity ? 'never' : `${seen.toFixed(1)} s`,
    best: `${(-best.value).toFixed(1)} s (${best.contender})`,
    met: seen <= -best.value,
  };
}

function negative(value: number | undefined): number | undefined {
  return value === undefined ? undefined : -value;
}

function highest(
  standings: readonly Standing[],
  of: (standing: Standing) => number | undefined,
): { value: number; contender: string } | undefined {
  let best: { value: number; contender: string } | undefined;
  for (const standing of standings) {
    const value = of(standing);
    if (value !== undefined && (!best || value > best.value)) best = { value, contender: standing.contender };
  }
  return best;
}
