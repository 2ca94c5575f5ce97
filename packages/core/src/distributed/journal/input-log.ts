/**
 * Owns the log of a turn's inputs: its length, how much of it is journaled, and cutting it into the slices that the journal stores.
 *
 * Invariants
 * 1. A slice starts where the previous one ended. Slices are journaled in the order in which they were cut, so that there is never a gap.
 * 2. Entries of another process are accepted only if this process has not continued without them.
 * 3. A slice has complete inputs, each with the answers of its moment, and at most as many as fit into one text of the journal. It is marked if more are left.
 */
import type { Redactor } from '../../engine/plain/redact.ts';
import type { AnswerEntry, InputEntry, LogEntry, TimerEntry } from './log-entry.ts';
import type { WrittenEntry } from './entry-text.ts';
import { entryText, readEntry } from './entry-text.ts';
import { limitEntry } from './limit-entry-size.ts';
import { isDecisive } from './log-entry.ts';
import type { Opening } from './turn-opening.ts';
import { bytesOf } from './text-size.ts';

/** Some of the logged entries did not fit. It is the last entry, so that a worker of a version that does not know it rejects it by name. */
type WrittenMore = readonly ['more'];

interface WrittenSlice {
  readonly from: number;
  readonly opening?: Opening;
  /** The form of earlier builds: the same as a last entry `more`. */
  readonly more?: true;
  readonly entries: readonly (WrittenEntry | WrittenMore)[];
}

export interface Slice {
  readonly text: string;
  /** The length of the log up to the end of the slice. */
  readonly end: number;
  /** Some of the logged entries did not fit. */
  readonly more: boolean;
}

interface ReadSlice {
  readonly opening: Opening | undefined;
  readonly more: boolean;
  readonly entries: readonly LogEntry[];
}

/** An entry that is not in a slice yet. */
interface PendingEntry {
  readonly text: string;
  /** The entry belongs to the input before it. */
  readonly isAnswer: boolean;
}

/** An upper bound on the size of a slice without its opening and its entries. */
const FRAME_BYTES = 64;

export class InputLog {
  readonly #redact: Redactor;
  /** The maximum size of a text; `undefined` if the journal has no limit. */
  readonly #maxBytes: number | undefined;
  /** The entries since the last slice. */
  #pending: PendingEntry[] = [];
  #length = 0;
  #journaled = 0;
  #decisive = 0;
  #isOpen = true;
  #opening: string | undefined;

  constructor(redact: Redactor, maxBytes?: number) {
    this.#redact = redact;
    this.#maxBytes = maxBytes;
  }

  /** The number of entries so far. */
  get length(): number {
    return this.#length;
  }

  /** The number of entries in the journal. */
  get journaled(): number {
    return this.#journaled;
  }

  /** The number of entries up to and including the last one from which commands may follow. */
  get decisive(): number {
    return this.#decisive;
  }

  appendAnswer(entry: AnswerEntry): void {
    this.count(entry);
    if (this.#isOpen) this.#pending.push({ text: entryText(entry, this.#redact), isAnswer: true });
  }

  /** Returns the entry to process: the same one, or one whose output was truncated to fit into the journal. */
  append(entry: InputEntry | TimerEntry): InputEntry | TimerEntry {
    this.count(entry);
    if (!this.#isOpen) return entry;
    const limited = limitEntry(entry, this.#redact, this.#maxBytes);
    this.#pending.push({ text: limited.text, isAnswer: false });
    return limited.entry;
  }

  /** Adds the turn's opening to the next slice, whichever step writes that to the journal. */
  open(opening: Opening): void {
    this.#opening = JSON.stringify(opening);
  }

  /** Cuts the entries since the last slice, or as many of them as fit into a text of the journal. */
  slice(): Slice {
    const from = this.#length - this.#pending.length;
    const opening = this.#opening === undefined ? '' : `,"opening":${this.#opening}`;
    const cut = this.#pending.splice(0, this.#fittingCount(opening));
    const more = this.#pending.length > 0;
    const texts = [...cut.map(({ text }) => text), ...(more ? ['["more"]'] : [])].join(',');
    this.#opening = undefined;
    return { text: `{"from":${from}${opening},"entries":[${texts}]}`, end: from + cut.length, more };
  }

  /** The number of entries that fit into a slice: at least the first input with its answers. Answers are small: a truncated output leaves space for many. */
  #fittingCount(opening: string): number {
    if (this.#maxBytes === undefined) return this.#pending.length;
    let left = this.#maxBytes - FRAME_BYTES - bytesOf(opening);
    let complete = 0;
    for (const [index, { text, isAnswer }] of this.#pending.entries()) {
      if (!isAnswer) complete = index;
      left -= bytesOf(text) + 1;
      if (left < 0 && complete > 0) return complete;
    }
    return this.#pending.length;
  }

  /** Reports that the journal has the log up to this length. */
  confirm(length: number): void {
    this.#journaled = Math.max(this.#journaled, length);
  }

  /** Ends journaling: the turn has ended. */
  close(): void {
    this.#isOpen = false;
    this.#pending = [];
    this.#journaled = Number.POSITIVE_INFINITY;
  }

  /** Reads a slice of another process. @throws Error when it does not continue where this log ends, or has fields or entries that this version does not know */
  read(text: string): ReadSlice {
    const { from, opening, more: hasMore = false, entries, ...unknown } = JSON.parse(text) as WrittenSlice;
    const [name] = Object.keys(unknown);
    if (name !== undefined) throw new Error(`The journal has a field '${name}', which this version of Holdfast does not know`);
    if (from !== this.#length)
      throw new Error(
        `The journal has entries of another process from position ${from}, but this process has already continued to position ${this.#length}`,
      );
    const known = entries.filter((entry): entry is WrittenEntry => !isMore(entry));
    return { opening, more: hasMore || known.length < entries.length, entries: known.map(readEntry) };
  }

  /** Counts an entry without journaling it: it is in the journal already. */
  count(entry: LogEntry): void {
    this.#length += 1;
    if (isDecisive(entry)) this.#decisive = this.#length;
  }
}

function isMore(entry: WrittenEntry | WrittenMore): entry is WrittenMore {
  return Array.isArray(entry) && entry[0] === 'more';
}
