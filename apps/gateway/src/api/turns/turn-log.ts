/**
 * Owns the events of one turn while somebody follows it: in order, each once. Readers keep their own place in `events`.
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
  #heardAt = 0;
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

  /** How many events were heard as they happened. */
  get heard(): number {
    return this.#heardAt;
  }

  /** As it happens. */
  hear(event: TraceEvent): void {
    this.#heardAt += 1;
    // The id was used again: anyone who followed the run before has seen all of it.
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

  /** Also of a turn that can never end, since its process is gone. */
  end(): void {
    if (this.#ended) return;
    this.#ended = true;
    this.#wake();
    this.#onEnd();
  }

  /** Called once, when there is more, or the end. Answers the way to stop waiting. */
  onChange(listener: () => void): () => void {
    this.#waiters.add(listener);
    return () => void this.#waiters.delete(listener);
  }

  /** The place of the first event behind `seq`. */
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
        // One reader's trouble is none of the others'.
      }
    }
  }
}
