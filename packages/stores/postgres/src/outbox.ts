/**
 * Owns what is to be written: the queue, the circuits, and the batch that is under way until it is known to be committed. Does not own when it is tried.
 *
 * 1. A batch keeps its number and its content until it is done, so that it can be tried again as it was: its commit may have come about unheard of.
 * 2. What the database refuses was not committed, so its parts are new batches: halved until the event is found that cannot be kept.
 * 3. Circuits never cost an event, and events no circuit: where a batch with both is refused they go apart.
 */
import type { CircuitSnapshot, TraceEvent } from '@holdfast/core';
import { toStoredText } from '@holdfast/core/internal/store';
import { createQueue, type Lost } from './queue.ts';
import type { Settings } from './settings.ts';
import type { Batch } from './write-batch.ts';

export interface Outbox {
  readonly idle: boolean;
  /** Events that wait for a batch. */
  readonly waiting: number;
  /** There are events that are not yet prepared to be written. */
  readonly unprepared: boolean;
  /** All that is not known to be written. */
  readonly size: number;
  readonly bytes: number;
  readonly hasRoom: boolean;
  readonly hasCircuits: boolean;
  /** Grows with every event that is taken in, and with every one that is done with. */
  readonly accepted: number;
  readonly removed: number;
  /** Answers how many there is no room for. */
  add(events: readonly TraceEvent[]): number;
  addCircuits(snapshots: ReadonlyMap<string, CircuitSnapshot>): void;
  /** Prepares up to `count` events; answers how many are lost thereby. */
  prepare(count: number): Lost;
  /** The batch under way, or a new one. */
  next(): Batch;
  done(batch: Batch): void;
  /** Answers how many events are given up. */
  refused(batch: Batch): number;
  /** Takes out what waits of a turn. */
  forget(turnId: string): void;
  clear(): void;
}

export function createOutbox({ maxBufferedEvents, maxBufferedBytes, batchSize }: Settings): Outbox {
  const queue = createQueue(maxBufferedEvents, maxBufferedBytes);
  let circuits: ReadonlyMap<string, CircuitSnapshot> = new Map();
  let pending: Batch | undefined;
  let number = 0;
  let limit = batchSize;
  let circuitsAlone = false;

  const begin = (entries: Batch['entries'], with_: Batch['circuits']): Batch => {
    number += 1;
    pending = { number, entries, circuits: with_ };
    return pending;
  };

  return {
    get idle() {
      return pending === undefined && queue.waiting === 0 && circuits.size === 0;
    },
    get waiting() {
      return queue.waiting;
    },
    get unprepared() {
      return queue.raw;
    },
    get size() {
      return queue.size;
    },
    get bytes() {
      return queue.bytes;
    },
    get hasRoom() {
      return queue.size < maxBufferedEvents && queue.bytes < maxBufferedBytes;
    },
    get hasCircuits() {
      return circuits.size > 0;
    },
    get accepted() {
      return queue.accepted;
    },
    get removed() {
      return queue.removed;
    },
    add(events) {
      let refused = 0;
      for (const event of events) if (!queue.push(event)) refused += 1;
      return refused;
    },
    addCircuits(snapshots) {
      const merged = new Map(circuits);
      for (const [toolId, snapshot] of snapshots) {
        const before = merged.get(toolId);
        if (before === undefined || snapshot.savedAtEpochMs >= before.savedAtEpochMs) merged.set(toolId, snapshot);
      }
      circuits = merged;
    },
    prepare: (count) => queue.encode(count),
    next: () => pending ?? begin(circuitsAlone ? [] : queue.take(limit), circuits),
    done(batch) {
      pending = undefined;
      queue.settle(batch.entries);
      if (circuits === batch.circuits) circuits = new Map();
      if (batch.entries.length === 0) circuitsAlone = false;
      limit = Math.min(batchSize, limit * 2);
    },
    refused({ entries, circuits: refused }) {
      circuitsAlone = refused.size > 0 && entries.length > 0;
      if (circuitsAlone) {
        begin(entries, new Map());
        return 0;
      }
      if (entries.length <= 1) {
        queue.settle(entries);
        pending = undefined;
        // With no event in it, it was the circuits.
        if (entries.length === 0) circuits = new Map();
        return entries.length;
      }
      limit = Math.ceil(entries.length / 2);
      queue.giveBack(entries);
      begin(queue.take(limit), new Map());
      return 0;
    },
    forget(turnId) {
      const turnText = toStoredText(turnId);
      queue.forget(turnId, turnText);
      if (pending === undefined) return;
      const { entries } = pending;
      queue.settle(entries.filter((entry) => entry.turnId === turnText));
      // Under the same number: if it was committed after all, the deletion takes those events too.
      pending = { ...pending, entries: entries.filter((entry) => entry.turnId !== turnText) };
    },
    clear() {
      pending = undefined;
      queue.clear();
    },
  };
}
