/**
 * Owns the log of a turn's inputs: what is in it, what of it the journal has, and cutting it into the slices that the journal keeps.
 *
 * Invariants
 * 1. A slice begins where the one before it ended. They are journaled in the order in which they were cut, so that there is never a gap.
 * 2. What another process has logged is taken over only where this one has not gone on by itself.
 */
import type { Redactor } from '../redact/redact.ts';
import type { LogEntry } from './log-entry.ts';
import type { WrittenEntry } from './entry-text.ts';
import { entryText, readEntry } from './entry-text.ts';
import { isDecisive } from './log-entry.ts';
import type { Opening } from './opening.ts';

interface Slice {
  readonly from: number;
  readonly opening?: Opening;
  readonly entries: readonly WrittenEntry[];
}

export class InputLog {
  readonly #redact: Redactor;
  /** What came since the last slice. */
  #texts: string[] = [];
  #length = 0;
  #journaled = 0;
  #decisive = 0;
  #keeps = true;
  #opening: string | undefined;

  constructor(redact: Redactor) {
    this.#redact = redact;
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

  append(entry: LogEntry): void {
    this.repeat(entry);
    if (this.#keeps) this.#texts.push(entryText(entry, this.#redact));
  }

  /** What decides over the turn goes along with its first entries, whichever step takes these to the journal. */
  open(opening: Opening): void {
    this.#opening = JSON.stringify(opening);
  }

  /** Cuts off what came since the last slice. */
  slice(): string {
    const opening = this.#opening === undefined ? '' : `,"opening":${this.#opening}`;
    const text = `{"from":${this.#length - this.#texts.length}${opening},"entries":[${this.#texts.join(',')}]}`;
    this.#opening = undefined;
    this.#texts = [];
    return text;
  }

  /** The journal has the log up to there. */
  confirm(length: number): void {
    this.#journaled = Math.max(this.#journaled, length);
  }

  /** Nothing more is journaled: the turn has ended. */
  close(): void {
    this.#keeps = false;
    this.#texts = [];
    this.#journaled = Number.POSITIVE_INFINITY;
  }

  /** Reads a slice of another process. @throws Error when it does not go on where this log ends. */
  read(text: string): { readonly opening: Opening | undefined; readonly entries: readonly LogEntry[] } {
    const { from, opening, entries } = JSON.parse(text) as Slice;
    if (from !== this.#length)
      throw new Error(`The journal holds entries from ${from} of another process, where this one has gone on to ${this.#length} by itself`);
    return { opening, entries: entries.map(readEntry) };
  }

  /** The log of another process is journaled already. */
  repeat(entry: LogEntry): void {
    this.#length += 1;
    if (isDecisive(entry)) this.#decisive = this.#length;
  }
}
