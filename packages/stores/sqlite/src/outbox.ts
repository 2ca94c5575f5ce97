/**
 * Owns what waits to be written, events and circuits, and what of it is the next batch. Does not own when a batch is tried (`writer.ts`).
 *
 * 1. The queue never holds more than `maxBufferedEvents`; what comes then is refused.
 * 2. Nothing leaves it before its batch is done.
 */
import type { CircuitSnapshot, TraceEvent } from '@holdfast/core';
import { entryOf, type Entry } from './event-row.ts';
import { createQueue, type Queue } from './queue.ts';
import type { Settings } from './settings.ts';

/** Characters in one transaction: a batch of huge events is cut. */
const longestBatch = 4_000_000;

export interface WaitingBatch {
  readonly entries: readonly Entry[];
  readonly circuits: ReadonlyMap<string, CircuitSnapshot>;
  /** Of its events, with those that have no text and so no entry. */
  readonly count: number;
}

export class Outbox {
  readonly #queue: Queue;
  readonly #capacity: number;
  readonly #batchSize: number;
  #circuits: ReadonlyMap<string, CircuitSnapshot> = new Map();

  constructor({ maxBufferedEvents, batchSize }: Settings) {
    this.#queue = createQueue(maxBufferedEvents);
    this.#capacity = maxBufferedEvents;
    this.#batchSize = batchSize;
  }

  get idle(): boolean {
    return this.#queue.size === 0 && this.#circuits.size === 0;
  }

  /** Of events. */
  get size(): number {
    return this.#queue.size;
  }

  get hasRoom(): boolean {
    return this.#queue.size < this.#capacity;
  }

  get hasCircuits(): boolean {
    return this.#circuits.size > 0;
  }

  /** Grows with every event that is added, and with every one that leaves. */
  get accepted(): number {
    return this.#queue.accepted;
  }

  get removed(): number {
    return this.#queue.removed;
  }

  /** Returns how many there is no room for. */
  add(events: readonly TraceEvent[]): number {
    let refused = 0;
    for (const event of events) if (!this.#queue.push(event)) refused += 1;
    return refused;
  }

  addCircuits(snapshots: ReadonlyMap<string, CircuitSnapshot>): void {
    const merged = new Map(this.#circuits);
    for (const [toolId, snapshot] of snapshots) {
      const before = merged.get(toolId);
      if (before === undefined || snapshot.savedAtEpochMs >= before.savedAtEpochMs) merged.set(toolId, snapshot);
    }
    this.#circuits = merged;
  }

  next(): WaitingBatch {
    const entries: Entry[] = [];
    let count = 0;
    let length = 0;
    for (const event of this.#queue.peek(this.#batchSize)) {
      if (length > longestBatch) break;
      count += 1;
      const entry = entryOf(event);
      if (entry === undefined) continue;
      entries.push(entry);
      length += entry.body.length;
    }
    return { entries, circuits: this.#circuits, count };
  }

  done({ count, circuits }: WaitingBatch): void {
    this.#queue.drop(count);
    // Others may have come meanwhile.
    if (this.#circuits === circuits) this.#circuits = new Map();
  }

  forget(turnId: string): void {
    this.#queue.forget(turnId);
  }

  /** Returns how many events are given up. */
  clear(): number {
    const { size } = this.#queue;
    this.#queue.drop(size);
    return size;
  }
}
