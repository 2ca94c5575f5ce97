/** Owns how a recorded turn or single call was ended from outside: by its deadline, or by its caller. */
import { callerTimeoutFault, cancelledFault, type Fault } from '../engine/call/fault.ts';
import type { TraceEvent } from '../engine/trace/events.ts';
import type { TurnSettings } from '../engine/settings/settings.ts';

/** The deadline, or a cancellation with its cause. */
export interface RecordedStop {
  /** The event that shows it: of a turn, the stop itself; of a single call, its end. */
  readonly event: TraceEvent;
  /** The cancellation by the caller; absent for a deadline. */
  readonly fault?: Fault;
}

export function recordedStop(events: readonly TraceEvent[], single: boolean, settings: TurnSettings): RecordedStop | undefined {
  for (const event of events) {
    if (event.event_type === 'TurnDeadlineReached') return { event };
    if (event.event_type === 'TurnCancelled') return { event, fault: faultOf(event.code === 'TIMEOUT', event.message) };
    if (single && event.event_type === 'CallCompleted') return stopOfCall(event, settings);
  }
  return undefined;
}

function stopOfCall(
  event: Extract<TraceEvent, { readonly event_type: 'CallCompleted' }>,
  { timeoutMs }: TurnSettings,
): RecordedStop | undefined {
  const { code, error = '', partial, elapsed_ms } = event;
  if (code === 'TURN_DEADLINE' || (partial && timeoutMs !== null && elapsed_ms >= timeoutMs)) return { event };
  const timedOut = error === callerTimeoutFault(undefined).message;
  const cancelled = code === 'CANCELLED' && error.startsWith(cancelledFault(undefined, String).message);
  return timedOut || cancelled ? { event, fault: faultOf(timedOut, error) } : undefined;
}

function faultOf(timedOut: boolean, message: string): Fault {
  const original = timedOut ? callerTimeoutFault(undefined) : cancelledFault(undefined, String);
  return { ...original, text: message, message };
}
