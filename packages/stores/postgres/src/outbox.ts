/**
 * Owns what is to be written: the queue, the states (circuits, memory), and the current batch until it is known to be committed. Does not own when it is tried.
 *
 * 1. A batch keeps its number and its content until it is done, so that it can be tried again unchanged: its commit may have succeeded without an answer.
 * 2. A batch that the database refuses was not committed. It is halved into new batches until the event that cannot be stored is found.
 * 3. States never cost an event, and events no state: a refused batch with both is split into two.
 */
import type { TraceEvent } from '@holdfast/core';
import { createStateQueue, isEmpty, pushAll, type StateQueue, toStoredText } from '@holdfast/core/internal/store';
import { type Lost, Queue } from './queue.ts';
import type { Settings } from './settings.ts';
import type { Batch } from './write-batch.ts';

const noStates: Batch['states'] = { circuits: new Map(), memory: new Map() };

export class Outbox {
  readonly states: StateQueue = createStateQueue();
  readonly #settings: Settings;
  readonly #queue: Queue;
  #pending: Batch | undefined;
  #number = 0;
  #limit: number;
  #statesAlone = false;

  constructor(settings: Settings) {
    this.#settings = settings;
    this.#queue = new Queue(settings.maxBufferedEvents, settings.maxBufferedBytes);
    this.#limit = settings.batchSize;
  }

  get idle(): boolean {
    return this.#pending === undefined && this.#queue.waiting === 0 && this.states.idle;
  }

  /** Events that wait for a batch. */
  get waiting(): number {
    return this.#queue.waiting;
  }

  /** Whether there are events that are not yet prepared. */
  get unprepared(): boolean {
    return this.#queue.raw;
  }

  /** Everything that is not known to be written. */
  get size(): number {
    return this.#queue.size;
  }

  get bytes(): number {
    return this.#queue.bytes;
  }

  get hasRoom(): boolean {
    return this.#queue.size < this.#settings.maxBufferedEvents && this.#queue.bytes < this.#settings.maxBufferedBytes;
  }

  /** Count the events that were added, and those that were written, lost or forgotten. */
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

  /** Prepares up to `count` events and returns how many are lost. */
  prepare(count: number): Lost {
    return this.#queue.encode(count);
  }

  /** The current batch, or a new one. */
  next(): Batch {
    return this.#pending ?? this.#begin(this.#statesAlone ? [] : this.#queue.take(this.#limit), this.states.next());
  }

  done(batch: Batch): void {
    this.#pending = undefined;
    this.#queue.settle(batch.entries);
    if (!isEmpty(batch.states)) this.states.done();
    if (batch.entries.length === 0) this.#statesAlone = false;
    this.#limit = Math.min(this.#settings.batchSize, this.#limit * 2);
  }

  /** Returns how many events are given up. */
  giveUp({ entries, states }: Batch): number {
    this.#statesAlone = !isEmpty(states) && entries.length > 0;
    if (this.#statesAlone) {
      this.#begin(entries, noStates);
      return 0;
    }
    if (entries.length <= 1) {
      this.#queue.settle(entries);
      this.#pending = undefined;
      // Without an event, the states were refused.
      if (entries.length === 0) this.states.done();
      return entries.length;
    }
    this.#limit = Math.ceil(entries.length / 2);
    this.#queue.giveBack(entries);
    this.#begin(this.#queue.take(this.#limit), noStates);
    return 0;
  }

  /** Removes the pending events of a turn. */
  forget(turnId: string): void {
    const turnText = toStoredText(turnId);
    this.#queue.forget(turnId, turnText);
    if (this.#pending === undefined) return;
    const { entries } = this.#pending;
    this.#queue.settle(entries.filter((entry) => entry.turnId === turnText));
    // It keeps its number: if it was committed after all, the deletion removes those events too.
    this.#pending = { ...this.#pending, entries: entries.filter((entry) => entry.turnId !== turnText) };
  }

  clear(): void {
    this.#pending = undefined;
    this.#queue.clear();
  }

  #begin(entries: Batch['entries'], states: Batch['states']): Batch {
    this.#number += 1;
    this.#pending = { number: this.#number, entries, states };
    return this.#pending;
  }
}
