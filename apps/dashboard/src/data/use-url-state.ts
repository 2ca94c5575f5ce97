/** A hook that keeps the state of a screen in the URL. */
import { useCallback, useMemo } from 'react';
import { navigate, usePathname, useSearch } from 'wouter/use-browser-location';
import { readState, type Shape, type StateOf, writeState } from './url-state.ts';

export interface ChangeOptions {
  /** Add a history entry, so that "back" undoes the change, for example a selection. Filters replace the entry. @default false */
  readonly push?: boolean;
}

/** `shape` must be a constant object. */
export function useUrlState<const S extends Shape>(
  shape: S,
): readonly [StateOf<S>, (change: Partial<StateOf<S>>, options?: ChangeOptions) => void] {
  const search = useSearch();
  const state = useMemo(() => readState(shape, search), [shape, search]);
  const change = useCallback(
    (change: Partial<StateOf<S>>, { push = false }: ChangeOptions = {}) =>
      navigate(`${location.pathname}${writeState(shape, location.search, change)}`, { replace: !push }),
    [shape],
  );
  return [state, change];
}

/** A decoded segment of the path, counted from 0: segment 1 of `/turns/a%2Fb` is `a/b`. */
export function usePathSegment(index: number): string {
  const segment = usePathname().split('/')[index + 1] ?? '';
  try {
    return decodeURIComponent(segment);
  } catch {
    return segment;
  }
}
