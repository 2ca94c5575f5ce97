/**
 * The connection of the live stream: opens it, reads it, and reconnects with the cursor. Independent of React.
 *
 * 1. At most one stream at a time, and none while the page is hidden, since browsers limit the connections per server.
 * 2. After a loss it reconnects with exponential backoff and jitter, and at once when the page becomes visible.
 * 3. Errors become a state; nothing is thrown.
 */
import { fields } from '@holdfast/core/turn-view';
import type { LiveMessage, Overview } from '@holdfast/gateway/contract';
import { createEventReader } from './event-stream.ts';
import { applyMessage } from './live-state.ts';
import { type Problem, problemOf } from './problem.ts';
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
  /** A token is required, or one whose client has the role. */
  | 'denied';

export interface LiveView {
  readonly connection: Connection;
  readonly overview?: Overview;
  readonly problem?: Problem;
}

const pollIntervalMs = 5000;
const maxReconnectDelayMs = 10_000;
/** The gateway sends a comment every 15 seconds; after twice that time without data the connection is dead. */
const idleTimeoutMs = 35_000;

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
    document.addEventListener('visibilitychange', this.#onVisibilityChange);
    void this.#open();
  }

  /** Reconnects at once. */
  readonly retry = (): void => {
    this.#failures = 0;
    void this.#open();
  };

  stop(): void {
    this.#started = false;
    document.removeEventListener('visibilitychange', this.#onVisibilityChange);
    this.#close();
  }

  readonly #onVisibilityChange = (): void => {
    if (document.hidden) {
      this.#close();
      this.#setConnection('paused');
      return;
    }
    this.#failures = 0;
    void this.#open();
  };

  async #open(): Promise<void> {
    this.#close();
    if (!this.#started || document.hidden) return;
    const controller = new AbortController();
    this.#stream = controller;
    const retryMs = await this.#follow(controller.signal).catch(() => undefined);
    if (this.#stream !== controller || controller.signal.aborted) return;
    // Reconnecting does not help without a token.
    if (this.#view.connection === 'denied') return;
    this.#failures += 1;
    if (this.#failures > 1) this.#setConnection('gone');
    this.#timer = setTimeout(() => void this.#open(), pauseMs(retryMs ?? 500, this.#failures - 1, maxReconnectDelayMs));
  }

  #close(): void {
    clearTimeout(this.#timer);
    this.#stream?.abort();
    this.#stream = undefined;
  }

  /** Reads until the stream ends. Returns the server's reconnection time. */
  async #follow(signal: AbortSignal): Promise<number | undefined> {
    if (this.#view.overview === undefined && !(await this.#loadOverview(signal))) return undefined;
    const after = this.#view.overview?.cursor ?? '';
    const response = await openStream(`/v1/live?after=${encodeURIComponent(after)}`, signal);
    if (!response.ok || response.body === null) {
      const problem = problemOf(response.status, await response.json().catch(() => undefined));
      if (problem.kind !== 'denied') return this.#pollOnce(signal);
      this.#update({ ...this.#view, connection: 'denied', problem });
      return undefined;
    }
    this.#setConnection('live');
    return this.#readAll(response.body, signal);
  }

  /** Returns whether the overview is loaded. */
  async #loadOverview(signal: AbortSignal): Promise<boolean> {
    const answer = await request<Overview>('/v1/overview', { signal });
    if (signal.aborted) return false;
    if (answer.problem !== undefined) {
      this.#update({ connection: answer.problem.kind === 'denied' ? 'denied' : 'gone', problem: answer.problem });
      return false;
    }
    this.#update({ connection: 'live', overview: answer.data });
    return true;
  }

  /** The gateway responds, but has no stream now: poll the overview instead. */
  async #pollOnce(signal: AbortSignal): Promise<number | undefined> {
    const { data } = await request<Overview>('/v1/overview', { signal });
    if (data === undefined || signal.aborted) return undefined;
    this.#failures = 0;
    this.#update({ connection: 'live', overview: data });
    return pollIntervalMs;
  }

  async #readAll(body: ReadableStream<Uint8Array>, signal: AbortSignal): Promise<number | undefined> {
    const events = createEventReader();
    for await (const messages of messagesOf(body, events, idleTimeoutMs)) {
      if (signal.aborted) break;
      this.#failures = 0;
      this.#applyMessages(messages.flatMap(messageOf));
    }
    return events.retryMs();
  }

  #applyMessages(messages: readonly LiveMessage[]): void {
    const { overview } = this.#view;
    if (messages.length === 0 || overview === undefined) return;
    this.#update({ connection: 'live', overview: messages.reduce(applyMessage, overview) });
  }

  #setConnection(connection: Connection): void {
    if (this.#view.connection !== connection) this.#update({ ...this.#view, connection });
  }

  #update(next: LiveView): void {
    this.#view = next;
    for (const listener of this.#listeners) listener();
  }
}

function messageOf({ event, data }: { readonly event: string; readonly data: string }): readonly LiveMessage[] {
  const message = event === 'change' ? fields.parseJsonOrUndefined(data) : undefined;
  return message === undefined ? [] : [message as LiveMessage];
}
