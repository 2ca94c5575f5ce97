/** Owns the parts that the outboxes of the stores share: adding events to a bounded queue, and the circuits that wait to be written. */
import type { CircuitSnapshot } from '../../engine/breaker/types.ts';
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

/** The latest snapshot of each circuit that waits to be written. */
export class WaitingCircuits {
  #snapshots: ReadonlyMap<string, CircuitSnapshot> = new Map();

  /** The snapshots by tool; a new map after each change. */
  get snapshots(): ReadonlyMap<string, CircuitSnapshot> {
    return this.#snapshots;
  }

  /** Number of circuits. */
  get size(): number {
    return this.#snapshots.size;
  }

  /** Adds snapshots. Of two snapshots of one tool, the one saved last wins. */
  add(snapshots: ReadonlyMap<string, CircuitSnapshot>): void {
    const merged = new Map(this.#snapshots);
    for (const [toolName, snapshot] of snapshots) {
      const before = merged.get(toolName);
      if (before === undefined || snapshot.savedAtEpochMs >= before.savedAtEpochMs) merged.set(toolName, snapshot);
    }
    this.#snapshots = merged;
  }

  /** Removes what was written, unless others were added since: those are written again. */
  written(snapshots: ReadonlyMap<string, CircuitSnapshot>): void {
    if (this.#snapshots === snapshots) this.clear();
  }

  /** Removes all. */
  clear(): void {
    this.#snapshots = new Map();
  }
}
