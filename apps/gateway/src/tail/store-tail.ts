/**
 * Owns following what other processes append to the store, such as workers that run turns. Does not own what is made of it.
 *
 * Invariants
 * 1. Every event that is appended while somebody listens is heard once, those of one turn in their order.
 * 2. One question at a time is asked of the store, and none while nobody listens.
 * 3. While somebody waits for events it is asked often, otherwise now and then.
 */
import type { TraceEvent } from '@holdfast/core';
import type { Store } from '@holdfast/core/store';

/** Events in the order they were appended; what it does is waited for. */
type TailListener = (events: readonly TraceEvent[]) => void | Promise<void>;

export interface StoreTail {
  /** Returns a function that unsubscribes. */
  subscribe(listener: TailListener): () => void;
  /** Asks often until the answer is called. */
  hurry(): () => void;
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
const mostEvents = 1_000;

export function createStoreTail({ store, eagerMs = 100, idleMs = 1_000, onFault }: StoreTailOptions): StoreTail {
  const listeners = new Set<TailListener>();
  const hurried = new Set<symbol>();
  let cursor: string | undefined;
  let timer: NodeJS.Timeout | undefined;
  let asking: Promise<void> | undefined;
  let isClosed = false;

  const ask = async (): Promise<void> => {
    for (let isMore = true; isMore && !isClosed && listeners.size > 0;) {
      const found = await store.readAppended?.(cursor, mostEvents);
      if (found === undefined) return;
      cursor = found.cursor;
      isMore = found.events.length >= mostEvents;
      if (found.events.length === 0) continue;
      for (const listener of listeners) await listener(found.events);
    }
  };
  const plan = (): void => {
    clearTimeout(timer);
    if (isClosed || asking || listeners.size === 0) return;
    timer = setTimeout(look, hurried.size > 0 ? eagerMs : idleMs);
    timer.unref();
  };
  const look = (): void => {
    asking ??= ask()
      .catch((error: unknown) => onFault(`What others append to the store cannot be followed: ${String(error)}`))
      .finally(() => {
        asking = undefined;
        plan();
      });
  };

  return {
    subscribe(listener) {
      listeners.add(listener);
      // From now on, whatever was asked before.
      if (listeners.size === 1) cursor = undefined;
      look();
      return () => {
        listeners.delete(listener);
        plan();
      };
    },
    hurry() {
      const key = Symbol('hurry');
      hurried.add(key);
      if (hurried.size === 1) look();
      return () => void hurried.delete(key);
    },
    async close() {
      isClosed = true;
      clearTimeout(timer);
      await asking;
    },
  };
}
