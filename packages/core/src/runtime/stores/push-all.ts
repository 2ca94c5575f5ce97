/** Owns adding events to the bounded queue of a store's outbox. */
import type { TraceEvent } from '../../engine/trace/events.ts';

/** A queue with a limit. */
export interface BoundedQueue {
  /** Returns false if the event does not fit. */
  push(event: TraceEvent): boolean;
}

/** Adds events to a queue. Returns how many did not fit. */
export function pushAll(queue: BoundedQueue, events: readonly TraceEvent[]): number {
  let refused = 0;
  for (const event of events) if (!queue.push(event)) refused += 1;
  return refused;
}
