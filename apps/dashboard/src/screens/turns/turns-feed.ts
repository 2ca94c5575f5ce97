/**
 * Owns the turns that the list shows: pages by cursor from the newest down, and the newest again when something has happened. Knows nothing of React.
 *
 * 1. One request for older and one for newer turns at a time; an answer to another filter's question is thrown away.
 * 2. While it is held, new turns are only counted: nothing moves under the pointer.
 */
import type { TurnItem, TurnPage } from '@holdfast/gateway/contract';
import type { Problem } from '../../data/problem.ts';
import { request } from '../../data/request.ts';
import { keyOf, mergeHead, mergeTail } from './turn-list.model.ts';

interface TurnsView {
  readonly turns: readonly TurnItem[];
  readonly loading: boolean;
  /** There are older ones. */
  readonly more: boolean;
  /** New ones that are held back. */
  readonly held: number;
  readonly problem: Problem | undefined;
}

const pageSize = 200;
const headSize = 50;
/** Pages without a turn that fits are passed over, so many at once. */
const emptyPages = 20;

export class TurnsFeed {
  readonly #query: string;
  readonly #listeners = new Set<() => void>();
  #shown: TurnsView = { turns: [], loading: true, more: false, held: 0, problem: undefined };
  #known = new Set<string>();
  #cursor: string | undefined;
  #own = new AbortController();
  #loading = false;
  #refreshing = false;
  /** New ones were asked for while something else was on its way; whether they are to be held. */
  #again: boolean | undefined;

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

  /** Asks for new ones. */
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
      // Aborted: another question is asked.
    } finally {
      if (!signal.aborted) {
        this.#loading = false;
        this.#update({ loading: false });
        this.#continue();
      }
    }
  }

  async #loadPages(first: boolean, signal: AbortSignal): Promise<void> {
    for (let pages = 0; pages < emptyPages; pages += 1) {
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
      this.#again = hold;
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
      if (!signal.aborted) this.#continue();
    }
  }

  /** Asks for what was asked for while something else was on its way. */
  #continue(): void {
    if (this.#again === undefined) return;
    const hold = this.#again;
    this.#again = undefined;
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
