import type { TraceEvent } from '../../src/engine/trace/events.ts';

/** Events of a call that may be recorded after its end: its work continues after a deadline with `detach`, up to its own limit. */
const late: ReadonlySet<TraceEvent['event_type']> = new Set([
  'ToolTimeout',
  'LateResult',
  'AttemptAbandoned',
  'ComponentFailed',
  'CircuitBreakerOpened',
  'CircuitBreakerHalfOpened',
  'CircuitBreakerClosed',
]);

interface CallBook {
  started: boolean;
  completed: boolean;
  attempts: number;
  /** By attempt: whether its end was recorded. */
  readonly ended: Set<number>;
}

/**
 * Checks the trace of one turn or single call; throws at the first impossible event. Returns the keys of the completed calls.
 */
export function readTrace(events: readonly TraceEvent[]): ReadonlySet<string> {
  const calls = new Map<string, CallBook>();
  const bookOf = (callId: string): CallBook => {
    const book = calls.get(callId) ?? { started: false, completed: false, attempts: 0, ended: new Set() };
    calls.set(callId, book);
    return book;
  };
  let elapsed = 0;
  let turnEnded = false;
  for (const [index, event] of events.entries()) {
    claim(event.seq === index + 1, event, `has number ${event.seq} at place ${index + 1}`);
    claim(event.elapsed_ms >= elapsed, event, 'goes back in time');
    claim(!Number.isNaN(Date.parse(event.timestamp)), event, 'has no time');
    elapsed = event.elapsed_ms;
    claim(event.event_type !== 'TurnStarted' || index === 0, event, 'is not the first');
    if (event.event_type === 'TurnCompleted') {
      claim(!turnEnded, event, 'ends a turn that had ended');
      turnEnded = true;
      for (const [callId, { completed }] of calls) claim(completed, event, `ends a turn whose call ${callId} has not ended`);
    } else if ('call_id' in event && event.call_id !== undefined) {
      claim(!turnEnded || late.has(event.event_type), event, 'comes after the end of its turn');
      readCallEvent(bookOf(event.call_id), event);
    }
  }
  const begun = events[0]?.event_type === 'TurnStarted';
  claim(begun === turnEnded, events.at(-1), 'leaves its turn without an end');
  for (const [callId, { completed }] of calls) claim(completed, events.at(-1), `leaves call ${callId} without an end`);
  return new Set(calls.keys());
}

function readCallEvent(book: CallBook, event: TraceEvent): void {
  claim(!book.completed || late.has(event.event_type), event, 'comes after the end of its call');
  switch (event.event_type) {
    case 'CallStarted':
      claim(!book.started, event, 'starts a call that was started');
      book.started = true;
      return;
    case 'AttemptStarted':
      claim(book.started, event, 'starts an attempt of a call that was not');
      book.attempts += 1;
      claim(event.attempt === book.attempts, event, `is the attempt after ${book.attempts - 1}`);
      return;
    case 'ToolSucceeded':
    case 'LateResult':
    case 'AttemptAbandoned':
      claim(event.attempt >= 1 && event.attempt <= book.attempts, event, 'ends an attempt that was never started');
      return;
    case 'ToolTimeout':
      claim(event.attempt <= book.attempts && !book.ended.has(event.attempt), event, 'times out what had ended');
      return;
    case 'ToolError':
      claim(event.attempt <= book.attempts, event, 'reports an attempt that was never started');
      claim(event.attempt === 0 || !book.ended.has(event.attempt), event, 'reports one failure twice');
      book.ended.add(event.attempt);
      return;
    case 'CallCompleted':
      claim(event.attempts === book.attempts, event, `counts ${event.attempts} attempts of ${book.attempts}`);
      book.completed = true;
      return;
    default:
  }
}

function claim(kept: boolean, event: TraceEvent | undefined, what: string): void {
  if (!kept) throw new Error(`trace: ${JSON.stringify(event)} ${what}`);
}
