/** The series of a tool's history, and the reasons why its retries stopped. */
import type { Counted, FailurePointer, ToolHistory } from '@holdfast/gateway/contract';
import { outcomeLooks } from '../../charts/outcomes.ts';
import { compareNames } from '../../data/live-state.ts';
import type { Series } from '../../charts/series.model.ts';
import { stopWords } from '../../ui/stop-words.ts';

/** `failed` includes refused calls; here each call counts once. */
export function outcomeSeries({ first_try, recovered, failed, refused, rejected, skipped, cancelled }: ToolHistory): readonly Series[] {
  const notRefused = failed.map((value, index) => Math.max(0, value - (refused[index] ?? 0)));
  const values = { first_try, recovered, failed: notRefused, refused, rejected, skipped, cancelled };
  return outcomeLooks
    .filter(({ id, rare }) => rare !== true || values[id].some((value) => value > 0))
    .map(({ id, word, fill, pattern }) => ({ id, word, fill, pattern, values: values[id] }));
}

export const latencySeries = ({ p50_ms, p95_ms, p99_ms }: ToolHistory): readonly Series[] => [
  { id: 'p50', word: 'p50', fill: '--accent', line: 'unbroken', values: p50_ms },
  { id: 'p95', word: 'p95', fill: '--fill-queue', line: 'dashed', values: p95_ms },
  { id: 'p99', word: 'p99', fill: '--own', line: 'dotted', values: p99_ms },
];

export const timeSeries = ({ work_ms, backoff_ms, queue_ms }: ToolHistory): readonly Series[] => [
  { id: 'work', word: 'attempts', fill: '--fill-work', values: work_ms },
  { id: 'backoff', word: 'backoff', fill: '--fill-backoff', pattern: 'stripes', values: backoff_ms },
  { id: 'queue', word: 'waiting for a slot', fill: '--fill-queue', pattern: 'dots', values: queue_ms },
];

export const trySeries = ({ attempts, retries }: ToolHistory): readonly Series[] => [
  {
    id: 'first',
    word: 'first attempts',
    fill: '--fill-work',
    values: attempts.map((value, index) => Math.max(0, value - (retries[index] ?? 0))),
  },
  { id: 'retries', word: 'retries', fill: '--fill-backoff', pattern: 'stripes', values: retries },
];

export interface StoppedRetries {
  readonly reason: string;
  readonly count: number;
  readonly sentence: string;
  /** The latest call that it happened to, if known. */
  readonly latest?: FailurePointer;
}

/** Most frequent first. */
export function stoppedRetries(denied: readonly Counted[], failures: readonly FailurePointer[]): readonly StoppedRetries[] {
  return denied
    .filter(({ count }) => count > 0)
    .toSorted((one, other) => other.count - one.count)
    .map(({ name, count }) => {
      const latest = failures.filter(({ stopped_by }) => stopped_by === name).toSorted((one, other) => compareNames(other.at, one.at))[0];
      return { reason: name, count, sentence: stopWords(name).sentence, ...(latest === undefined ? {} : { latest }) };
    });
}

export interface FailureGroup {
  readonly latest: FailurePointer;
  /** The number of consecutive failures with the same code. */
  readonly count: number;
}

/** Groups consecutive refusals by an open circuit into one line, so that the failures that opened it stay visible. */
export function groupedFailures(failures: readonly FailurePointer[]): readonly FailureGroup[] {
  const groups: { latest: FailurePointer; count: number }[] = [];
  for (const failure of failures) {
    const last = groups.at(-1);
    if (last?.latest.code === failure.code && last.latest.stopped_by === failure.stopped_by) last.count += 1;
    else groups.push({ latest: failure, count: 1 });
  }
  return groups;
}
