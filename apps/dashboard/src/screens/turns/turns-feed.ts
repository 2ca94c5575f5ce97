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

const pageSize = 200;
const headSize = 50;
/** How many pages without a match to skip in one go. */
const maxEmptyPages = 20;

export class TurnsFeed {
  readonly #query: string;
  readonly #listeners = new Set<() => void>();
  #shown: TurnsView = { turns: [], loading: true, more: false, held: 0, problem: undefined };
  #known = new Set<string>();
  #cursor: string | undefined;
  #own = new AbortController();
  #loading = false;
  #refreshing = false;
  #pendingHold: boolean | undefined;

  constructor(query: string) {
    this.#query = query;
  }

  readonly view = (): TurnsView => this.#shown;

  readonly subscribe = (listener: () => void): (() => void) => {
    if (this.#listeners.size === 0 && this.#shown.turns.length === 0) this.restart();
    this.#listeners.add(listener);
    return () => {
      this.#listeners.delete(listener);
      if (this.#listeners.size > 0) return;
      this.#own.abort();
      this.#loading = false;
    };
  };

  readonly loadMore = (): void => {
    if (this.#shown.more && !this.#loading) void this.#load(false);
  };

  /** Loads new turns. */
  readonly refresh = (hold: boolean): void => void this.#loadNew(hold);

  readonly restart = (): void => {
    this.#own.abort();
    this.#own = new AbortController();
    this.#loading = false;
    this.#cursor = undefined;
    this.#known = new Set();
    this.#shown = { ...this.#shown, turns: [], held: 0 };
    void this.#load(true);
  };

  async #load(first: boolean): Promise<void> {
    if (this.#loading) return;
    this.#loading = true;
    const { signal } = this.#own;
    this.#update({ loading: true, problem: undefined });
    try {
      await this.#loadPages(first, signal);
    } catch {
      // Aborted: the filter has changed.
    } finally {
      if (!signal.aborted) {
        this.#loading = false;
        this.#update({ loading: false });
        this.#runPendingRefresh();
      }
    }
  }

  async #loadPages(first: boolean, signal: AbortSignal): Promise<void> {
    for (let pages = 0; pages < maxEmptyPages; pages += 1) {
      const answer = await this.#page(pageSize, first && pages === 0 ? undefined : this.#cursor);
      if (signal.aborted) return;
      if (answer.problem) return this.#update({ problem: answer.problem, more: false });
      const { turns, next_cursor: next } = answer.data;
      this.#cursor = next;
      const merged = mergeTail(this.#shown.turns, turns, this.#known);
      for (const turn of turns) this.#known.add(keyOf(turn));
      this.#update({ turns: merged, more: next !== undefined });
      if (next === undefined || turns.length > 0) return;
    }
  }

  async #loadNew(hold: boolean): Promise<void> {
    if (this.#loading || this.#refreshing) {
      this.#pendingHold = hold;
      return;
    }
    this.#refreshing = true;
    const { signal } = this.#own;
    try {
      const answer = await this.#page(headSize, undefined);
      if (signal.aborted || answer.problem) return;
      const { turns, held, gap } = mergeHead(this.#shown.turns, answer.data.turns, hold, this.#known);
      if (!hold) for (const turn of answer.data.turns) this.#known.add(keyOf(turn));
      if (gap && !hold) this.restart();
      else if (turns !== this.#shown.turns || held !== this.#shown.held) this.#update({ turns, held });
    } catch {
      // Aborted.
    } finally {
      this.#refreshing = false;
      if (!signal.aborted) this.#runPendingRefresh();
    }
  }

  /** Runs the refresh that was requested during another request. */
  #runPendingRefresh(): void {
    if (this.#pendingHold === undefined) return;
    const hold = this.#pendingHold;
    this.#pendingHold = undefined;
    void this.#loadNew(hold);
  }

  #page(limit: number, from: string | undefined): ReturnType<typeof request<TurnPage>> {
    const parameters = new URLSearchParams(this.#query);
    parameters.set('limit', String(limit));
    if (from !== undefined) parameters.set('cursor', from);
    return request<TurnPage>(`/v1/turns?${parameters}`, { signal: this.#own.signal });
  }

  #update(change: Partial<TurnsView>): void {
    this.#shown = { ...this.#shown, ...change };
    for (const listener of this.#listeners) listener();
  }
}
