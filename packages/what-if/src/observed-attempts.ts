/** Owns the observed attempts of one turn, in milliseconds since the turn began. */
import type { TraceEvent } from '@holdfast/core';
import { type Recording, recordedOutcome } from '@holdfast/core/replay';
import type { Outcome } from '@holdfast/core/internal';

/** One recorded attempt. Times are milliseconds since the turn began. */
export interface SeenAttempt {
  /** Id of the call, unique within its turn. */
  readonly callId: string;
  /** Name of the tool that was called: that of the call or an alternative. */
  readonly toolName: string;
  /** When the attempt began. */
  readonly startedAt: number;
  /** When it answered, or until when it is known not to have answered. */
  readonly endedAt: number;
  /** `undefined` if it was cut off: by its time limit, the deadline, a cancellation, or a faster attempt. */
  readonly outcome: Outcome | undefined;
  /** When it reported partial outputs, ascending. */
  readonly partialsAt: readonly number[];
  /** When it reported progress without an output, ascending. */
  readonly progressAt: readonly number[];
  /** It failed in a way that too many requests may have caused. */
  readonly stressed: boolean;
}

type Started = Extract<TraceEvent, { readonly event_type: 'AttemptStarted' }>;

const signsOfLoad: ReadonlySet<string> = new Set(['timeout', 'rate_limit', 'resource']);

export function seenAttempts({ calls }: Recording): readonly SeenAttempt[] {
  return [...calls.values()].flatMap((events) =>
    events.flatMap((event) => (event.event_type === 'AttemptStarted' ? [seenAttempt(events, event)] : [])),
  );
}

function seenAttempt(events: readonly TraceEvent[], start: Started): SeenAttempt {
  const ofAttempt = events.filter((event) => 'attempt' in event && event.attempt === start.attempt && event.seq > start.seq);
  const timedOut = ofAttempt.find(({ event_type }) => event_type === 'ToolTimeout');
  const ended = timedOut ?? ofAttempt.find(({ event_type }) => event_type === 'ToolSucceeded' || event_type === 'ToolError');
  const answer = ended?.event_type === 'ToolSucceeded' || ended?.event_type === 'ToolError' ? ended : undefined;
  const completed = events.find(({ event_type }) => event_type === 'CallCompleted');
  return {
    callId: start.call_id,
    toolName: start.tool_id,
    startedAt: start.elapsed_ms,
    endedAt: (ended ?? completed ?? events.at(-1) ?? start).elapsed_ms,
    outcome: answer && recordedOutcome(answer),
    partialsAt: reportTimes(ofAttempt, true),
    progressAt: reportTimes(ofAttempt, false),
    stressed: timedOut !== undefined || (answer?.event_type === 'ToolError' && signsOfLoad.has(answer.category)),
  };
}

function reportTimes(events: readonly TraceEvent[], partial: boolean): readonly number[] {
  return events.flatMap((event) => (event.event_type === 'ToolProgress' && (event.partial === true) === partial ? [event.elapsed_ms] : []));
}
