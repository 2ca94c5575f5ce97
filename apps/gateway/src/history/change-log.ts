/**
 * Owns the log of changes: the latest changes with their ids, and those that are not written yet.
 *
 * Invariant: ids increase by one, also across restarts.
 */
import type { ChangeItem } from '../contract.ts';

/** Number of changes that are kept in memory. */
const keptChanges = 200;

export interface ChangeLogOptions {
  /** Id of the last change that was written. */
  readonly lastId: number;
  /** Returns changes of earlier processes, newest first. */
  readonly earlier: (count: number) => readonly ChangeItem[];
  /** Returns the next position in the sequence of all changes. */
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

  /** Returns the changes that have not been taken yet, for writing. */
  take(): readonly ChangeItem[] {
    const taken = this.#unwritten;
    this.#unwritten = [];
    return taken;
  }

  /** Returns the latest changes, oldest first. */
  latest(count: number): readonly ChangeItem[] {
    return this.#changes.slice(-count).map(({ item }) => item);
  }

  /** Returns the changes after that position, oldest first. */
  since(place: number): readonly ChangeItem[] {
    return this.#changes.filter((change) => change.place > place).map(({ item }) => item);
  }
}
