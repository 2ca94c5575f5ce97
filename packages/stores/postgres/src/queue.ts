/**
 * Owns the bounded queue between `append` and the database: events as they arrived, then as rows.
 *
 * 1. `push` only stores the event; it becomes a row when there is time, or when it is needed.
 * 2. Never more than `maxEvents` events and `maxBytes` bytes of rows. Further ones are refused or dropped, and counted.
 * 3. Rows that were taken count towards the limits until they are settled; the writer keeps them for a retry.
 */
import type { TraceEvent } from '@holdfast/core';
import { entryOf, type Entry } from './entry.ts';

/** Most bytes of one batch. */
const maxBatchSize = 4_000_000;

export interface Lost {
  /** Events that are not JSON data, or whose `seq` cannot be stored. */
  readonly unkeepable: number;
  /** Events whose text did not fit. */
  readonly crowdedOut: number;
}

export class Queue {
  readonly #maxEvents: number;
  readonly #maxBytes: number;
  #events: TraceEvent[] = [];
  #firstEvent = 0;
  #rows: Entry[] = [];
  #firstRow = 0;
  #taken = 0;
  #bytes = 0;
  #accepted = 0;

  constructor(maxEvents: number, maxBytes: number) {
    this.#maxEvents = maxEvents;
    this.#maxBytes = maxBytes;
  }

  /** Events that wait, including those taken and not settled. */
  get size(): number {
    return this.waiting + this.#taken;
  }

  get bytes(): number {
    return this.#bytes;
  }

  /** Waiting, not taken. */
  get waiting(): number {
    return this.#rows.length - this.#firstRow + this.#events.length - this.#firstEvent;
  }

  /** Whether there are events that are not rows yet. */
  get raw(): boolean {
    return this.#events.length > this.#firstEvent;
  }

  /** Counts every event that was pushed. */
  get accepted(): number {
    return this.#accepted;
  }

  /** Counts every event that was settled, lost or forgotten. */
  get removed(): number {
    return this.#accepted - this.size;
  }

  /** Returns false if the queue is full. */
  push(event: TraceEvent): boolean {
    if (this.size >= this.#maxEvents) return false;
    this.#events.push(event);
    this.#accepted += 1;
    return true;
  }

  /** Makes rows of up to `count` events and returns how many are lost. */
  encode(count: number): Lost {
    let unkeepable = 0;
    let crowdedOut = 0;
    const now = Date.now();
    for (let n = 0; n < count && this.raw; n += 1) {
      const event = this.#nextEvent();
      const entry = event === undefined ? undefined : entryOf(event, now);
      if (entry === undefined) unkeepable += 1;
      else if (this.#bytes > 0 && this.#bytes + entry.bytes > this.#maxBytes) crowdedOut += 1;
      else {
        this.#rows.push(entry);
        this.#bytes += entry.bytes;
      }
    }
    return { unkeepable, crowdedOut };
  }

  take(count: number): readonly Entry[] {
    let last = this.#firstRow;
    for (let length = 0; last < this.#rows.length && last - this.#firstRow < count && length <= maxBatchSize; last += 1)
      length += this.#rows[last]?.bytes ?? 0;
    const found = this.#rows.slice(this.#firstRow, last);
    this.#firstRow = last;
    if (this.#firstRow > 10_000 || this.#firstRow === this.#rows.length) {
      this.#rows = this.#rows.slice(this.#firstRow);
      this.#firstRow = 0;
    }
    this.#taken += found.length;
    return found;
  }

  /** Puts taken rows back at the front. */
  giveBack(entries: readonly Entry[]): void {
    this.#rows = [...entries, ...this.#rows.slice(this.#firstRow)];
    this.#firstRow = 0;
    this.#taken -= entries.length;
  }

  /** Drops taken rows: they are written or given up. */
  settle(entries: readonly Entry[]): void {
    this.#taken -= entries.length;
    for (const entry of entries) this.#bytes -= entry.bytes;
  }

  /** Removes the events of a turn that were not taken. */
  forget(turnId: string, turnText: string): void {
    this.#events = this.#events.slice(this.#firstEvent).filter((event) => event.turn_id !== turnId);
    const rows = this.#rows.slice(this.#firstRow);
    for (const entry of rows) if (entry.turnId === turnText) this.#bytes -= entry.bytes;
    this.#rows = rows.filter((entry) => entry.turnId !== turnText);
    this.#firstEvent = this.#firstRow = 0;
  }

  clear(): void {
    this.#events = [];
    this.#rows = [];
    this.#firstEvent = this.#firstRow = this.#taken = this.#bytes = 0;
  }

  #nextEvent(): TraceEvent | undefined {
    const event = this.#events[this.#firstEvent];
    this.#firstEvent += 1;
    if (this.#firstEvent >= this.#events.length) this.#events = [];
    else if (this.#firstEvent > 10_000 && this.#firstEvent > this.#events.length / 2) this.#events = this.#events.slice(this.#firstEvent);
    else return event;
    this.#firstEvent = 0;
    return event;
  }
}
