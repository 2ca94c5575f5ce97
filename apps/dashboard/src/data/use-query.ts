/** Owns how a screen reads one address of the gateway. */
import { useCallback, useEffect, useSyncExternalStore } from 'react';
import type { Problem } from './problem.ts';
import { queryCache } from './query-cache.ts';
import { request } from './request.ts';

export interface Query<T> {
  /** The last answer, also while it is asked again or after a problem. */
  readonly data?: T;
  readonly problem?: Problem;
  readonly loading: boolean;
  readonly loadedAt?: number;
  readonly reload: () => Promise<void>;
}

export interface QueryOptions {
  /** Asks again in this rhythm while the page is seen. */
  readonly everyMs?: number;
  /** Asks again when this becomes another value, such as a live count. */
  readonly version?: string | number;
}

const cache = queryCache((path) => request(path), Date.now);

/** No path: nothing is asked. */
export function useQuery<T>(path: string | undefined, { everyMs, version }: QueryOptions = {}): Query<T> {
  const asked = path ?? '';
  const subscribe = useCallback((listener: () => void) => cache.subscribe(asked, listener), [asked]);
  const view = useSyncExternalStore(subscribe, () => cache.view(asked));
  useEffect(() => {
    if (asked !== '') void cache.load(asked);
  }, [asked, version]);
  useEffect(() => {
    if (asked === '' || everyMs === undefined) return undefined;
    const refetch = (): void => {
      if (!document.hidden) void cache.load(asked);
    };
    const timer = setInterval(refetch, everyMs);
    document.addEventListener('visibilitychange', refetch);
    return () => {
      clearInterval(timer);
      document.removeEventListener('visibilitychange', refetch);
    };
  }, [asked, everyMs]);
  const reload = useCallback(() => cache.load(asked), [asked]);
  return { ...(view as Omit<Query<T>, 'reload'>), ...(path === undefined ? { loading: false } : {}), reload };
}
