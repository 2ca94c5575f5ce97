/**
 * Owns how one modern request is answered: as one JSON object, or as a stream once a message precedes the answer.
 *
 * Invariants
 * 1. A disconnect cancels the request.
 * 2. While the client does not read, notifications are dropped; the answer never is.
 */
import type { ServerResponse } from 'node:http';
import type { RequestId } from '../../message.ts';
import { answerText, errorBody, errorText } from '../serialize-message.ts';
import type { Answer, ResponseSink } from '../response-sink.ts';
import type { AcceptedTypes } from './content-negotiation.ts';
import { modernStatus, noHeaders, sendJson } from './responses.ts';
import { EventStreamWriter } from './event-stream-writer.ts';

export interface ModernExchangeOptions {
  readonly id: RequestId;
  readonly response: ServerResponse;
  readonly accepted: AcceptedTypes;
  readonly keepAliveMs: number;
  readonly streamBytes: number;
  readonly onFault: (error: unknown) => void;
}

export class ModernExchange implements ResponseSink {
  readonly #options: ModernExchangeOptions;
  readonly #startedMs = performance.now();
  #stream: EventStreamWriter | undefined;

  constructor(options: ModernExchangeOptions) {
    this.#options = options;
  }

  send(text: string): void {
    const { accepted, streamBytes } = this.#options;
    if (!accepted.events) return;
    const stream = this.#open();
    if (!stream.isBehind(streamBytes)) stream.send(text);
  }

  end(answer: Answer | undefined): void {
    if (answer === undefined) return;
    const { id, response, accepted, onFault } = this.#options;
    if (this.#stream !== undefined || !accepted.json) {
      const stream = this.#open();
      stream.send(answerText(id, answer, onFault));
      stream.end();
    } else if ('error' in answer) {
      const body = errorBody(answer.error, onFault);
      sendJson(response, modernStatus(body.code), errorText(id, body));
    } else sendJson(response, 200, answerText(id, answer, onFault));
  }

  /** Switches a long-running request to a stream, so that proxies do not close its connection. */
  tick(nowMs: number): void {
    const { accepted, keepAliveMs } = this.#options;
    if (this.#stream === undefined && (!accepted.events || nowMs - this.#startedMs < keepAliveMs)) return;
    const isNew = this.#stream === undefined;
    this.#open().keepAlive(nowMs, isNew ? 0 : keepAliveMs);
  }

  #open(): EventStreamWriter {
    this.#stream ??= new EventStreamWriter(this.#options.response, noHeaders);
    return this.#stream;
  }
}
