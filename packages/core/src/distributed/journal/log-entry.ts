/**
 * Owns the entries of a turn's journal: the inputs of its state machines, in order. Does not own feeding them (`input-queue.ts`).
 */
import type { CallInput, CallTimer } from '../../engine/call/protocol.ts';
import type { TraceEventBody } from '../../engine/trace/events.ts';
import type { TurnInput } from '../../engine/turn/protocol.ts';

/** Common to all entries: the events that were appended to the trace before the input. */
interface Logged {
  readonly events?: readonly TraceEventBody[];
}

/** A synchronous answer to a machine, at the moment of the input that it follows. Questions are numbered; those without an answer or an event are omitted. */
export interface AnswerEntry extends Logged {
  readonly question: number;
  readonly answer?: CallInput;
}

/** Another process continues here. It changes nothing: it has the event of the take-over and its moment. */
interface TakenOver {
  readonly type: 'taken_over';
}

/** An unsolicited input, or an answer that arrived later than its question. Without `call` it is for the turn. */
export interface InputEntry extends Logged {
  /** Milliseconds since the turn started. */
  readonly at: number;
  readonly call?: string;
  readonly input: CallInput | TurnInput | TakenOver;
}

/** A timer of a call that fired. */
export interface TimerEntry extends Logged {
  readonly at: number;
  readonly call: string;
  readonly timer: CallTimer;
  readonly attempt: number;
}

export type LogEntry = AnswerEntry | InputEntry | TimerEntry;

/** Whether further commands may follow from the entry. Those that follow from a call's start, its alternatives and its retries were requested before. */
export function isDecisive(entry: LogEntry): boolean {
  if ('timer' in entry) return entry.timer === 'attempt';
  const input = 'input' in entry ? entry.input : entry.answer;
  switch (input?.type) {
    case undefined:
    case 'progress_reported':
    case 'partial_reported':
    case 'taken_over':
      return false;
    case 'admission':
      return input.answer.kind === 'refused';
    case 'prepared':
      return input.fault !== undefined;
    default:
      return true;
  }
}
