/** Owns the time series of a tool over a range. */
import type { Cell, CellNumber, KeptHistory } from '@holdfast/core/history';
import { createCell, mergeCell } from '@holdfast/core/internal';
import type { Counted, HistoryRange, ToolHistory } from '../contract.ts';
import { failureShare, retrySuccess, toCallCounts } from './describe-counts.ts';
import { stepsOf } from './ranges.ts';

const shownCalls = 10;

export async function toolHistory(kept: KeptHistory, tool: string, range: HistoryRange, now: number): Promise<ToolHistory> {
  const { since, until, stepMs, starts } = stepsOf(range, now);
  const [series, slowest, failures] = await Promise.all([
    kept.series(tool, { since, until, stepMs }),
    kept.slowCalls(tool, since, shownCalls),
    kept.failures(tool, since),
  ]);
  const total = createCell();
  for (const cell of series.values()) mergeCell(total, cell);
  const numbers = (name: CellNumber): readonly number[] => starts.map((at) => round(series.get(at)?.counts[name] ?? 0));
  const quantiles = (of: 'calls' | 'attempts', q: number): readonly (number | null)[] =>
    starts.map((at) => quantile(series.get(at), of, q));
  return {
    tool_id: tool,
    range,
    step_ms: stepMs,
    at: starts.map((at) => at / 1_000),
    first_try: numbers('first_try'),
    recovered: numbers('recovered'),
    failed: numbers('failed'),
    cancelled: numbers('cancelled'),
    skipped: numbers('skipped'),
    rejected: numbers('rejected'),
    refused: numbers('refused'),
    attempts: numbers('attempts'),
    retries: numbers('retries'),
    p50_ms: quantiles('calls', 0.5),
    p95_ms: quantiles('calls', 0.95),
    p99_ms: quantiles('calls', 0.99),
    attempt_p95_ms: quantiles('attempts', 0.95),
    work_ms: numbers('work_ms'),
    failed_ms: numbers('failed_ms'),
    backoff_ms: numbers('backoff_ms'),
    late_ms: numbers('late_ms'),
    queue_ms: numbers('queue_ms'),
    hint_ms: numbers('hint_ms'),
    recovery_ms: numbers('recovery_ms'),
    totals: toCallCounts(total.counts),
    failure: failureShare(total.counts),
    retry_success: retrySuccess(total.counts),
    ...(total.counts.run === 0 ? {} : { attempts_per_call: round(total.counts.run_attempts / total.counts.run) }),
    retries_denied: sortCounts(total.denied),
    errors: sortCounts(total.errors),
    slowest,
    latest_failures: failures,
  };
}

function quantile(cell: Cell | undefined, of: 'calls' | 'attempts', q: number): number | null {
  const value = cell?.[of]?.quantile(q);
  return value === undefined ? null : round(value);
}

/** Rounds to microseconds. */
const round = (value: number): number => Math.round(value * 1_000) / 1_000;

/** Sorts by frequency, the most frequent first. */
function sortCounts(names: ReadonlyMap<string, number>): readonly Counted[] {
  return [...names]
    .map(([name, count]) => ({ name, count }))
    .toSorted((one, other) => other.count - one.count || (one.name < other.name ? -1 : 1));
}
