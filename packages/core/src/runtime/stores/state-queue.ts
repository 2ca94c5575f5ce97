/**
 * Owns what waits to be written besides events: circuits, and what episodic memory has learned. Does not own when it is written.
 *
 * 1. What `next` returned stays the same until `done`, so that it can be tried again and is added once.
 * 2. Bounded: what is added while it is being written waits, and is merged.
 */
import type { CircuitSnapshot } from '../../engine/breaker/types.ts';
import type { MemoryEntry } from '../../engine/recover/memory-entry.ts';
import { addMemory } from './add-memory.ts';

/** Circuits by the name of their tool, and entries of memory by their key. */
export interface States {
  /** The state of each tool's circuit, by the tool's name. */
  readonly circuits: ReadonlyMap<string, CircuitSnapshot>;
  /** What was learned, by the key of the entry. */
  readonly memory: ReadonlyMap<string, MemoryEntry>;
}

/** What waits to be written besides events. */
export interface StateQueue {
  /** Whether nothing waits, and nothing is being written. */
  readonly idle: boolean;
  /** The later of two snapshots of a tool wins. */
  addCircuits(snapshots: ReadonlyMap<string, CircuitSnapshot>): void;
  /** Adds entries to those of the same key that wait. */
  addMemory(learned: readonly MemoryEntry[]): void;
  /** Returns what is to be written now: the same until it is done. */
  next(): States;
  /** Removes what `next` returned: it is written, or can never be. */
  done(): void;
}

/** Whether there is nothing to write. */
export function isEmpty({ circuits, memory }: States): boolean {
  return circuits.size === 0 && memory.size === 0;
}

const none: States = { circuits: new Map(), memory: new Map() };

/** Creates an empty queue. */
export function createStateQueue(): StateQueue {
  let waiting = none;
  let current = none;
  return {
    get idle() {
      return isEmpty(waiting) && isEmpty(current);
    },
    addCircuits(snapshots) {
      waiting = { ...waiting, circuits: mergeCircuits(waiting.circuits, snapshots) };
    },
    addMemory(learned) {
      waiting = { ...waiting, memory: addMemory(waiting.memory, learned) };
    },
    next() {
      if (isEmpty(current)) [current, waiting] = [waiting, none];
      return current;
    },
    done() {
      current = none;
    },
  };
}

function mergeCircuits(
  waiting: ReadonlyMap<string, CircuitSnapshot>,
  snapshots: ReadonlyMap<string, CircuitSnapshot>,
): ReadonlyMap<string, CircuitSnapshot> {
  const merged = new Map(waiting);
  for (const [toolName, snapshot] of snapshots) {
    const before = merged.get(toolName);
    if (before === undefined || snapshot.savedAtEpochMs >= before.savedAtEpochMs) merged.set(toolName, snapshot);
  }
  return merged;
}
