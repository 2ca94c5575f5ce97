/**
 * Owns how one request of a legacy session is answered: as one JSON object, or as a stream once a message precedes the answer.
 *
 * Invariants
 * 1. A disconnect does not cancel the request: it continues, and the events of its stream can be replayed.
 * 2. Every request gets an answer, even a cancelled one: its HTTP response would hang otherwise.
 */
import type { ServerResponse } from 'node:http';
import { type JsonObject, type RequestId, rpcCodes, rpcError } from '../../message.ts';
import { answerText } from '../serialize-message.ts';
import type { Answer, ResponseSink } from '../response-sink.ts';
import { cancelledError } from '../running-request.ts';
import type { AcceptedTypes } from './content-negotiation.ts';
import { type HeaderList, sendJson } from './responses.ts';
import { EventStreamWriter } from './event-stream-writer.ts';
import type { Session } from './session.ts';
import type { SessionStream } from './session-stream.ts';

/** From this version on, clients accept an event without data. */
const primingSince = '2025-11-25';

export interface LegacyExchangeOptions {
  readonly id: RequestId;
  readonly response: ServerResponse;
  readonly session: Session;
  readonly accepted: AcceptedTypes;
  readonly headers: HeaderList;
  /** Whether a broken stream can be resumed. */
  readonly isResumable: boolean;
  readonly keepAliveMs: number;
  readonly onFault: (error: unknown) => void;
}

export class LegacyExchange implements ResponseSink {
  readonly #options: LegacyExchangeOptions;
  readonly #startedMs = performance.now();
  #stream: SessionStream | undefined;

  constructor(options: LegacyExchangeOptions) {
    this.#options = options;
  }

  send(text: string): void {
    if (this.#options.accepted.events) this.#open().offer(text);
  }

  async ask(method: string, params: JsonObject, signals: readonly AbortSignal[]): Promise<JsonObject> {
    const { accepted, session } = this.#options;
    if (!accepted.events)
      throw rpcError(rpcCodes.methodNotFound, `The client does not accept an event stream; ${method} cannot be sent to it`);
    return await session.legacy.clientRequests.ask((text) => this.#open().send(text), method, params, signals);
  }

  end(answer: Answer | undefined): void {
    const { id, response, session, accepted, headers, onFault } = this.#options;
    session.use();
    const text = answerText(id, answer ?? { error: cancelledError() }, onFault);
    if (this.#stream !== undefined || !accepted.json) this.#open().finish(text);
    else sendJson(response, 200, text, headers);
  }

  /** Switches a long-running request to a stream, so that proxies do not close its connection. */
  tick(nowMs: number): void {
    const { accepted, keepAliveMs } = this.#options;
    if (this.#stream === undefined && accepted.events && nowMs - this.#startedMs >= keepAliveMs) this.#open();
  }

  #open(): SessionStream {
    if (this.#stream !== undefined) return this.#stream;
    const { id, response, session, headers, isResumable } = this.#options;
    const connection = new EventStreamWriter(response, headers);
    const stream = session.openStream(id);
    this.#stream = stream;
    if (isResumable && session.legacy.client.protocolVersion >= primingSince) stream.prime(connection);
    else connection.keepAlive(Infinity, 0);
    stream.connect(connection);
    response.on('close', () => stream.disconnect(connection));
    return stream;
  }
}
