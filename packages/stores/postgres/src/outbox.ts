/**
 * Owns what is to be written: the queue, the circuits, and the batch that is under way until it is known to be committed. Does not own when it is tried.
 *
 * 1. A batch keeps its number and its content until it is done, so that it can be tried again as it was: its commit may have come about unheard of.
 * 2. What the database refuses was not committed, so its parts are new batches: halved until the event is found that cannot be kept.
 * 3. Circuits never cost an event, and events no circuit: where a batch with both is refused they go apart.
 */
import type { CircuitSnapshot, TraceEvent } from '@holdfast/core';
import { toStoredText } from '@holdfast/core/internal/store';
import { type Lost, Queue } from './queue.ts';
import type { Settings } from './settings.ts';
import type { Batch } from './write-batch.ts';

export class Outbox {
  readonly #settings: Settings;
  readonly #queue: Queue;
  #circuits: ReadonlyMap<string, CircuitSnapshot> = new Map();
  #pending: Batch | undefined;
  #number = 0;
  #limit: number;
  #circuitsAlone = false;

  constructor(settings: Settings) {
    this.#settings = settings;
    this.#queue = new Queue(settings.maxBufferedEvents, settings.maxBufferedBytes);
    this.#limit = settings.batchSize;
  }

  get idle(): boolean {
    return this.#pending === undefined && this.#queue.waiting === 0 && this.#circuits.size === 0;
  }

  /** Events that wait for a batch. */
  get waiting(): number {
    return this.#queue.waiting;
  }

  /** There are events that are not yet prepared to be written. */
  get unprepared(): boolean {
    return this.#queue.raw;
  }

  /** All that is not known to be written. */
  get size(): number {
    return this.#queue.size;
  }

  get bytes(): number {
    return this.#queue.bytes;
  }

  get hasRoom(): boolean {
    return this.#queue.size < this.#settings.maxBufferedEvents && this.#queue.bytes < this.#settings.maxBufferedBytes;
  }

  get hasCircuits(): boolean {
    return this.#circuits.size > 0;
  }

  /** Grows with every event that is taken in, and with every one that is done with. */
  get accepted(): number {
    return this.#queue.accepted;
  }

  get removed(): number {
    return this.#queue.removed;
  }

  /** Answers how many there is no room for. */
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

  /** Prepares up to `count` events; answers how many are lost. */
  prepare(count: number): Lost {
    return this.#queue.encode(count);
  }

  /** The batch under way, or a new one. */
  next(): Batch {
    return this.#pending ?? this.#begin(this.#circuitsAlone ? [] : this.#queue.take(this.#limit), this.#circuits);
  }

  done(batch: Batch): void {
    this.#pending = undefined;
    this.#queue.settle(batch.entries);
    if (this.#circuits === batch.circuits) this.#circuits = new Map();
    if (batch.entries.length === 0) this.#circuitsAlone = false;
    this.#limit = Math.min(this.#settings.batchSize, this.#limit * 2);
  }

  /** Answers how many events are given up. */
  refused({ entries, circuits }: Batch): number {
    this.#circuitsAlone = circuits.size > 0 && entries.length > 0;
    if (this.#circuitsAlone) {
      this.#begin(entries, new Map());
      return 0;
    }
    if (entries.length <= 1) {
      this.#queue.settle(entries);
      this.#pending = undefined;
      // With no event in it, it was the circuits.
      if (entries.length === 0) this.#circuits = new Map();
      return entries.length;
    }
    this.#limit = Math.ceil(entries.length / 2);
    this.#queue.giveBack(entries);
    this.#begin(this.#queue.take(this.#limit), new Map());
    return 0;
  }

  /** Takes out what waits of a turn. */
  forget(turnId: string): void {
    const turnText = toStoredText(turnId);
    this.#queue.forget(turnId, turnText);
    if (this.#pending === undefined) return;
    const { entries } = this.#pending;
    this.#queue.settle(entries.filter((entry) => entry.turnId === turnText));
    // Under the same number: if it was committed after all, the deletion takes those events too.
    this.#pending = { ...this.#pending, entries: entries.filter((entry) => entry.turnId !== turnText) };
  }

  clear(): void {
    this.#pending = undefined;
    this.#queue.clear();
  }

  #begin(entries: Batch['entries'], circuits: Batch['circuits']): Batch {
    this.#number += 1;
    this.#pending = { number: this.#number, entries, circuits };
    return this.#pending;
  }
}
