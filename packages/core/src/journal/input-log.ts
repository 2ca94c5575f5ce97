/**
 * Owns the log of a turn's inputs: what is in it, what of it the journal has, and cutting it into the slices that the journal keeps.
 *
 * Invariants
 * 1. A slice begins at or before the first entry that is not known to be journaled: no order in which slices are journaled leaves a gap.
 * 2. What another process has logged is taken over only where this one has not gone on by itself.
 */
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
  readonly #texts: string[] = [];
  #length = 0;
  #journaled = 0;
  #decisive = 0;
  #keeps = true;
  #opening: string | undefined;

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
    this.#length += 1;
    if (isDecisive(entry)) this.#decisive = this.#length;
    if (this.#keeps) this.#texts.push(entryText(entry));
  }

  /** What decides over the turn goes along with its first entries, whichever step takes these to the journal. */
  open(opening: Opening): void {
    this.#opening = JSON.stringify(opening);
  }

  /** What the journal does not have for sure yet. */
  slice(): string {
    const opening = this.#journaled === 0 && this.#opening !== undefined ? `,"opening":${this.#opening}` : '';
    return `{"from":${this.#journaled}${opening},"entries":[${this.#texts.join(',')}]}`;
  }

  /** The journal has the log up to there. */
  confirm(length: number): void {
    if (length <= this.#journaled) return;
    this.#texts.splice(0, length - this.#journaled);
    this.#journaled = length;
  }

  /** Nothing more is journaled: the turn has ended. */
  close(): void {
    this.#keeps = false;
    this.#texts.length = 0;
    this.#journaled = Number.POSITIVE_INFINITY;
  }

  /** Reads a slice of another process. Answers what is new of it. @throws Error when this process has gone on otherwise. */
  read(text: string): { readonly opening: Opening | undefined; readonly fresh: readonly LogEntry[] } {
    const { from, opening, entries } = JSON.parse(text) as Slice;
    const until = from + entries.length;
    const overlaps = until > this.#journaled && this.#length > this.#journaled;
    if (from > this.#length || overlaps)
      throw new Error(`The journal holds entries ${from} to ${until} of another process, where this one has gone on by itself`);
    return { opening, fresh: entries.slice(Math.min(this.#length - from, entries.length)).map(readEntry) };
  }
}
