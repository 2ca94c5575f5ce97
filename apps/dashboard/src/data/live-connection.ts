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

const withoutStreamMs = 5000;
const longestWaitMs = 10_000;
/** The gateway sends a comment every fifteen seconds; twice that without a byte is a dead line. */
const silenceMs = 35_000;

export class LiveConnection {
  #view: LiveView = { connection: 'connecting' };
  #stream: AbortController | undefined;
  #timer: ReturnType<typeof setTimeout> | undefined;
  #failures = 0;
  #started = false;
  readonly #listeners = new Set<() => void>();

  readonly view = (): LiveView => this.#view;

  readonly subscribe = (listener: () => void): (() => void) => {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  };

  start(): void {
    if (this.#started) return;
    this.#started = true;
    document.addEventListener('visibilitychange', this.#markSeen);
    void this.#open();
  }

  /** Asks at once, without the rest of the wait. */
  readonly retry = (): void => {
    this.#failures = 0;
    void this.#open();
  };

  stop(): void {
    this.#started = false;
    document.removeEventListener('visibilitychange', this.#markSeen);
    this.#close();
  }

  readonly #markSeen = (): void => {
    if (document.hidden) {
      this.#close();
      this.#become('paused');
      return;
    }
    this.#failures = 0;
    void this.#open();
  };

  async #open(): Promise<void> {
    this.#close();
    if (!this.#started || document.hidden) return;
    const own = new AbortController();
    this.#stream = own;
    const retryMs = await this.#follow(own.signal).catch(() => undefined);
    if (this.#stream !== own || own.signal.aborted) return;
    // Asking again does not help: a token has to come first.
    if (this.#view.connection === 'denied') return;
    this.#failures += 1;
    if (this.#failures > 1) this.#become('gone');
    this.#timer = setTimeout(() => void this.#open(), pauseMs(retryMs ?? 500, this.#failures - 1, longestWaitMs));
  }

  #close(): void {
    clearTimeout(this.#timer);
    this.#stream?.abort();
    this.#stream = undefined;
  }

  /** Reads until the stream ends. Answers what the server asks to wait. */
  async #follow(signal: AbortSignal): Promise<number | undefined> {
    if (this.#view.overview === undefined && !(await this.#loadOverview(signal))) return undefined;
    const after = this.#view.overview?.cursor ?? '';
    const response = await openStream(`/v1/live?after=${encodeURIComponent(after)}`, signal);
    if (!response.ok || response.body === null) {
      await response.body?.cancel();
      if (response.status !== 401 && response.status !== 403) return this.#askAgain(signal);
      this.#become('denied');
      return undefined;
    }
    this.#become('live');
    return this.#readAll(response.body, signal);
  }

  /** Answers whether there is one to continue from. */
  async #loadOverview(signal: AbortSignal): Promise<boolean> {
    const { data, problem } = await request<Overview>('/v1/overview', { signal });
    if (signal.aborted) return false;
    if (problem !== undefined) {
      this.#update({ connection: problem.kind === 'denied' ? 'denied' : 'gone', problem });
      return false;
    }
    this.#update({ connection: 'live', overview: data });
    return true;
  }

  /** It answers, and has no stream now: the overview is asked for instead, now and then. */
  async #askAgain(signal: AbortSignal): Promise<number | undefined> {
    const { data } = await request<Overview>('/v1/overview', { signal });
    if (data === undefined || signal.aborted) return undefined;
    this.#failures = 0;
    this.#update({ connection: 'live', overview: data });
    return withoutStreamMs;
  }

  async #readAll(body: ReadableStream<Uint8Array>, signal: AbortSignal): Promise<number | undefined> {
    const events = eventReader();
    for await (const messages of messagesOf(body, events, silenceMs)) {
      if (signal.aborted) break;
      this.#failures = 0;
      this.#take(messages.flatMap(messageOf));
    }
    return events.retryMs();
  }

  #take(messages: readonly LiveMessage[]): void {
    const { overview } = this.#view;
    if (messages.length === 0 || overview === undefined) return;
    this.#update({ connection: 'live', overview: messages.reduce(applyMessage, overview) });
  }

  #become(connection: Connection): void {
    if (this.#view.connection !== connection) this.#update({ ...this.#view, connection });
  }

  #update(next: LiveView): void {
    this.#view = next;
    for (const listener of this.#listeners) listener();
  }
}

function messageOf({ event, data }: { readonly event: string; readonly data: string }): readonly LiveMessage[] {
  if (event !== 'change') return [];
  try {
    return [JSON.parse(data) as LiveMessage];
  } catch {
    return [];
  }
}
