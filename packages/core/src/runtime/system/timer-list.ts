/**
 * Owns pending timers: a heap over one platform alarm, so that a timer per call costs next to nothing. Pure except for the given alarm.
 *
 * Invariants
 * 1. A timer never fires before its time by the monotonic clock, even when the platform's alarm is early.
 * 2. Timers due at the same time fire in the order in which they were set.
 * 3. When only background timers are pending, the alarm does not keep the process alive.
 */
import { addToHeap, removeFromHeap } from '../../engine/plain/indexed-heap.ts';
import type { TimerHandle } from '../../engine/ports/system.ts';

/** The platform's timer that wakes the list. */
export interface Alarm {
  /** Replaces an earlier setting. Fractions of a millisecond must be rounded up where the platform does not support them. */
  setFor(delayMs: number): void;
  /** Whether the process may end while the alarm is set. */
  setIdle(idle: boolean): void;
}

/** The part of a timer that clearing it needs. */
export interface Entry extends TimerHandle {
  /** Position in the heap, -1 when it is not in it. */
  readonly index: number;
  cleared: boolean;
}

interface PendingTimer extends Entry {
  readonly order: number;
  readonly fire: () => void;
  readonly background: boolean;
  index: number;
}

export interface TimerList {
  set(delayMs: number, fire: () => void, background?: boolean, from?: number): TimerHandle;
  clear(handle: TimerHandle): void;
  /** Called by the alarm. */
  ring(): void;
  readonly size: number;
}

/** `setTimeout` uses 1 ms for larger delays. */
const MAX_ALARM_MS = 2 ** 31 - 1;

function isBefore(one: PendingTimer, other: PendingTimer): boolean {
  return one.dueAt < other.dueAt || (one.dueAt === other.dueAt && one.order < other.order);
}

export function createTimerList(now: () => number, alarm: Alarm): TimerList {
  const heap: PendingTimer[] = [];
  let order = 0;
  let foreground = 0;
  let alarmAt = Number.POSITIVE_INFINITY;

  const remove = (timer: PendingTimer): void => {
    removeFromHeap(heap, timer, isBefore);
    if (!timer.background) foreground -= 1;
  };
  const arm = (): void => {
    const [next] = heap;
    if (!next || alarmAt <= next.dueAt) return;
    const time = now();
    const delay = Math.min(Math.max(next.dueAt - time, 0), MAX_ALARM_MS);
    alarmAt = time + delay;
    alarm.setFor(delay);
  };

  return {
    set(delayMs, fire, background = false, from = now()) {
      const entry: PendingTimer = {
        dueAt: from + (delayMs > 0 ? delayMs : 0),
        order: order++,
        fire,
        background,
        index: -1,
        cleared: false,
      };
      if (!background && foreground++ === 0) alarm.setIdle(false);
      addToHeap(heap, entry, isBefore);
      arm();
      return entry;
    },
    clear(handle) {
      const entry = handle as Entry;
      entry.cleared = true;
      const set = heap[entry.index];
      if (!set || set !== entry) return;
      remove(set);
      if (foreground === 0 && !set.background) alarm.setIdle(true);
    },
    ring() {
      alarmAt = Number.POSITIVE_INFINITY;
      const time = now();
      // Timers set while others fire wait for the next alarm, however short: a chain of them must not block the event loop.
      const due: PendingTimer[] = [];
      for (let next = heap[0]; next && next.dueAt <= time; next = heap[0]) {
        remove(next);
        due.push(next);
      }
      if (foreground === 0) alarm.setIdle(true);
      try {
        fireAll(due);
      } finally {
        arm();
      }
    },
    get size() {
      return heap.length;
    },
  };
}

/** A callback that throws does not prevent the others from firing. */
function fireAll(due: readonly PendingTimer[]): void {
  let failure: { readonly error: unknown } | undefined;
  for (const entry of due) {
    if (entry.cleared) continue;
    try {
      entry.fire();
    } catch (error) {
      failure ??= { error };
    }
  }
  if (failure) throw failure.error;
}
