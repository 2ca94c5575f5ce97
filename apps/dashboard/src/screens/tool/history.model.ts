/** The series of a tool's history, and the reasons why its retries stopped. */
import type { Counted, FailurePointer, ToolHistory } from '@holdfast/gateway/contract';
import { outcomeAppearances } from '../../charts/outcomes.ts';
import { compareNames } from '../../data/live-state.ts';
import type { Series } from '../../charts/series.model.ts';
import { describeStopReason } from '../../ui/stop-reasons.ts';

/** `failed` includes refused calls; here each call counts once. */
export function outcomeSeries({ first_try, recovered, failed, refused, rejected, skipped, cancelled }: ToolHistory): readonly Series[] {
  const notRefused = failed.map((value, index) => Math.max(0, value - (refused[index] ?? 0)));
  const values = { first_try, recovered, failed: notRefused, refused, rejected, skipped, cancelled };
  return outcomeAppearances
    .filter(({ id, rare }) => rare !== true || values[id].some((value) => value > 0))
    .map(({ id, label, fill, pattern }) => ({ id, label, fill, pattern, values: values[id] }));
}

export const latencySeries = ({ p50_ms, p95_ms, p99_ms }: ToolHistory): readonly Series[] => [
  { id: 'p50', label: 'p50', fill: '--accent', line: 'unbroken', values: p50_ms },
  { id: 'p95', label: 'p95', fill: '--fill-queue', line: 'dashed', values: p95_ms },
  { id: 'p99', label: 'p99', fill: '--own', line: 'dotted', values: p99_ms },
];

/** Waits are named by what was waited for; those that never occurred are left out. */
export const timeSeries = ({ work_ms, failed_ms, backoff_ms, late_ms, queue_ms, hint_ms, recovery_ms }: ToolHistory): readonly Series[] =>
  (
    [
      { id: 'work', label: 'attempts that succeeded', fill: '--fill-work', values: work_ms },
      { id: 'failed', label: 'failed attempts', fill: '--fill-failed', values: failed_ms },
      { id: 'backoff', label: 'backoff', fill: '--fill-backoff', pattern: 'stripes', values: backoff_ms },
      { id: 'late', label: 'process late', fill: '--fill-cancelled', pattern: 'stripes', values: late_ms },
      { id: 'queue', label: 'waiting for a slot', fill: '--fill-queue', pattern: 'dots', values: queue_ms },
      { id: 'hint', label: 'waiting for a rate limit or Retry-After', fill: '--fill-refused', pattern: 'dots', values: hint_ms },
      { id: 'recovery', label: 'waiting for recovery', fill: '--fill-recovered', pattern: 'dots', values: recovery_ms },
    ] satisfies readonly Series[]
  ).filter(({ id, values }) => id === 'work' || values.some((value) => value >= minShownMs));

/** Less than this is the overhead of the engine. */
const minShownMs = 1;

export const trySeries = ({ attempts, retries }: ToolHistory): readonly Series[] => [
  {
    id: 'first',
    label: 'first attempts',
    fill: '--fill-work',
    values: attempts.map((value, index) => Math.max(0, value - (retries[index] ?? 0))),
  },
  { id: 'retries', label: 'retries', fill: '--fill-backoff', pattern: 'stripes', values: retries },
];

export interface StopReasonCount {
  readonly reason: string;
  readonly count: number;
  readonly sentence: string;
  /** The latest call that it happened to, if known. */
  readonly latest?: FailurePointer;
}

/** Most frequent first. */
export function groupStoppedRetries(denied: readonly Counted[], failures: readonly FailurePointer[]): readonly StopReasonCount[] {
  return denied
    .filter(({ count }) => count > 0)
    .toSorted((one, other) => other.count - one.count)
    .map(({ name, count }) => {
      const latest = failures.filter(({ stopped_by }) => stopped_by === name).toSorted((one, other) => compareNames(other.at, one.at))[0];
      return { reason: name, count, sentence: describeStopReason(name).sentence, ...(latest === undefined ? {} : { latest }) };
    });
}

export interface FailureGroup {
  readonly latest: FailurePointer;
  /** The number of consecutive failures with the same code. */
  readonly count: number;
}

/** Groups consecutive refusals by an open circuit into one line, so that the failures that opened it stay visible. */
export function groupFailures(failures: readonly FailurePointer[]): readonly FailureGroup[] {
  const groups: { latest: FailurePointer; count: number }[] = [];
  for (const failure of failures) {
    const last = groups.at(-1);
    if (last?.latest.code === failure.code && last.latest.stopped_by === failure.stopped_by) last.count += 1;
    else groups.push({ latest: failure, count: 1 });
  }
  return groups;
}
