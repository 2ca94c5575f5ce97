/**
 * Owns what has changed lately: the latest changes with their numbers, and those that wait to be written.
 *
 * Invariant: numbers grow by one, over restarts too.
 */
import type { ChangeItem } from '../contract.ts';

/** Kept in memory. */
const keptChanges = 200;

export interface ChangeLogOptions {
  /** Of the last one that was written. */
  readonly lastId: number;
  /** Written by earlier processes, the newest first. */
  readonly earlier: (count: number) => readonly ChangeItem[];
  /** Where the next one stands among everything that changes. */
  readonly nextPlace: () => number;
}

interface Placed {
  readonly item: ChangeItem;
  readonly place: number;
}

export class ChangeLog {
  readonly #nextPlace: () => number;
  /** Oldest first. */
  readonly #changes: Placed[];
  #unwritten: ChangeItem[] = [];
  #nextId: number;

  constructor({ lastId, earlier, nextPlace }: ChangeLogOptions) {
    this.#nextPlace = nextPlace;
    this.#nextId = lastId + 1;
    this.#changes = earlier(keptChanges)
      .toReversed()
      .map((item) => ({ item, place: 0 }));
  }

  add(change: Omit<ChangeItem, 'id'>): void {
    const item: ChangeItem = { id: this.#nextId, ...change };
    this.#nextId += 1;
    this.#changes.push({ item, place: this.#nextPlace() });
    if (this.#changes.length > keptChanges) this.#changes.shift();
    this.#unwritten.push(item);
  }

  /** What was not taken before, for the file. */
  take(): readonly ChangeItem[] {
    const taken = this.#unwritten;
    this.#unwritten = [];
    return taken;
  }

  /** The oldest of them first. */
  latest(count: number): readonly ChangeItem[] {
    return this.#changes.slice(-count).map(({ item }) => item);
  }

  /** Behind that place, the oldest first. */
  since(place: number): readonly ChangeItem[] {
    return this.#changes.filter((change) => change.place > place).map(({ item }) => item);
  }
}
