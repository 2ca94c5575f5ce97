/**
 * Owns the events of one turn while it is followed: in order, each once. Readers keep their own position in `events`.
 *
 * Invariants
 * 1. `events` is sorted by `seq`, without repetition, and only grows.
 * 2. Once `ended`, nothing is added and every waiter has been woken.
 */
import type { TraceEvent } from '@holdfast/core';
import { turnEndOf } from '@holdfast/core/trace';
import type { TurnOutcome } from '../../contract.ts';

export class TurnLog {
  readonly turnId: string;
  readonly events: TraceEvent[] = [];
  #outcome: TurnOutcome | undefined;
  #ended = false;
  #received = 0;
  readonly #waiters = new Set<() => void>();
  readonly #onEnd: () => void;

  constructor(turnId: string, onEnd: () => void) {
    this.turnId = turnId;
    this.#onEnd = onEnd;
  }

  get ended(): boolean {
    return this.#ended;
  }

  get outcome(): TurnOutcome | undefined {
    return this.#outcome;
  }

  get lastSeq(): number {
    return this.events.at(-1)?.seq ?? 0;
  }

  /** The number of events that were received live. */
  get received(): number {
    return this.#received;
  }

  /** Adds a live event. */
  receive(event: TraceEvent): void {
    this.#received += 1;
    // The id is used again: followers of the previous run have seen all of it.
    if (event.seq === 1 && this.events.length > 0) this.end();
    else this.add([event]);
  }

  add(events: readonly TraceEvent[]): void {
    if (this.#ended) return;
    let added = false;
    for (const event of events) {
      if (event.seq <= this.lastSeq) continue;
      this.events.push(event);
      added = true;
      this.#outcome ??= turnEndOf(event)?.outcome;
    }
    if (this.#outcome !== undefined) this.end();
    else if (added) this.#wake();
  }

  /** Also ends the log of a turn that can never end because its process is gone. */
  end(): void {
    if (this.#ended) return;
    this.#ended = true;
    this.#wake();
    this.#onEnd();
  }

  /** Calls the listener once, when there are more events or the log has ended. Returns a function that stops waiting. */
  onChange(listener: () => void): () => void {
    this.#waiters.add(listener);
    return () => void this.#waiters.delete(listener);
  }

  /** Returns the index of the first event after `seq`. */
  placeAfter(seq: number): number {
    let [low, high] = [0, this.events.length];
    while (low < high) {
      const middle = (low + high) >> 1;
      if ((this.events[middle]?.seq ?? 0) > seq) high = middle;
      else low = middle + 1;
    }
    return low;
  }

  #wake(): void {
    const waiters = [...this.#waiters];
    this.#waiters.clear();
    for (const wake of waiters) {
      try {
        wake();
      } catch {
        // An error in one reader must not affect the others.
      }
    }
  }
}
