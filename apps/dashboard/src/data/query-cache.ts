/**
 * Caches responses, so that navigating back and forth needs no waiting. The request function is passed in.
 *
 * 1. One request per path at a time, regardless of the number of subscribers.
 * 2. The last data stays visible during a reload; a problem is added to it.
 * 3. A late response to an older request changes nothing.
 */
import type { Problem } from './problem.ts';
import type { Answer } from './request.ts';

interface QueryView {
  readonly data?: unknown;
  readonly problem?: Problem;
  readonly loading: boolean;
  /** Milliseconds since 1970. */
  readonly loadedAt?: number;
}

export type Ask = (path: string) => Promise<Answer<unknown>>;

export interface QueryCache {
  readonly view: (path: string) => QueryView;
  readonly subscribe: (path: string, listener: () => void) => () => void;
  /** Reloads the path, unless a request is already running. */
  readonly load: (path: string) => Promise<void>;
}

const initialView: QueryView = { loading: true };
const maxEntries = 100;

export function createQueryCache(ask: Ask, now: () => number): QueryCache {
  const views = new Map<string, QueryView>();
  const running = new Map<string, Promise<void>>();
  const listeners = new Map<string, Set<() => void>>();

  const notify = (path: string, view: QueryView): void => {
    views.delete(path);
    views.set(path, view);
    evictOldest();
    for (const listener of listeners.get(path) ?? []) listener();
  };

  /** Evicts the oldest entries without subscribers. */
  const evictOldest = (): void => {
    for (const path of views.keys()) {
      if (views.size <= maxEntries) return;
      if ((listeners.get(path)?.size ?? 0) === 0) views.delete(path);
    }
  };

  const run = async (path: string): Promise<void> => {
    const { loading: _, ...before } = views.get(path) ?? initialView;
    notify(path, { ...before, loading: true });
    const { data, problem } = await ask(path);
    const { problem: _old, ...last } = before;
    notify(path, problem === undefined ? { data, loading: false, loadedAt: now() } : { ...last, problem, loading: false });
  };

  return {
    view: (path) => views.get(path) ?? initialView,
    subscribe: (path, listener) => {
      const known = listeners.get(path) ?? new Set();
      listeners.set(path, known.add(listener));
      return () => {
        known.delete(listener);
        if (known.size === 0 && listeners.get(path) === known) listeners.delete(path);
      };
    },
    load: (path) => {
      const before = running.get(path);
      if (before !== undefined) return before;
      const loading = run(path).finally(() => running.delete(path));
      running.set(path, loading);
      return loading;
    },
  };
}
