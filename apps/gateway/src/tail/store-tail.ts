/**
 * Owns following the events that other processes append to the store, such as workers that run turns. Does not own their use.
 *
 * Invariants
 * 1. Listeners get every event that is appended while there are listeners once, and the events of a turn in order.
 * 2. There is at most one query of the store at a time, and none without listeners.
 * 3. The store is polled often while events are expected, otherwise rarely.
 */
import type { TraceEvent } from '@holdfast/core';
import type { Store } from '@holdfast/core/store';

/** Gets events in the order in which they were appended. Its promise is awaited. */
type TailListener = (events: readonly TraceEvent[]) => void | Promise<void>;

export interface StoreTail {
  /** Returns a function that unsubscribes. */
  subscribe(listener: TailListener): () => void;
  /** Polls often until the returned function is called. */
  pollOften(): () => void;
  close(): Promise<void>;
}

export interface StoreTailOptions {
  readonly store: Pick<Store, 'readAppended'>;
  /** @default 100 */
  readonly eagerMs?: number | undefined;
  /** @default 1000 */
  readonly idleMs?: number | undefined;
  readonly onFault: (text: string) => void;
}

/** Maximum number at the same time. */
const maxEvents = 1_000;

export function createStoreTail({ store, eagerMs = 100, idleMs = 1_000, onFault }: StoreTailOptions): StoreTail {
  const listeners = new Set<TailListener>();
  const eager = new Set<symbol>();
  let cursor: string | undefined;
  let timer: NodeJS.Timeout | undefined;
  let polling: Promise<void> | undefined;
  let isClosed = false;

  const readNew = async (): Promise<void> => {
    for (let isMore = true; isMore && !isClosed && listeners.size > 0;) {
      const found = await store.readAppended?.(cursor, maxEvents);
      if (found === undefined) return;
      cursor = found.cursor;
      isMore = found.events.length >= maxEvents;
      if (found.events.length === 0) continue;
      for (const listener of listeners) await listener(found.events);
    }
  };
  const schedule = (): void => {
    clearTimeout(timer);
    if (isClosed || polling || listeners.size === 0) return;
    timer = setTimeout(poll, eager.size > 0 ? eagerMs : idleMs);
    timer.unref();
  };
  const poll = (): void => {
    polling ??= readNew()
      .catch((error: unknown) => onFault(`Events of other processes cannot be read from the store: ${String(error)}`))
      .finally(() => {
        polling = undefined;
        schedule();
      });
  };

  return {
    subscribe(listener) {
      listeners.add(listener);
      // Starts at the current end, regardless of earlier subscriptions.
      if (listeners.size === 1) cursor = undefined;
      poll();
      return () => {
        listeners.delete(listener);
        schedule();
      };
    },
    pollOften() {
      const key = Symbol('pollOften');
      eager.add(key);
      if (eager.size === 1) poll();
      return () => void eager.delete(key);
    },
    async close() {
      isClosed = true;
      clearTimeout(timer);
      await polling;
    },
  };
}
