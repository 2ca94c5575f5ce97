/** A hook that loads one path of the gateway. */
import { useCallback, useEffect, useSyncExternalStore } from 'react';
import type { Problem } from './problem.ts';
import { createQueryCache } from './query-cache.ts';
import { request } from './request.ts';

export interface Query<T> {
  /** The last data, also during a reload or after a problem. */
  readonly data?: T;
  readonly problem?: Problem;
  readonly loading: boolean;
  readonly loadedAt?: number;
  readonly reload: () => Promise<void>;
}

export interface QueryOptions {
  /** Reload interval while the page is visible. */
  readonly everyMs?: number;
  /** Reloads when this value changes, for example a live count. */
  readonly version?: string | number;
}

const cache = createQueryCache((path) => request(path), Date.now);

/** Without a path, nothing is loaded. */
export function useQuery<T>(path: string | undefined, { everyMs, version }: QueryOptions = {}): Query<T> {
  const key = path ?? '';
  const subscribe = useCallback((listener: () => void) => cache.subscribe(key, listener), [key]);
  const view = useSyncExternalStore(subscribe, () => cache.view(key));
  useEffect(() => {
    if (key !== '') void cache.load(key);
  }, [key, version]);
  useEffect(() => {
    if (key === '' || everyMs === undefined) return undefined;
    const refetch = (): void => {
      if (!document.hidden) void cache.load(key);
    };
    const timer = setInterval(refetch, everyMs);
    document.addEventListener('visibilitychange', refetch);
    return () => {
      clearInterval(timer);
      document.removeEventListener('visibilitychange', refetch);
    };
  }, [key, everyMs]);
  const reload = useCallback(() => cache.load(key), [key]);
  return { ...(view as Omit<Query<T>, 'reload'>), ...(path === undefined ? { loading: false } : {}), reload };
}
