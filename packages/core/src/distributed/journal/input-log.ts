/**
 * Owns the log of a turn's inputs: what is in it, what of it the journal has, and cutting it into the slices that the journal keeps.
 *
 * Invariants
 * 1. A slice begins where the one before it ended. They are journaled in the order in which they were cut, so that there is never a gap.
 * 2. What another process has logged is taken over only where this one has not continued by itself.
 * 3. A slice holds whole inputs, each with what was answered at its moment, and no more of them than the journal takes in one text. It says where more is left.
 */
import type { Redactor } from '../../engine/plain/redact.ts';
import type { AnswerEntry, InputEntry, LogEntry, TimerEntry } from './log-entry.ts';
import type { WrittenEntry } from './entry-text.ts';
import { entryText, readEntry } from './entry-text.ts';
import { fittingEntry } from './limit-entry-size.ts';
import { isDecisive } from './log-entry.ts';
import type { Opening } from './turn-opening.ts';
import { bytesOf } from './text-size.ts';

/** What came by then did not fit. It stands as the last entry, so that a worker of a version that knows nothing of it refuses it by name. */
type WrittenMore = readonly ['more'];

interface WrittenSlice {
  readonly from: number;
  readonly opening?: Opening;
  /** As earlier builds wrote it: the same as a last entry `more`. */
  readonly more?: true;
  readonly entries: readonly (WrittenEntry | WrittenMore)[];
}

export interface Slice {
  readonly text: string;
  /** The log goes up to there with it. */
  readonly end: number;
  /** What came by now did not fit. */
  readonly more: boolean;
}

interface ReadSlice {
  readonly opening: Opening | undefined;
  readonly more: boolean;
  readonly entries: readonly LogEntry[];
}

/** Of an entry that is not journaled yet. */
interface Kept {
  readonly text: string;
  /** It belongs to the input before it. */
  readonly isAnswer: boolean;
}

/** What a slice takes beside its opening and its entries, and more. */
const FRAME_BYTES = 64;

export class InputLog {
  readonly #redact: Redactor;
  /** What a string may take; nothing where the journal takes any. */
  readonly #mostBytes: number | undefined;
  /** What came since the last slice. */
  #kept: Kept[] = [];
  #length = 0;
  #journaled = 0;
  #decisive = 0;
  #keeps = true;
  #opening: string | undefined;

  constructor(redact: Redactor, mostBytes?: number) {
    this.#redact = redact;
    this.#mostBytes = mostBytes;
  }

  /** Entries so far. */
  get length(): number {
    return this.#length;
  }

  /** Of these, this many are in the journal. */
  get journaled(): number {
    return this.#journaled;
  }

  /** Entries up to and with the last from which commands may follow. */
  get decisive(): number {
    return this.#decisive;
  }

  appendAnswer(entry: AnswerEntry): void {
    this.repeat(entry);
    if (this.#keeps) this.#kept.push({ text: entryText(entry, this.#redact), isAnswer: true });
  }

  /** Answers what is to be taken: the same, or what of it fits into the journal. */
  append(entry: InputEntry | TimerEntry): InputEntry | TimerEntry {
    this.repeat(entry);
    if (!this.#keeps) return entry;
    const fitting = fittingEntry(entry, this.#redact, this.#mostBytes);
    this.#kept.push({ text: fitting.text, isAnswer: false });
    return fitting.entry;
  }

  /** What decides over the turn goes along with its first entries, whichever step takes these to the journal. */
  open(opening: Opening): void {
    this.#opening = JSON.stringify(opening);
  }

  /** Cuts off what came since the last slice, or as much of it as the journal takes. */
  slice(): Slice {
    const from = this.#length - this.#kept.length;
    const opening = this.#opening === undefined ? '' : `,"opening":${this.#opening}`;
    const cut = this.#kept.splice(0, this.#fitting(opening));
    const more = this.#kept.length > 0;
    const texts = [...cut.map(({ text }) => text), ...(more ? ['["more"]'] : [])].join(',');
    this.#opening = undefined;
    return { text: `{"from":${from}${opening},"entries":[${texts}]}`, end: from + cut.length, more };
  }

  /** How many entries fit into a slice: the first input at least, with its answers. These are small: what an output is cut to leaves room for many. */
  #fitting(opening: string): number {
    if (this.#mostBytes === undefined) return this.#kept.length;
    let left = this.#mostBytes - FRAME_BYTES - bytesOf(opening);
    let whole = 0;
    for (const [index, { text, isAnswer }] of this.#kept.entries()) {
      if (!isAnswer) whole = index;
      left -= bytesOf(text) + 1;
      if (left < 0 && whole > 0) return whole;
    }
    return this.#kept.length;
  }

  /** The journal has the log up to there. */
  confirm(length: number): void {
    this.#journaled = Math.max(this.#journaled, length);
  }

  /** Nothing more is journaled: the turn has ended. */
  close(): void {
    this.#keeps = false;
    this.#kept = [];
    this.#journaled = Number.POSITIVE_INFINITY;
  }

  /** Reads a slice of another process. @throws Error when it does not continue where this log ends, and when it holds what this version does not know. */
  read(text: string): ReadSlice {
    const { from, opening, more: wasMore = false, entries, ...unknown } = JSON.parse(text) as WrittenSlice;
    const [name] = Object.keys(unknown);
    if (name !== undefined) throw new Error(`The journal holds '${name}' beside its entries, which this version of Holdfast does not know`);
    if (from !== this.#length)
      throw new Error(`The journal holds entries from ${from} of another process, where this one has gone on to ${this.#length} by itself`);
    const known = entries.filter((entry): entry is WrittenEntry => !isMore(entry));
    return { opening, more: wasMore || known.length < entries.length, entries: known.map(readEntry) };
  }

  /** The log of another process is journaled already. */
  repeat(entry: LogEntry): void {
    this.#length += 1;
    if (isDecisive(entry)) this.#decisive = this.#length;
  }
}

function isMore(entry: WrittenEntry | WrittenMore): entry is WrittenMore {
  return Array.isArray(entry) && entry[0] === 'more';
}
