/**
 * Owns the events and states (circuits, memory) that wait to be written, and the next batch of them. Does not own when a batch is tried (`writer.ts`).
 *
 * 1. The queue never holds more than `maxBufferedEvents`; further events are refused.
 * 2. Nothing leaves it before its batch is done.
 */
import type { TraceEvent } from '@holdfast/core';
import { createStateQueue, pushAll, type StateQueue, type States } from '@holdfast/core/internal/store';
import { entryOf, type Entry } from './event-row.ts';
import { createQueue, type Queue } from './queue.ts';
import type { Settings } from './settings.ts';

/** Most characters in one transaction. */
const maxBatchSize = 4_000_000;

export interface WaitingBatch {
  readonly entries: readonly Entry[];
  readonly states: States;
  /** How many events it has, including those without an entry because they are not JSON data. */
  readonly count: number;
}

export class Outbox {
  readonly states: StateQueue = createStateQueue();
  readonly #queue: Queue;
  readonly #capacity: number;
  readonly #batchSize: number;

  constructor({ maxBufferedEvents, batchSize }: Settings) {
    this.#queue = createQueue(maxBufferedEvents);
    this.#capacity = maxBufferedEvents;
    this.#batchSize = batchSize;
  }

  get idle(): boolean {
    return this.#queue.size === 0 && this.states.idle;
  }

  /** Of events. */
  get size(): number {
    return this.#queue.size;
  }

  get hasRoom(): boolean {
    return this.#queue.size < this.#capacity;
  }

  /** Count the events that were added, and those that left. */
  get accepted(): number {
    return this.#queue.accepted;
  }

  get removed(): number {
    return this.#queue.removed;
  }

  /** Returns how many did not fit. */
  add(events: readonly TraceEvent[]): number {
    return pushAll(this.#queue, events);
  }

  next(): WaitingBatch {
    const entries: Entry[] = [];
    let count = 0;
    let length = 0;
    for (const event of this.#queue.peek(this.#batchSize)) {
      if (length > maxBatchSize) break;
      count += 1;
      const entry = entryOf(event);
      if (entry === undefined) continue;
      entries.push(entry);
      length += entry.body.length;
    }
    return { entries, states: this.states.next(), count };
  }

  done({ count }: WaitingBatch): void {
    this.#queue.drop(count);
    this.states.done();
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
