/**
 * Owns one request over HTTP: its POST, and resuming the stream if a legacy server closes it before the response.
 *
 * Invariants
 * 1. A stream is resumed only from an event id that the server has sent, and only while that yields new events.
 * 2. After the response, the stream may stay open only briefly.
 */
import type { JsonObject } from '../../message.ts';
import type { LinkListener, OwnRequest } from '../link.ts';
import { wireError } from '../wire-error.ts';
import type { Endpoint } from './endpoint.ts';
import type { EndedResponse, ExchangeListener } from './exchange.ts';
import { errorIn, statusError, unansweredError } from './status-error.ts';

/** Maximum consecutive attempts without new events. */
const maxIdleTries = 3;
const firstDelayMs = 200;
/** How long a stream may stay open after its response. */
const lingerMs = 1000;

export interface RequestStreamOptions {
  readonly endpoint: Endpoint;
  readonly request: OwnRequest;
  readonly headers: readonly string[] | undefined;
  readonly listener: LinkListener;
  /** Called once, after the last message. */
  readonly onEnd: () => void;
}

export class RequestStream {
  readonly #options: RequestStreamOptions;
  #isAnswered = false;
  #hasEnded = false;
  #lastEventId: string | undefined;
  #retryMs: number | undefined;
  #idleTries = 0;
  #timer: NodeJS.Timeout | undefined;
  #abortExchange: () => void;

  constructor(options: RequestStreamOptions) {
    this.#options = options;
    const { endpoint, request, headers } = options;
    const exchange = this.#exchange((status, answered) => {
      if (request.method === 'initialize' && status === 200) endpoint.keepSession(answered);
    }, this.#endPost.bind(this));
    this.#abortExchange = (): void => {};
    this.#abortExchange = endpoint.post(JSON.stringify(request), headers, exchange);
  }

  get hasEnded(): boolean {
    return this.#hasEnded;
  }

  abort(): void {
    if (this.#hasEnded) return;
    this.#abortExchange();
    this.#finish();
  }

  #exchange(began: ExchangeListener['began'], end: ExchangeListener['end']): ExchangeListener {
    return {
      began,
      end,
      message: (message) => this.#receive(message),
      eventId: (id) => {
        if (id !== this.#lastEventId) this.#idleTries = 0;
        this.#lastEventId = id;
      },
      retry: (ms) => {
        this.#retryMs = ms;
      },
    };
  }

  #receive(message: JsonObject): void {
    const { id } = this.#options.request;
    this.#idleTries = 0;
    if (message['method'] === undefined && (message['id'] === id || Number(message['id']) === id || message['id'] === null)) {
      this.#isAnswered = true;
      this.#timer = setTimeout(() => this.abort(), lingerMs);
    }
    this.#options.listener.message(message, id);
  }

  #endPost(response: EndedResponse, error: Error | undefined): void {
    if (this.#isAnswered) return this.#finish();
    const { endpoint, request } = this.#options;
    const { status } = response;
    if (status >= 300) return this.#reportLost(errorIn(response, endpoint.era(), request.id) ?? statusError(response));
    if (this.#canResume(response)) return this.#resumeLater();
    // Some servers accept a request like a notification and never answer it.
    this.#reportLost(
      status === 202 ? wireError('ANSWER_LOST', 'The server accepted the request without answering it') : unansweredError(response, error),
    );
  }

  #endResumed(response: EndedResponse, error: Error | undefined): void {
    if (this.#isAnswered) return this.#finish();
    const isUnreachable = response.status === 0 || response.status >= 500;
    if (this.#canResume(response) || (isUnreachable && this.#idleTries < maxIdleTries)) return this.#resumeLater();
    const cause = error ?? (response.status === 200 ? undefined : statusError(response));
    this.#reportLost(wireError('ANSWER_LOST', 'The stream ended before the answer arrived', cause === undefined ? {} : { cause }));
  }

  #canResume({ isEventStream }: EndedResponse): boolean {
    const isLegacy = this.#options.endpoint.era() === 'legacy';
    return isEventStream && this.#lastEventId !== undefined && isLegacy && this.#idleTries < maxIdleTries;
  }

  #resumeLater(): void {
    this.#timer = setTimeout(() => this.#resume(), this.#retryMs ?? firstDelayMs * 2 ** this.#idleTries);
    this.#idleTries++;
  }

  #resume(): void {
    const exchange = this.#exchange(() => {}, this.#endResumed.bind(this));
    this.#abortExchange = this.#options.endpoint.get(this.#lastEventId, exchange);
  }

  #finish(): void {
    this.#hasEnded = true;
    clearTimeout(this.#timer);
    this.#options.onEnd();
  }

  #reportLost(error: Error): void {
    this.#finish();
    this.#options.listener.lost(this.#options.request.id, error);
  }
}
