/**
 * Owns the connection of the live stream: opens it, reads it, comes back with the cursor. Knows nothing of React.
 *
 * 1. At most one stream at a time, none while the page is hidden: browsers allow few connections to one server.
 * 2. After a loss it asks again with growing, jittered waits, and at once when the page is seen again.
 * 3. Whatever fails is told as a state; nothing is thrown.
 */
import type { LiveMessage, Overview } from '@holdfast/gateway/contract';
import { eventReader } from './event-stream.ts';
import { applyMessage } from './live-state.ts';
import type { Problem } from './problem.ts';
import { request } from './request.ts';
import { messagesOf, openStream, pauseMs } from './stream.ts';

export type Connection =
  /** Nothing has come yet. */
  | 'connecting'
  | 'live'
  /** The page is hidden. */
  | 'paused'
  /** The gateway does not answer; what is shown is the last that was known. */
  | 'gone'
  /** A token is needed. */
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
  /** Asks at once, without the rest of the wait. */
  readonly retry: () => void;
  readonly stop: () => void;
}

const withoutStreamMs = 5000;
const longestWaitMs = 10_000;
/** The gateway sends a comment every fifteen seconds; twice that without a byte is a dead line. */
const silenceMs = 35_000;

export function liveConnection(): LiveConnection {
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
  const become = (connection: Connection): void => {
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
    const own = new AbortController();
    stream = own;
    const retryMs = await follow(own).catch(() => undefined);
    if (stream !== own || own.signal.aborted) return;
    // Asking again does not help: a token has to come first.
    if (view.connection === 'denied') return;
    failures += 1;
    if (failures > 1) become('gone');
    timer = setTimeout(() => void open(), pauseMs(retryMs ?? 500, failures - 1, longestWaitMs));
  };

  /** Reads until the stream ends. Answers what the server asks to wait. */
  const follow = async (own: AbortController): Promise<number | undefined> => {
    if (view.overview === undefined) {
      const answer = await request<Overview>('/v1/overview', { signal: own.signal });
      if (own.signal.aborted) return undefined;
      if (answer.problem !== undefined) {
        update({ connection: answer.problem.kind === 'denied' ? 'denied' : 'gone', problem: answer.problem });
        return undefined;
      }
      update({ connection: 'live', overview: answer.data });
    }
    const after = view.overview?.cursor ?? '';
    const response = await openStream(`/v1/live?after=${encodeURIComponent(after)}`, own.signal);
    if (!response.ok || response.body === null) {
      await response.body?.cancel();
      if (response.status !== 401 && response.status !== 403) return askAgain(own);
      become('denied');
      return undefined;
    }
    become('live');
    return readAll(response.body, own);
  };

  /** It answers, and has no stream now: the overview is asked for instead, now and then. */
  const askAgain = async (own: AbortController): Promise<number | undefined> => {
    const { data } = await request<Overview>('/v1/overview', { signal: own.signal });
    if (data === undefined || own.signal.aborted) return undefined;
    failures = 0;
    update({ connection: 'live', overview: data });
    return withoutStreamMs;
  };

  const readAll = async (body: ReadableStream<Uint8Array>, own: AbortController): Promise<number | undefined> => {
    const events = eventReader();
    for await (const messages of messagesOf(body, events, silenceMs)) {
      if (own.signal.aborted) break;
      failures = 0;
      take(messages.flatMap(messageOf));
    }
    return events.retryMs();
  };

  const take = (messages: readonly LiveMessage[]): void => {
    const { overview } = view;
    if (messages.length === 0 || overview === undefined) return;
    update({ connection: 'live', overview: messages.reduce(applyMessage, overview) });
  };

  const markSeen = (): void => {
    if (document.hidden) {
      close();
      become('paused');
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
      document.addEventListener('visibilitychange', markSeen);
      void open();
    },
    retry: () => {
      failures = 0;
      void open();
    },
    stop: () => {
      started = false;
      document.removeEventListener('visibilitychange', markSeen);
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
