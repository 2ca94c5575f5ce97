/**
 * The connection of the live stream: opens it, reads it, and reconnects with the cursor. Independent of React.
 *
 * 1. At most one stream at a time, and none while the page is hidden, since browsers limit the connections per server.
 * 2. After a loss it reconnects with exponential backoff and jitter, and at once when the page becomes visible.
 * 3. Errors become a state; nothing is thrown.
 */
import type { LiveMessage, Overview } from '@holdfast/gateway/contract';
import { createEventReader } from './event-stream.ts';
import { applyMessage } from './live-state.ts';
import type { Problem } from './problem.ts';
import { request } from './request.ts';
import { messagesOf, openStream, pauseMs } from './stream.ts';

export type Connection =
  /** No data yet. */
  | 'connecting'
  | 'live'
  /** The page is hidden. */
  | 'paused'
  /** The gateway does not respond; the page shows the last known data. */
  | 'gone'
  /** A token is required. */
  | 'denied';

export interface LiveView {
  readonly connection: Connection;
  readonly overview?: Overview;
  readonly problem?: Problem;
}

export interface LiveConnection {
  readonly view: () => LiveView;
  readonly subscribe: (listener: () => void) => () => void;
  readonly start: () => void;
  /** Reconnects at once. */
  readonly retry: () => void;
  readonly stop: () => void;
}

const pollIntervalMs = 5000;
const maxReconnectDelayMs = 10_000;
/** The gateway sends a comment every 15 seconds; after twice that time without data the connection is dead. */
const idleTimeoutMs = 35_000;

export function createLiveConnection(): LiveConnection {
  let view: LiveView = { connection: 'connecting' };
  let stream: AbortController | undefined;
  let timer: ReturnType<typeof setTimeout> | undefined;
  let failures = 0;
  let started = false;
  const listeners = new Set<() => void>();

  const update = (next: LiveView): void => {
    view = next;
    for (const listener of listeners) listener();
  };
  const setConnection = (connection: Connection): void => {
    if (view.connection !== connection) update({ ...view, connection });
  };

  const close = (): void => {
    clearTimeout(timer);
    stream?.abort();
    stream = undefined;
  };

  const open = async (): Promise<void> => {
    close();
    if (!started || document.hidden) return;
    const controller = new AbortController();
    stream = controller;
    const retryMs = await follow(controller).catch(() => undefined);
    if (stream !== controller || controller.signal.aborted) return;
    // Reconnecting does not help without a token.
    if (view.connection === 'denied') return;
    failures += 1;
    if (failures > 1) setConnection('gone');
    timer = setTimeout(() => void open(), pauseMs(retryMs ?? 500, failures - 1, maxReconnectDelayMs));
  };

  /** Reads until the stream ends. Returns the server's reconnection time. */
  const follow = async (controller: AbortController): Promise<number | undefined> => {
    if (view.overview === undefined) {
      const answer = await request<Overview>('/v1/overview', { signal: controller.signal });
      if (controller.signal.aborted) return undefined;
      if (answer.problem !== undefined) {
        update({ connection: answer.problem.kind === 'denied' ? 'denied' : 'gone', problem: answer.problem });
        return undefined;
      }
      update({ connection: 'live', overview: answer.data });
    }
    const after = view.overview?.cursor ?? '';
    const response = await openStream(`/v1/live?after=${encodeURIComponent(after)}`, controller.signal);
    if (!response.ok || response.body === null) {
      await response.body?.cancel();
      if (response.status !== 401 && response.status !== 403) return pollOnce(controller);
      setConnection('denied');
      return undefined;
    }
    setConnection('live');
    return readAll(response.body, controller);
  };

  /** The gateway responds, but has no stream now: poll the overview instead. */
  const pollOnce = async (controller: AbortController): Promise<number | undefined> => {
    const { data } = await request<Overview>('/v1/overview', { signal: controller.signal });
    if (data === undefined || controller.signal.aborted) return undefined;
    failures = 0;
    update({ connection: 'live', overview: data });
    return pollIntervalMs;
  };

  const readAll = async (body: ReadableStream<Uint8Array>, controller: AbortController): Promise<number | undefined> => {
    const events = createEventReader();
    for await (const messages of messagesOf(body, events, idleTimeoutMs)) {
      if (controller.signal.aborted) break;
      failures = 0;
      applyMessages(messages.flatMap(messageOf));
    }
    return events.retryMs();
  };

  const applyMessages = (messages: readonly LiveMessage[]): void => {
    const { overview } = view;
    if (messages.length === 0 || overview === undefined) return;
    update({ connection: 'live', overview: messages.reduce(applyMessage, overview) });
  };

  const onVisibilityChange = (): void => {
    if (document.hidden) {
      close();
      setConnection('paused');
      return;
    }
    failures = 0;
    void open();
  };

  return {
    view: () => view,
    subscribe: (listener) => {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    start: () => {
      if (started) return;
      started = true;
      document.addEventListener('visibilitychange', onVisibilityChange);
      void open();
    },
    retry: () => {
      failures = 0;
      void open();
    },
    stop: () => {
      started = false;
      document.removeEventListener('visibilitychange', onVisibilityChange);
      close();
    },
  };
}

function messageOf({ event, data }: { readonly event: string; readonly data: string }): readonly LiveMessage[] {
  if (event !== 'change') return [];
  try {
    return [JSON.parse(data) as LiveMessage];
  } catch {
    return [];
  }
}
