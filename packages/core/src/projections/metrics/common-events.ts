/** Owns the counters of the four events of every successful call, looked up once because these events are by far the most frequent. */
import type { NumberCell } from './series.ts';
import type { ProcessSeries } from './series-sets.ts';

export interface CommonEvents {
  readonly callStarted: NumberCell;
  readonly attemptStarted: NumberCell;
  readonly toolSucceeded: NumberCell;
  readonly callCompleted: NumberCell;
}

export function commonEventsOf({ traceEvents }: ProcessSeries): CommonEvents {
  return {
    callStarted: traceEvents.cellOf('CallStarted'),
    attemptStarted: traceEvents.cellOf('AttemptStarted'),
    toolSucceeded: traceEvents.cellOf('ToolSucceeded'),
    callCompleted: traceEvents.cellOf('CallCompleted'),
  };
}
