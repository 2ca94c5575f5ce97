/**
 * Loads the turns of the list: pages from the newest to older ones, and the newest page again on changes. Independent of React.
 *
 * 1. At most one request for older and one for newer turns at a time; responses for an earlier filter are discarded.
 * 2. With `hold`, new turns are only counted, so that no row moves under the pointer.
 */
import type { TurnItem, TurnPage } from '@holdfast/gateway/contract';
import type { Problem } from '../../data/problem.ts';
import { request } from '../../data/request.ts';
import { keyOf, mergeHead, mergeTail } from './turn-list.model.ts';

interface TurnsView {
  readonly turns: readonly TurnItem[];
  readonly loading: boolean;
  /** There are older turns. */
  readonly more: boolean;
  /** The number of new turns that are held back. */
  readonly held: number;
  readonly problem: Problem | undefined;
}

export interface TurnsFeed {
  readonly view: () => TurnsView;
  readonly subscribe: (listener: () => void) => () => void;
  readonly loadMore: () => void;
  /** Loads new turns. */
  readonly refresh: (hold: boolean) => void;
  readonly restart: () => void;
}

const pageSize = 200;
const headSize = 50;
/** How many pages without a match to skip in one go. */
const maxEmptyPages = 20;

export function createTurnsFeed(query: string): TurnsFeed {
  let shown: TurnsView = { turns: [], loading: true, more: false, held: 0, problem: undefined };
  let cursor: string | undefined;
  let own = new AbortController();
  let loading = false;
  let refreshing = false;
  let pendingHold: boolean | undefined;
  const listeners = new Set<() => void>();
  let known = new Set<string>();
  const update = (change: Partial<TurnsView>): void => {
    shown = { ...shown, ...change };
    for (const listener of listeners) listener();
  };
  const page = (limit: number, from: string | undefined): ReturnType<typeof request<TurnPage>> => {
    const parameters = new URLSearchParams(query);
    parameters.set('limit', String(limit));
    if (from !== undefined) parameters.set('cursor', from);
    return request<TurnPage>(`/v1/turns?${parameters}`, { signal: own.signal });
  };

  const load = async (first: boolean): Promise<void> => {
    if (loading) return;
    loading = true;
    const { signal } = own;
    update({ loading: true, problem: undefined });
    try {
      for (let pages = 0; pages < maxEmptyPages; pages += 1) {
        const answer = await page(pageSize, first && pages === 0 ? undefined : cursor);
        if (signal.aborted) return;
        if (answer.problem) return update({ problem: answer.problem, more: false });
        const { turns, next_cursor: next } = answer.data;
        cursor = next;
        const merged = mergeTail(shown.turns, turns, known);
        for (const turn of turns) known.add(keyOf(turn));
        update({ turns: merged, more: next !== undefined });
        if (next === undefined || turns.length > 0) return;
      }
    } catch {
      // Aborted: the filter has changed.
    } finally {
      if (!signal.aborted) {
        loading = false;
        update({ loading: false });
        runPendingRefresh();
      }
    }
  };

  const refresh = async (hold: boolean): Promise<void> => {
    if (loading || refreshing) {
      pendingHold = hold;
      return;
    }
    refreshing = true;
    const { signal } = own;
    try {
      const answer = await page(headSize, undefined);
      if (signal.aborted || answer.problem) return;
      const { turns, held, gap } = mergeHead(shown.turns, answer.data.turns, hold, known);
      if (!hold) for (const turn of answer.data.turns) known.add(keyOf(turn));
      if (gap && !hold) restart();
      else if (turns !== shown.turns || held !== shown.held) update({ turns, held });
    } catch {
      // Aborted.
    } finally {
      refreshing = false;
      if (!signal.aborted) runPendingRefresh();
    }
  };

  /** Runs the refresh that was requested during another request. */
  const runPendingRefresh = (): void => {
    if (pendingHold === undefined) return;
    const hold = pendingHold;
    pendingHold = undefined;
    void refresh(hold);
  };

  const restart = (): void => {
    own.abort();
    own = new AbortController();
    loading = false;
    cursor = undefined;
    known = new Set();
    shown = { ...shown, turns: [], held: 0 };
    void load(true);
  };

  return {
    view: () => shown,
    subscribe(listener) {
      if (listeners.size === 0 && shown.turns.length === 0) restart();
      listeners.add(listener);
      return () => {
        listeners.delete(listener);
        if (listeners.size === 0) {
          own.abort();
          loading = false;
        }
      };
    },
    loadMore: () => {
      if (shown.more && !loading) void load(false);
    },
    refresh: (hold) => void refresh(hold),
    restart,
  };
}
