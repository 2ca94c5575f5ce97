/** What two runs of a turn must have in common. */
import type { TraceEvent, TurnResult } from '@holdfast/core';
import { expect } from 'vitest';

export interface Comparison {
  /**
   * `all`: everything, every time included. `but_times`: an attempt that was running is made again, which may take time. `answers`: the result of each call.
   * `one_each`: each call has one result.
   */
  readonly what: 'all' | 'but_times' | 'answers' | 'one_each';
  /** Prefix for differences. */
  readonly where: string;
}

type Fields = Readonly<Record<string, unknown>>;

export function expectSameTurn(seen: TurnResult, wanted: TurnResult, { what, where }: Comparison): void {
  const seqs = seen.trace.map(({ seq }) => seq);
  expect(seqs, where).toEqual(seqs.map((_, index) => index + 1));
  const answersOf = ({ outcome, results }: TurnResult): unknown => [
    outcome,
    results.map(({ callId, status, output }) => (what === 'one_each' ? callId : { callId, status, output })),
  ];
  expect(answersOf(seen), where).toEqual(answersOf(wanted));
  if (what === 'answers' || what === 'one_each') return;
  const shown = what === 'all' ? withTimes : withoutTimes;
  expect(shown({ ...seen, trace: [] }), where).toEqual(shown({ ...wanted, trace: [] }));
  expect(byCall(untilCompleted(seen.trace), shown), where).toEqual(byCall(untilCompleted(wanted.trace), shown));
}

/** Events after the end of the turn are late work, which may not be over when a test is. Only a turn that lost its process has the event of its take-over. */
function untilCompleted(events: readonly TraceEvent[]): readonly TraceEvent[] {
  return events
    .slice(0, events.findIndex(({ event_type }) => event_type === 'TurnCompleted') + 1)
    .filter(({ event_type }) => event_type !== 'TurnTakenOver');
}

/** Per call, in order, without the fields that number and date the events of the whole turn. */
function byCall(events: readonly TraceEvent[], shown: (value: unknown) => unknown): Readonly<Record<string, readonly unknown[]>> {
  const calls: Record<string, unknown[]> = {};
  for (const { seq: _seq, timestamp: _timestamp, ...event } of events) {
    const { execution_id: _id, ...rest } = event as Fields;
    (calls['call_id' in event ? (event.call_id ?? '') : ''] ??= []).push(shown(rest));
  }
  return calls;
}

/** After a round trip through JSON; a live error, which exists in one process only, is reduced to its name and message. */
function throughJson(value: unknown, reviver: (this: Fields, key: string, one: unknown) => unknown): unknown {
  return JSON.parse(JSON.stringify(value, plainError), reviver as (key: string, one: unknown) => unknown);
}

const plainError = (_key: string, value: unknown): unknown => {
  if (Object.prototype.toString.call(value) !== '[object Error]') return value;
  const { name, message } = value as Error;
  return { name, message };
};

/** A journal keeps times to the microsecond. */
const withTimes = (value: unknown): unknown =>
  throughJson(value, (_key, one) => (typeof one === 'number' ? Math.round(one * 1e3) / 1e3 : one));

const timeFields = new Set([
  'executionTime',
  'elapsed_ms',
  'duration_ms',
  'execution_time_ms',
  'waited_ms',
  'retry_elapsed_ms',
  'turn_time_left_ms',
]);
const timeGuards = new Set(['turn_time_left', 'total_time']);

/** Without fields that contain durations or remaining times; limits and delays stay. */
const withoutTimes = (value: unknown): unknown =>
  throughJson(value, function (key, one) {
    // A turn whose start was lost begins again, and its circuits may have recorded attempts meanwhile.
    if (key === 'circuits') return 'as they are';
    const isTime = timeFields.has(key) || ((key === 'limit' || key === 'value') && timeGuards.has(String(this['guard'])));
    return isTime ? 'some time' : one;
  });

/** A turn as recorded in its journal, read again. */
export function expectReadAgain(again: TurnResult, first: TurnResult): void {
  expect(withTimes(again)).toEqual(withTimes(first));
}
