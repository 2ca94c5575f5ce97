/**
 * Owns the size limit of entries: an output that is too large for the journal is truncated, like an output longer than `maxOutputChars`. The call continues
 * with the truncated output, here and in every process that reads the journal.
 */
import type { CallInput } from '../../engine/call/protocol.ts';
import { deliverOutput } from '../../engine/call/output.ts';
import type { Redactor } from '../../engine/plain/redact.ts';
import { entryText } from './entry-text.ts';
import type { InputEntry, TimerEntry } from './log-entry.ts';
import { fitsInto } from './text-size.ts';

/** An entry's share of a text; the rest is for the other data of the slice. */
const SHARE = 7 / 8;
/** Characters for the other fields of an entry and for the truncation mark. */
const OVERHEAD = 256;

export interface LimitedEntry {
  readonly entry: InputEntry | TimerEntry;
  /** As it is written. */
  readonly text: string;
}

/** Truncates the output of an entry, if it has one, so that the entry takes at most its share of `maxBytes`. */
export function limitEntry(entry: InputEntry | TimerEntry, redact: Redactor, maxBytes: number = Number.POSITIVE_INFINITY): LimitedEntry {
  const share = Math.floor(maxBytes * SHARE);
  let limited: LimitedEntry = { entry, text: entryText(entry, redact) };
  // Every character of a truncated output may still take several bytes.
  for (let chars = Math.max(share - OVERHEAD, share / 2); chars >= 1 && !fitsInto(limited.text, share); chars = Math.floor(chars / 2)) {
    const truncated = truncateEntry(entry, chars);
    if (!truncated) return limited;
    limited = { entry: truncated, text: entryText(truncated, redact) };
  }
  return limited;
}

function truncateEntry(entry: InputEntry | TimerEntry, chars: number): InputEntry | undefined {
  if (!('input' in entry) || entry.call === undefined) return undefined;
  const input = truncateInput(entry.input as CallInput, chars);
  return input && { ...entry, input };
}

function truncateInput(input: CallInput, chars: number): CallInput | undefined {
  switch (input.type) {
    case 'attempt_settled':
      return input.outcome.ok ? { ...input, outcome: { ...input.outcome, ...truncate(input.outcome.output, chars) } } : undefined;
    case 'partial_reported':
      return { ...input, ...truncate(input.output, chars) };
    case 'progress_reported': {
      const { message } = input.progress;
      return message === undefined
        ? undefined
        : { ...input, progress: { ...input.progress, message: truncate(message, chars).output as string } };
    }
    default:
      return undefined;
  }
}

function truncate(output: unknown, chars: number): { readonly output: unknown; readonly altered: 'truncated' } {
  return { output: deliverOutput(output, chars).output, altered: 'truncated' };
}
