/**
 * Owns when observations are unreliable because the tool would have been called differently. A tool answers a request at a given moment in the same way,
 * unless there are signs that its answers depend on its load.
 *
 * 1. Signs of load: expired time limits, rate limits and answers that took four times as long as usual, with five seconds around them. If the tool is called
 *    differently there, its answers are unknown from then on, until the signs have ended and for the same time again.
 * 2. If it is called more often in a second than it ever was while it answered well (and more than ten times), its answers are unknown for ten seconds.
 */
import type { ReadTurn } from './read-turns.ts';
import type { RanTurn } from './run-turns.ts';
import { mergeSpans, type Span, type Spans, unionSpans } from './spans.ts';

const aroundMs = 5_000;
const afterTooManyMs = 10_000;
const secondMs = 1_000;
/** So few requests never count as overload. */
const fewPerSecond = 10;

export interface LoadSigns {
  readonly stressed: Spans;
  /** Most requests in a second that were answered well, by tool. */
  readonly sustained: ReadonlyMap<string, number>;
}

export function loadSigns(turns: readonly ReadTurn[], originEpochMs: number): LoadSigns {
  const stressed = new Map<string, Span[]>();
  const slowMs = slowAnswers(turns);
  const seconds = new Map<string, Map<number, { requests: number; good: number }>>();
  for (const { beganAtEpochMs, seen } of turns) {
    const beganAt = beganAtEpochMs - originEpochMs;
    for (const { toolName, startedAt, endedAt, outcome, stressed: isSign } of seen) {
      if (isSign || endedAt - startedAt >= (slowMs.get(toolName) ?? Infinity))
        listOf(stressed, toolName).push({ from: beganAt + startedAt, to: beganAt + endedAt + aroundMs });
      const bySecond = seconds.get(toolName) ?? new Map<number, { requests: number; good: number }>();
      seconds.set(toolName, bySecond);
      const second = Math.floor((beganAt + startedAt) / secondMs);
      const known = bySecond.get(second) ?? { requests: 0, good: 0 };
      known.requests += 1;
      if (outcome?.ok) known.good += 1;
      bySecond.set(second, known);
    }
  }
  const sustained = [...seconds].map(([name, bySecond]) => {
    const well = [...bySecond.values()].filter(({ requests, good }) => good * 2 >= requests).map(({ requests }) => requests);
    return [name, well.reduce((most, requests) => Math.max(most, requests), 0)] as const;
  });
  return { stressed: new Map([...stressed].map(([name, spans]) => [name, mergeSpans(spans)])), sustained: new Map(sustained) };
}

const timesUsual = 4;

/** The duration from which an answer is slow, by tool. */
function slowAnswers(turns: readonly ReadTurn[]): ReadonlyMap<string, number> {
  const took = new Map<string, number[]>();
  for (const { seen } of turns)
    for (const { toolName, startedAt, endedAt, outcome } of seen) if (outcome?.ok) listOf(took, toolName).push(endedAt - startedAt);
  return new Map(
    [...took].map(([name, all]) => [name, Math.max(1, all.toSorted((one, other) => one - other)[all.length >> 1] ?? 0) * timesUsual]),
  );
}

/** Time limits that expire under the other settings are signs, too. */
export function signsOf({ stressed, sustained }: LoadSigns, ran: Iterable<RanTurn>): LoadSigns {
  const own = new Map<string, Span[]>();
  for (const { trace } of ran) for (const { toolName, from, to } of trace.timedOut) listOf(own, toolName).push({ from, to: to + aroundMs });
  return { stressed: unionSpans(stressed, own), sustained };
}

/** Requests of one run that differ from the record. */
export function marksOf(
  { stressed, sustained }: LoadSigns,
  ran: Iterable<RanTurn>,
  deviations: ReadonlyMap<string, readonly number[]>,
): Spans {
  const runs = [...ran];
  const other = new Map<string, number[]>([...deviations].map(([name, times]) => [name, [...times]]));
  const requests = new Map<string, number[]>();
  for (const { turn, used, trace, beganAt } of runs) {
    for (const seen of turn.seen) if (!used.has(seen)) listOf(other, seen.toolName).push(beganAt + seen.startedAt);
    for (const { toolName, at } of trace.requests) listOf(requests, toolName).push(at);
  }
  const marks = new Map<string, Span[]>();
  for (const [name, times] of other) {
    const sorted = times.toSorted((one, two) => one - two);
    for (const { from, to } of stressed.get(name) ?? []) {
      const first = sorted.find((time) => time >= from - aroundMs);
      if (first !== undefined && first <= to) listOf(marks, name).push({ from: Math.max(first, from - aroundMs), to: to + (to - from) });
    }
    for (const second of busySeconds(requests.get(name) ?? [], sustained.get(name) ?? 0, sorted[0] ?? Infinity))
      listOf(marks, name).push({ from: second * secondMs, to: second * secondMs + afterTooManyMs });
  }
  return new Map([...marks].map(([name, spans]) => [name, mergeSpans(spans)]));
}

/** Seconds from the first deviation on in which a tool is called more often than it ever answered well. */
function busySeconds(times: readonly number[], sustained: number, from: number): readonly number[] {
  const counts = new Map<number, number>();
  for (const time of times) {
    const second = Math.floor(time / secondMs);
    counts.set(second, (counts.get(second) ?? 0) + 1);
  }
  return [...counts]
    .filter(([second, count]) => count > Math.max(sustained, fewPerSecond) && (second + 1) * secondMs >= from)
    .map(([second]) => second);
}

function listOf<Value>(lists: Map<string, Value[]>, name: string): Value[] {
  let list = lists.get(name);
  if (!list) {
    list = [];
    lists.set(name, list);
  }
  return list;
}
