/**
 * Owns what a turn's journal is made of: the inputs that its machines were fed, in their order. Does not own who feeds them (`input-line.ts`).
 */
import type { CallInput, CallTimer } from '../../engine/call/protocol.ts';
import type { TraceEventBody } from '../../engine/trace/events.ts';
import type { TurnInput } from '../../engine/turn/protocol.ts';

/** Common to all: what was told into the trace before. */
interface Logged {
  readonly told?: readonly TraceEventBody[];
}

/** What a machine was answered at once, at the moment of the input that it follows. Questions are numbered; those that nothing came of are left out. */
export interface AnswerEntry extends Logged {
  readonly question: number;
  readonly answer?: CallInput;
}

/** What came by itself, or later than it was asked for. Without `call` it is for the turn. */
export interface InputEntry extends Logged {
  /** Since the turn began. */
  readonly at: number;
  readonly call?: string;
  readonly input: CallInput | TurnInput;
}

/** A timer of a call that rang. */
export interface TimerEntry extends Logged {
  readonly at: number;
  readonly call: string;
  readonly timer: CallTimer;
  readonly attempt: number;
}

export type LogEntry = AnswerEntry | InputEntry | TimerEntry;

/** Whether further commands may follow from it. Those that follow from a call's start, its alternatives and its retries were asked for before. */
export function isDecisive(entry: LogEntry): boolean {
  if ('timer' in entry) return entry.timer === 'attempt';
  const input = 'input' in entry ? entry.input : entry.answer;
  switch (input?.type) {
    case undefined:
    case 'progress_reported':
    case 'partial_reported':
      return false;
    case 'admission':
      return input.answer.kind === 'refused';
    case 'prepared':
      return input.fault !== undefined;
    default:
      return true;
  }
}
