/**
 * Owns that no entry is larger than the journal takes: what a tool has answered is cut then, as it is where it is longer than `maxOutputChars`. The call continues
 * with what is left of it, here and in every process that reads the journal.
 */
import type { CallInput } from '../../engine/call/protocol.ts';
import { deliverOutput } from '../../engine/call/output.ts';
import type { Redactor } from '../../engine/plain/redact.ts';
import { entryText } from './entry-text.ts';
import type { InputEntry, TimerEntry } from './log-entry.ts';
import { fitsInto } from './text-size.ts';

/** Of the room for a string: the rest is for what is journaled along with it. */
const SHARE = 7 / 8;
/** For what an entry says beside an output, and for the mark of what was cut. */
const BESIDE = 256;

export interface FittingEntry {
  readonly entry: InputEntry | TimerEntry;
  /** As it is written. */
  readonly text: string;
}

/** The entry, in no more than its share of `mostBytes` where it has an output that can be cut so far. */
export function fittingEntry(entry: InputEntry | TimerEntry, redact: Redactor, mostBytes: number = Number.POSITIVE_INFINITY): FittingEntry {
  const most = Math.floor(mostBytes * SHARE);
  let fitting: FittingEntry = { entry, text: entryText(entry, redact) };
  // Of what is cut every character may still take several bytes.
  for (let chars = Math.max(most - BESIDE, most / 2); chars >= 1 && !fitsInto(fitting.text, most); chars = Math.floor(chars / 2)) {
    const cut = cutEntry(entry, chars);
    if (!cut) return fitting;
    fitting = { entry: cut, text: entryText(cut, redact) };
  }
  return fitting;
}

function cutEntry(entry: InputEntry | TimerEntry, chars: number): InputEntry | undefined {
  if (!('input' in entry) || entry.call === undefined) return undefined;
  const input = cutInput(entry.input as CallInput, chars);
  return input && { ...entry, input };
}

function cutInput(input: CallInput, chars: number): CallInput | undefined {
  switch (input.type) {
    case 'attempt_settled':
      return input.outcome.ok ? { ...input, outcome: { ...input.outcome, ...truncated(input.outcome.output, chars) } } : undefined;
    case 'partial_reported':
      return { ...input, ...truncated(input.output, chars) };
    case 'progress_reported': {
      const { message } = input.progress;
      return message === undefined
        ? undefined
        : { ...input, progress: { ...input.progress, message: truncated(message, chars).output as string } };
    }
    default:
      return undefined;
  }
}

function truncated(output: unknown, chars: number): { readonly output: unknown; readonly altered: 'truncated' } {
  return { output: deliverOutput(output, chars).output, altered: 'truncated' };
}
