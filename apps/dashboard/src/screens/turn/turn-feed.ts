/**
 * Loads the events of one turn: recorded events in pages, then the stream while the turn runs. Independent of React.
 *
 * 1. Events are appended once and in order: it reconnects after the last `seq`.
 * 2. Listeners are called at most once per frame.
 * 3. No stream is open while the page is hidden.
 */
import type { CallResult, TraceEvent, TurnDetail, TurnState } from '@holdfast/gateway/contract';
import { createEventReader } from '../../data/event-stream.ts';
import type { Problem } from '../../data/problem.ts';
import { request } from '../../data/request.ts';
import { messagesOf, openStream, pauseMs } from '../../data/stream.ts';
import { createTurnEvents, type TurnEvents } from './turn-events.model.ts';
import type { TurnView } from '@holdfast/core/turn-view';

export interface TurnFeedView {
  readonly view: TurnView;
  readonly events: readonly TraceEvent[];
  readonly state: TurnState | undefined;
  readonly run: number | undefined;
  /** The report's results by call, with outputs only if they were kept. */
  readonly results: ReadonlyMap<string, Partial<CallResult>>;
  /** Not all recorded events are loaded yet. */
  readonly loading: boolean;
  /** The stream is open. */
  readonly live: boolean;
  readonly problem: Problem | undefined;
}

export interface TurnFeed {
  readonly view: () => TurnFeedView;
  readonly subscribe: (listener: () => void) => () => void;
  readonly retry: () => void;
}

/** A small first page loads fast. The gateway reads the whole turn for each page, so the others are as large as allowed. */
const firstPageSize = 1000;
const pageSize = 10_000;
const maxReconnectDelayMs = 8000;

export function createTurnFeed(turnId: string, run: number | undefined): TurnFeed {
  const fold: TurnEvents = createTurnEvents();
  const address = `/v1/turns/${encodeURIComponent(turnId)}`;
  const runQuery = run === undefined ? '' : `&run=${run}`;
  let shown: TurnFeedView = {
    view: fold.view(),
    events: [],
    state: undefined,
    run,
    results: new Map(),
    loading: true,
    live: false,
    problem: undefined,
  };
  const listeners = new Set<() => void>();
  let own: AbortController | undefined;
  let frame: number | undefined;
  let timer: ReturnType<typeof setTimeout> | undefined;
  let failures = 0;

  const update = (change: Partial<TurnFeedView>): void => {
    shown = { ...shown, ...change, view: fold.view(), events: fold.events() };
    for (const listener of listeners) listener();
  };
  const scheduleUpdate = (): void => {
    frame ??= requestAnimationFrame(() => {
      frame = undefined;
      update({});
    });
  };

  const close = (): void => {
    clearTimeout(timer);
    own?.abort();
    own = undefined;
  };

  /** Loads all pages, then follows the stream. A restart continues after the last event. */
  const open = async (): Promise<void> => {
    close();
    if (document.hidden && shown.state === 'running') return;
    const mine = new AbortController();
    own = mine;
    const state = await loadAll(mine.signal).catch(() => undefined);
    if (mine.signal.aborted || state === undefined) return;
    // The page is hidden: the visibility listener continues.
    if (state === 'running' && document.hidden) return;
    if (state === 'running') await follow(mine).catch(() => undefined);
    if (mine.signal.aborted || own !== mine || shown.state !== 'running') return;
    failures += 1;
    timer = setTimeout(() => void open(), pauseMs(400, failures, maxReconnectDelayMs));
  };

  const loadAll = async (signal: AbortSignal): Promise<TurnState | undefined> => {
    for (;;) {
      const answer = await request<TurnDetail>(
        `${address}?limit=${fold.lastSeq === 0 ? firstPageSize : pageSize}&after=${fold.lastSeq}${runQuery}`,
        { signal },
      );
      if (signal.aborted) return undefined;
      if (answer.problem) {
        update({ problem: answer.problem, loading: false, live: false });
        return answer.problem.kind === 'gone' ? shown.state : undefined;
      }
      const { events, next_after: next, state, run: ofRun, report } = answer.data;
      fold.append(events);
      const results =
        report === undefined ? shown.results : new Map(report.results.map((result) => [result.call_id, result as Partial<CallResult>]));
      update({ state, run: ofRun, results, loading: next !== undefined, problem: undefined });
      if (next === undefined || events.length === 0) return state;
    }
  };

  const follow = async (mine: AbortController): Promise<void> => {
    const response = await openStream(`${address}/events?after=${fold.lastSeq}${runQuery}`, mine.signal);
    // The turn has ended in the meantime.
    if (response.status === 204) return void (await loadAll(mine.signal));
    if (!response.ok || response.body === null) return;
    update({ live: true });
    try {
      await readAll(response.body, mine);
    } finally {
      if (own === mine) update({ live: false });
    }
  };

  const readAll = async (body: ReadableStream<Uint8Array>, mine: AbortController): Promise<void> => {
    for await (const messages of messagesOf(body, createEventReader())) {
      if (mine.signal.aborted) return;
      failures = 0;
      for (const message of messages) {
        if (message.event === 'end') return void (await loadAll(mine.signal));
        const event = message.event === 'message' ? parseEvent(message.data) : undefined;
        if (event !== undefined && fold.append([event])) scheduleUpdate();
      }
    }
  };

  const onVisibilityChange = (): void => {
    if (document.hidden) {
      if (shown.state === 'running') close();
    } else if (shown.state === 'running') void open();
  };

  return {
    view: () => shown,
    subscribe(listener) {
      if (listeners.size === 0) {
        document.addEventListener('visibilitychange', onVisibilityChange);
        void open();
      }
      listeners.add(listener);
      return () => {
        listeners.delete(listener);
        if (listeners.size > 0) return;
        document.removeEventListener('visibilitychange', onVisibilityChange);
        if (frame !== undefined) cancelAnimationFrame(frame);
        frame = undefined;
        close();
      };
    },
    retry() {
      failures = 0;
      update({ problem: undefined, loading: true });
      void open();
    },
  };
}

function parseEvent(data: string): TraceEvent | undefined {
  try {
    return JSON.parse(data) as TraceEvent;
  } catch {
    return undefined;
  }
}
