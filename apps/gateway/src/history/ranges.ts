/** Owns the ranges of queries and their resolution. */
import type { HistoryRange } from '../contract.ts';

const secondMs = 1_000;
const minuteMs = 60 * secondMs;
const hourMs = 60 * minuteMs;
const dayMs = 24 * hourMs;

interface Range {
  readonly rangeMs: number;
  readonly stepMs: number;
}

const ranges: Readonly<Record<HistoryRange, Range>> = {
  '15m': { rangeMs: 15 * minuteMs, stepMs: 10 * secondMs },
  '1h': { rangeMs: hourMs, stepMs: 20 * secondMs },
  '6h': { rangeMs: 6 * hourMs, stepMs: 2 * minuteMs },
  '24h': { rangeMs: dayMs, stepMs: 5 * minuteMs },
  '7d': { rangeMs: 7 * dayMs, stepMs: hourMs },
  '14d': { rangeMs: 14 * dayMs, stepMs: 2 * hourMs },
};

export const rangeNames: readonly [HistoryRange, ...HistoryRange[]] = ['15m', '1h', '6h', '24h', '7d', '14d'];

/** Returns whole steps, including the current one. Milliseconds since 1970. */
export function stepsOf(
  range: HistoryRange,
  now: number,
): { readonly since: number; readonly until: number; readonly stepMs: number; readonly starts: readonly number[] } {
  const { rangeMs, stepMs } = ranges[range];
  const until = Math.floor(now / stepMs) * stepMs + stepMs;
  const since = until - rangeMs;
  return { since, until, stepMs, starts: Array.from({ length: rangeMs / stepMs }, (_, index) => since + index * stepMs) };
}
