/** Owns how screens keep their state in the address. */
import { useCallback, useMemo } from 'react';
import { navigate, usePathname, useSearch } from 'wouter/use-browser-location';
import { readState, type Shape, type StateOf, writeState } from './url-state.ts';

export interface ChangeOptions {
  /** A new entry in the history, for what "back" should undo, such as a selection. Filters replace. @default false */
  readonly push?: boolean;
}

/** `shape` must be the same object each time. */
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

/** A segment of the path, decoded: of `/turns/a%2Fb` the second is `a/b`. From 0. */
export function usePathSegment(index: number): string {
  const segment = usePathname().split('/')[index + 1] ?? '';
  try {
    return decodeURIComponent(segment);
  } catch {
    return segment;
  }
}
