/**
 * Owns the text of a log entry. Every attempt has several entries, and the size of the journal determines the cost of a durable turn, so the most common answers
 * have a short form.
 */
import type { Fault } from '../../engine/call/fault.ts';
import type { CallInput } from '../../engine/call/protocol.ts';
import { describeError } from '../../engine/classify/describe-error.ts';
import type { Redactor } from '../../engine/plain/redact.ts';
import type { InputEntry, LogEntry } from './log-entry.ts';

type Admission = Extract<CallInput, { readonly type: 'admission' }>;

/** Valid arguments: the number of the question. */
type ShortPrepared = readonly ['prepared', number];
/** Admission at a closed circuit: the number of the question, or the call and the moment; then the request, the tool, the circuit's generation. */
type ShortPermit = readonly ['permit', number, number, string, number] | readonly ['permit', string, number, number, string, number];

export type WrittenEntry = ShortPrepared | ShortPermit | LogEntry;

/** The entry as JSON. An error is replaced by its description, and a permit by the fields that a machine reads. */
export function entryText(entry: LogEntry, redact: Redactor): string {
  const short = shortForm(entry);
  if (short) return JSON.stringify(short);
  if ('timer' in entry) return JSON.stringify(entry);
  if ('input' in entry) return JSON.stringify({ ...entry, input: plain(entry.input, redact) });
  return JSON.stringify(entry.answer ? { ...entry, answer: plain(entry.answer, redact) } : entry);
}

function plain(input: InputEntry['input'], redact: Redactor): unknown {
  switch (input.type) {
    case 'admission': {
      if (input.answer.kind !== 'permit') return input;
      const { generation, probe, probeNumber } = input.answer.permit;
      return { ...input, answer: { kind: 'permit', permit: { generation, probe, probeNumber } } };
    }
    case 'attempt_settled':
      return input.outcome.ok ? input : { ...input, outcome: { ok: false, fault: plainFault(input.outcome.fault, redact) } };
    case 'prepared':
    case 'cancelled':
      return input.fault ? { ...input, fault: plainFault(input.fault, redact) } : input;
    default:
      return input;
  }
}

function plainFault(fault: Fault, redact: Redactor): Fault {
  if (!('cause' in fault)) return fault;
  const { message, ...described } = describeError(fault.cause);
  return { ...fault, cause: { ...described, message: redact(message) } };
}

function shortForm(entry: LogEntry): ShortPrepared | ShortPermit | undefined {
  if ('timer' in entry || entry.events) return undefined;
  const input = 'input' in entry ? entry.input : entry.answer;
  if ('question' in entry && input?.type === 'prepared' && !input.fault) return ['prepared', entry.question];
  if (input?.type !== 'admission' || !hasShortForm(input)) return undefined;
  const { request, toolName } = input;
  const { generation } = input.answer.permit;
  if ('question' in entry) return ['permit', entry.question, request, toolName, generation];
  return entry.call === undefined ? undefined : ['permit', entry.call, entry.at, request, toolName, generation];
}

function hasShortForm(input: Admission): input is Admission & { readonly answer: { readonly kind: 'permit' } } {
  return input.answer.kind === 'permit' && !input.answer.permit.probe && input.circuit === 'closed' && input.hedgeAfterMs === undefined;
}

/** Restores an entry from its written form. */
export function readEntry(written: WrittenEntry): LogEntry {
  if (!isShort(written)) return written;
  const head: string = written[0];
  if (head !== 'prepared' && head !== 'permit')
    throw new Error(`The journal has an entry '${head}', which this version of Holdfast does not know`);
  if (written[0] === 'prepared') return { question: written[1], answer: { type: 'prepared' } };
  if (written.length === 5) {
    const [, question, request, toolName, generation] = written;
    return { question, answer: permitInput(request, toolName, generation) };
  }
  const [, call, at, request, toolName, generation] = written;
  return { call, at, input: permitInput(request, toolName, generation) };
}

function isShort(written: WrittenEntry): written is ShortPrepared | ShortPermit {
  return Array.isArray(written);
}

function permitInput(request: number, toolName: string, generation: number): Admission {
  const permit = { generation, probe: false, probeNumber: 0, recorded: false, released: false, orphaned: false };
  return { type: 'admission', request, toolName, answer: { kind: 'permit', permit }, circuit: 'closed' };
}
