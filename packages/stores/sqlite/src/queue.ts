/**
 * Owns the bounded queue between `append` and the file: push at the end, peek and drop at the front, each without moving the rest.
 */
import type { TraceEvent } from '@holdfast/core';

export interface Queue {
  readonly size: number;
  /** Counts every event that was pushed. */
  readonly accepted: number;
  /** Counts every event that was removed. */
  readonly removed: number;
  /** Returns false if the queue is full. */
  push(event: TraceEvent): boolean;
  peek(count: number): readonly TraceEvent[];
  drop(count: number): void;
  /** Removes every event of a turn. */
  forget(turnId: string): void;
}

export function createQueue(capacity: number): Queue {
  let events: TraceEvent[] = [];
  let head = 0;
  let removed = 0;
  return {
    get size() {
      return events.length - head;
    },
    get accepted() {
      return removed + events.length - head;
    },
    get removed() {
      return removed;
    },
    push(event) {
      if (events.length - head >= capacity) return false;
      events.push(event);
      return true;
    },
    peek: (count) => events.slice(head, head + count),
    drop(count) {
      head += count;
      removed += count;
      if (head === events.length) events = [];
      else if (head > 10_000 && head > events.length / 2) events = events.slice(head);
      else return;
      head = 0;
    },
    forget(turnId) {
      const kept = events.slice(head).filter((event) => event.turn_id !== turnId);
      removed += events.length - head - kept.length;
      events = kept;
      head = 0;
    },
  };
}
