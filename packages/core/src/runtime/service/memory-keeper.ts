/**
 * Owns how episodic memory outlives its process: it is restored from a store, and what it learns is added to the store. Does not own what it learns.
 *
 * Invariants
 * 1. A restore reads the stored entries, which are bounded, and nothing else. Only if the store has none, it reads the newest `RECENT_EVENTS` events.
 * 2. What was learned is added soon, but at most every `ADD_EVERY_MS`, and by `close`. What waits is added when a call ends, without a timer: so a process that is
 *    killed loses what it learned in such a period.
 * 3. An entry that is not valid is reported and left out.
 */
import { describeError } from '../../engine/classify/describe-error.ts';
import type { Store } from '../../engine/ports/store.ts';
import type { System } from '../../engine/ports/system.ts';
import { isMemoryEntry } from '../../engine/recover/memory-entry.ts';
import type { TraceEvent } from '../../engine/trace/events.ts';
import { type EpisodicMemory, memoryEvents } from '../../projections/episodic-memory.ts';
import { callSafely } from '../../engine/plain/call-safely.ts';
import type { HubFault } from './event-hub.ts';

/** For stores that were filled before they kept entries. */
const RECENT_EVENTS = 5_000;
/** Adding at each change would make all processes of a fleet wait for each other in the database while a tool is down. */
const ADD_EVERY_MS = 5_000;

export interface MemoryKeeper {
  readonly observe: (event: TraceEvent) => void;
  /** Rejects when the store does. */
  readonly restore: () => Promise<void>;
  /** Adds what was learned to the store. */
  readonly close: () => void;
}

export interface MemoryKeeperOptions {
  readonly memory: EpisodicMemory;
  readonly store: Store | undefined;
  readonly system: System;
  readonly report: (fault: HubFault) => void;
}

export function createMemoryKeeper({ memory, store, system, report }: MemoryKeeperOptions): MemoryKeeper {
  let nextAddAt = Number.NEGATIVE_INFINITY;

  const add = (): void => {
    nextAddAt = system.now() + ADD_EVERY_MS;
    const learned = memory.takeLearned(system.epochMs());
    if (learned.length === 0) return;
    callSafely(
      () => store?.addMemory(learned),
      (error) => report({ component: 'store', name: 'addMemory', error: describeError(error).message }),
    );
  };

  const observe = (event: TraceEvent): void => {
    memory.observe(event);
    if (!store || !memory.hasLearned || system.now() < nextAddAt) return;
    nextAddAt = Number.POSITIVE_INFINITY;
    system.defer(add);
  };

  const learnFromRecent = async (from: Store): Promise<void> => {
    let left = RECENT_EVENTS;
    for await (const events of from.readEvents({ eventTypes: memoryEvents, newest: RECENT_EVENTS })) {
      for (const event of events) memory.observe(event);
      left -= events.length;
      // A store may not know `newest`.
      if (left <= 0) break;
    }
    add();
  };

  return {
    observe,
    async restore() {
      if (!store) return;
      const stored = await store.loadMemory();
      const entries = stored.filter(isMemoryEntry);
      memory.restore(entries);
      const invalid = stored.length - entries.length;
      if (invalid > 0)
        report({
          component: 'memory',
          name: 'restore',
          error: `${invalid} of ${stored.length} stored entries are not valid; they are ignored.`,
        });
      if (stored.length === 0) await learnFromRecent(store);
    },
    close: add,
  };
}
