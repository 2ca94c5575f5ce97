/**
 * Loads the events of one turn: recorded events in pages, then the stream while the turn runs. Independent of React.
 *
 * 1. Events are appended once and in order: it reconnects after the last `seq`.
 * 2. Listeners are called at most once per frame.
 * 3. No stream is open while the page is hidden.
 */
import type { CallResult, StoppedBetween, TraceEvent, TurnDetail, TurnState } from '@holdfast/gateway/contract';
import { createEventReader } from '../../data/event-stream.ts';
import type { Problem } from '../../data/problem.ts';
import { request } from '../../data/request.ts';
import { messagesOf, openStream, pauseMs } from '../../data/stream.ts';
import { createTurnEvents, type TurnEvents } from './turn-events.model.ts';
import { fields, interruptTurn, type TurnView } from '@holdfast/core/turn-view';

export interface TurnFeedView {
  readonly view: TurnView;
  readonly events: readonly TraceEvent[];
  readonly state: TurnState | undefined;
  readonly run: number | undefined;
  /** Of an interrupted turn: when its process stopped. */
  readonly stopped: StoppedBetween | undefined;
  /** The report's results by call, with outputs only if they were kept. */
  readonly results: ReadonlyMap<string, Partial<CallResult>>;
  /** Not all recorded events are loaded yet. */
  readonly loading: boolean;
  /** The stream is open. */
  readonly live: boolean;
  readonly problem: Problem | undefined;
}

/** A small first page loads fast. The gateway reads the whole turn for each page, so the others are as large as allowed. */
const firstPageSize = 1000;
const pageSize = 10_000;
const maxReconnectDelayMs = 8000;

export class TurnFeed {
  readonly #fold: TurnEvents = createTurnEvents();
  readonly #address: string;
  readonly #runQuery: string;
  readonly #listeners = new Set<() => void>();
  #shown: TurnFeedView;
  #own: AbortController | undefined;
  #frame: number | undefined;
  #timer: ReturnType<typeof setTimeout> | undefined;
  #failures = 0;

  constructor(turnId: string, run: number | undefined) {
    this.#address = `/v1/turns/${encodeURIComponent(turnId)}`;
    this.#runQuery = run === undefined ? '' : `&run=${run}`;
    this.#shown = {
      view: this.#fold.view(),
      events: [],
      state: undefined,
      run,
      stopped: undefined,
      results: new Map(),
      loading: true,
      live: false,
      problem: undefined,
    };
  }

  readonly view = (): TurnFeedView => this.#shown;

  readonly subscribe = (listener: () => void): (() => void) => {
    if (this.#listeners.size === 0) {
      document.addEventListener('visibilitychange', this.#onVisibilityChange);
      void this.#open();
    }
    this.#listeners.add(listener);
    return () => {
      this.#listeners.delete(listener);
      if (this.#listeners.size === 0) this.#stop();
    };
  };

  readonly retry = (): void => {
    this.#failures = 0;
    this.#update({ problem: undefined, loading: true });
    void this.#open();
  };

  readonly #onVisibilityChange = (): void => {
    if (document.hidden) {
      if (this.#shown.state === 'running') this.#close();
    } else if (this.#shown.state === 'running') void this.#open();
  };

  #stop(): void {
    document.removeEventListener('visibilitychange', this.#onVisibilityChange);
    if (this.#frame !== undefined) cancelAnimationFrame(this.#frame);
    this.#frame = undefined;
    this.#close();
  }

  #close(): void {
    clearTimeout(this.#timer);
    this.#own?.abort();
    this.#own = undefined;
  }

  /** Loads all pages, then follows the stream. A restart continues after the last event. */
  async #open(): Promise<void> {
    this.#close();
    if (document.hidden && this.#shown.state === 'running') return;
    const mine = new AbortController();
    this.#own = mine;
    const state = await this.#loadAll(mine.signal).catch(() => undefined);
    if (mine.signal.aborted || state === undefined) return;
    // The page is hidden: the visibility listener continues.
    if (state === 'running' && document.hidden) return;
    if (state === 'running') await this.#follow(mine).catch(() => undefined);
    if (mine.signal.aborted || this.#own !== mine || this.#shown.state !== 'running') return;
    this.#failures += 1;
    this.#timer = setTimeout(() => void this.#open(), pauseMs(400, this.#failures, maxReconnectDelayMs));
  }

  async #loadAll(signal: AbortSignal): Promise<TurnState | undefined> {
    for (;;) {
      const { lastSeq } = this.#fold;
      const query = `limit=${lastSeq === 0 ? firstPageSize : pageSize}&after=${lastSeq}${this.#runQuery}`;
      const answer = await request<TurnDetail>(`${this.#address}?${query}`, { signal });
      if (signal.aborted) return undefined;
      if (answer.problem) {
        this.#update({ problem: answer.problem, loading: false, live: false });
        return answer.problem.kind === 'gone' ? this.#shown.state : undefined;
      }
      const { events, next_after: next, state, run, stopped, report } = answer.data;
      this.#fold.append(events);
      const results = report === undefined ? this.#shown.results : resultsOf(report);
      this.#update({ state, run, stopped, results, loading: next !== undefined, problem: undefined });
      if (next === undefined || events.length === 0) return state;
    }
  }

  async #follow(mine: AbortController): Promise<void> {
    const response = await openStream(`${this.#address}/events?after=${this.#fold.lastSeq}${this.#runQuery}`, mine.signal);
    // The turn has ended in the meantime.
    if (response.status === 204) return void (await this.#loadAll(mine.signal));
    if (!response.ok || response.body === null) return;
    this.#update({ live: true });
    try {
      await this.#readAll(response.body, mine.signal);
    } finally {
      if (this.#own === mine) this.#update({ live: false });
    }
  }

  async #readAll(body: ReadableStream<Uint8Array>, signal: AbortSignal): Promise<void> {
    for await (const messages of messagesOf(body, createEventReader())) {
      if (signal.aborted) return;
      this.#failures = 0;
      for (const message of messages) {
        if (message.event === 'end') return void (await this.#loadAll(signal));
        const event = message.event === 'message' ? (fields.parseJsonOrUndefined(message.data) as TraceEvent | undefined) : undefined;
        if (event !== undefined && this.#fold.append([event])) this.#scheduleUpdate();
      }
    }
  }

  #scheduleUpdate(): void {
    this.#frame ??= requestAnimationFrame(() => {
      this.#frame = undefined;
      this.#update({});
    });
  }

  #update(change: Partial<TurnFeedView>): void {
    const shown = { ...this.#shown, ...change };
    const view = this.#fold.view();
    this.#shown = { ...shown, view: shown.state === 'interrupted' ? interruptTurn(view) : view, events: this.#fold.events() };
    for (const listener of this.#listeners) listener();
  }
}

const resultsOf = ({ results }: NonNullable<TurnDetail['report']>): ReadonlyMap<string, Partial<CallResult>> =>
  new Map(results.map((result) => [result.call_id, result as Partial<CallResult>]));
