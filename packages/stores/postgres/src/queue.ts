/**
 * Owns the bounded queue between `append` and the database: events as they came, then as rows.
 *
 * 1. `push` does nothing but to keep the event; it becomes a row when there is time, or when it is wanted.
 * 2. Never more than `maxEvents` events and `maxBytes` bytes of rows. What comes beyond is refused or let go, and counted.
 * 3. What has to be written again after a failure is in the hands of the writer, not here, and counts to the bounds until it is `settled`.
 */
import type { TraceEvent } from '@holdfast/core';
import { entryOf, type Entry } from './entry.ts';

/** Bytes of one batch: a batch of huge events is cut. */
const longestBatch = 4_000_000;

export interface Lost {
  /** Not JSON data, or without a number. */
  readonly unkeepable: number;
  /** There is no room for their text. */
  readonly crowdedOut: number;
}

export interface Queue {
  /** Events that wait, those taken and not settled included. */
  readonly size: number;
  readonly bytes: number;
  /** Waiting, not taken. */
  readonly waiting: number;
  /** There are events that are no rows yet. */
  readonly raw: boolean;
  /** Counts every event that was pushed. */
  readonly accepted: number;
  /** Counts every event that was settled, lost or forgotten. */
  readonly removed: number;
  /** False when there is no room. */
  push(event: TraceEvent): boolean;
  /** Makes rows of up to `count` events; answers how many are lost thereby. */
  encode(count: number): Lost;
  take(count: number): readonly Entry[];
  /** What was taken comes first again. */
  giveBack(entries: readonly Entry[]): void;
  /** What was taken is no longer of interest. */
  settle(entries: readonly Entry[]): void;
  /** Takes away every event of a turn that was not taken. */
  forget(turnId: string, turnText: string): void;
  clear(): void;
}

export function createQueue(maxEvents: number, maxBytes: number): Queue {
  let events: TraceEvent[] = [];
  let firstEvent = 0;
  let rows: Entry[] = [];
  let firstRow = 0;
  let taken = 0;
  let bytes = 0;
  let accepted = 0;

  const pendingCount = (): number => rows.length - firstRow + events.length - firstEvent;

  const next = (): TraceEvent | undefined => {
    const event = events[firstEvent];
    firstEvent += 1;
    if (firstEvent >= events.length) events = [];
    else if (firstEvent > 10_000 && firstEvent > events.length / 2) events = events.slice(firstEvent);
    else return event;
    firstEvent = 0;
    return event;
  };

  return {
    get size() {
      return pendingCount() + taken;
    },
    get bytes() {
      return bytes;
    },
    get waiting() {
      return pendingCount();
    },
    get raw() {
      return events.length > firstEvent;
    },
    get accepted() {
      return accepted;
    },
    get removed() {
      return accepted - pendingCount() - taken;
    },
    push(event) {
      if (pendingCount() + taken >= maxEvents) return false;
      events.push(event);
      accepted += 1;
      return true;
    },
    encode(count) {
      let unkeepable = 0;
      let crowdedOut = 0;
      const now = Date.now();
      for (let n = 0; n < count && events.length > firstEvent; n += 1) {
        const event = next();
        const entry = event === undefined ? undefined : entryOf(event, now);
        if (entry === undefined) unkeepable += 1;
        else if (bytes > 0 && bytes + entry.bytes > maxBytes) crowdedOut += 1;
        else {
          rows.push(entry);
          bytes += entry.bytes;
        }
      }
      return { unkeepable, crowdedOut };
    },
    take(count) {
      let last = firstRow;
      for (let length = 0; last < rows.length && last - firstRow < count && length <= longestBatch; last += 1)
        length += rows[last]?.bytes ?? 0;
      const found = rows.slice(firstRow, last);
      firstRow = last;
      if (firstRow > 10_000 || firstRow === rows.length) {
        rows = rows.slice(firstRow);
        firstRow = 0;
      }
      taken += found.length;
      return found;
    },
    giveBack(entries) {
      rows = [...entries, ...rows.slice(firstRow)];
      firstRow = 0;
      taken -= entries.length;
    },
    settle(entries) {
      taken -= entries.length;
      for (const entry of entries) bytes -= entry.bytes;
    },
    forget(turnId, turnText) {
      events = events.slice(firstEvent).filter((event) => event.turn_id !== turnId);
      const kept = rows.slice(firstRow).filter((entry) => entry.turnId !== turnText);
      for (const entry of rows.slice(firstRow)) if (entry.turnId === turnText) bytes -= entry.bytes;
      rows = kept;
      firstEvent = firstRow = 0;
    },
    clear() {
      events = [];
      rows = [];
      firstEvent = firstRow = taken = bytes = 0;
    },
  };
}
