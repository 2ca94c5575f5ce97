/** Owns comparing two traces of one plan and seed: event by event within each call, except for measured times and ids of runs. */
import type { TraceEvent } from '@holdfast/core';

/** Measured by a clock, or an id of a run. Delays and limits are decided, so they are compared. */
const OF_THE_RUN: ReadonlySet<string> = new Set([
  'seq',
  'timestamp',
  'elapsed_ms',
  'duration_ms',
  'execution_time_ms',
  'retry_elapsed_ms',
  'turn_time_left_ms',
  'execution_id',
  'turn_id',
  // The chain that took the longest.
  'critical_path',
]);

const MEASURED_GUARDS: ReadonlySet<unknown> = new Set(['turn_time_left', 'retry_time_left']);

/** Values derived from the time are compared by their result. */
const guardOf = (value: object): object =>
  'guard' in value && MEASURED_GUARDS.has(value.guard) ? { ...value, limit: 0, value: 0 } : value;

const plain = (event: TraceEvent): unknown =>
  JSON.parse(
    JSON.stringify(event, (key, value: unknown) => {
      if (OF_THE_RUN.has(key)) return undefined;
      return typeof value === 'object' && value !== null ? guardOf(value) : value;
    }),
  );

/** Groups events by call; the turn's own events have the key ''. The order of events between concurrent calls is undefined. */
export const callByCall = (events: readonly TraceEvent[]): Readonly<Record<string, readonly unknown[]>> => {
  const calls: Record<string, unknown[]> = {};
  for (const event of events) (calls['call_id' in event ? (event.call_id ?? '') : ''] ??= []).push(plain(event));
  return calls;
};
