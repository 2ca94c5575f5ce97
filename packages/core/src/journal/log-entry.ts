/**
 * Owns what a turn's journal is made of: the inputs that its machines were fed, in their order. Does not own who feeds them (`input-line.ts`).
 */
import type { Fault } from '../call/fault.ts';
import type { CallInput, CallTimer } from '../call/protocol.ts';
import { describeError } from '../classify/index.ts';
import type { TraceEventBody } from '../trace/events.ts';
import type { TurnInput } from '../turn/protocol.ts';

/** Common to all: when, and what was told into the trace before. */
interface Logged {
  /** Since the turn began. */
  readonly at: number;
  readonly told?: readonly TraceEventBody[];
}

/** What a machine was answered at once. Questions are numbered; those that nothing came of are left out. */
export interface AnswerEntry extends Logged {
  readonly question: number;
  readonly answer?: CallInput;
}

/** What came by itself, or later than it was asked for. Without `call` it is for the turn. */
export interface InputEntry extends Logged {
  readonly call?: string;
  readonly input: CallInput | TurnInput;
}

/** A timer of a call that rang. */
export interface TimerEntry extends Logged {
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

/** As JSON. Of a live error its description stays, of a permit what a machine reads. */
export function entryText(entry: LogEntry): string {
  if ('timer' in entry) return JSON.stringify(entry);
  if ('input' in entry) return JSON.stringify({ ...entry, input: plain(entry.input) });
  return JSON.stringify(entry.answer ? { ...entry, answer: plain(entry.answer) } : entry);
}

function plain(input: CallInput | TurnInput): unknown {
  switch (input.type) {
    case 'admission': {
      if (input.answer.kind !== 'permit') return input;
      const { generation, probe, probeNumber } = input.answer.permit;
      return { ...input, answer: { kind: 'permit', permit: { generation, probe, probeNumber } } };
    }
    case 'attempt_settled':
      return input.outcome.ok ? input : { ...input, outcome: { ok: false, fault: plainFault(input.outcome.fault) } };
    case 'prepared':
    case 'cancelled':
      return input.fault ? { ...input, fault: plainFault(input.fault) } : input;
    default:
      return input;
  }
}

function plainFault(fault: Fault): Fault {
  return 'cause' in fault ? { ...fault, cause: describeError(fault.cause) } : fault;
}
