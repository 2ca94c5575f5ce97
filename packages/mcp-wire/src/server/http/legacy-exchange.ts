/**
 * Owns how one request of a legacy session is answered: as one JSON object, or as a stream from the first word on that comes before the answer.
 *
 * Invariants
 * 1. A client that goes away has not cancelled: the request continues, and what was said on its stream can be asked for again.
 * 2. Every request gets an answer, also one that was cancelled: its response would hang otherwise.
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

/** From this version on clients understand an event without words. */
const primingSince = '2025-11-25';

export interface LegacyExchangeOptions {
  readonly id: RequestId;
  readonly response: ServerResponse;
  readonly session: Session;
  readonly accepted: AcceptedTypes;
  readonly headers: HeaderList;
  readonly keepAliveMs: number;
  readonly onFault: (error: unknown) => void;
}

export class LegacyExchange implements ResponseSink {
  readonly #options: LegacyExchangeOptions;
  readonly #begunMs = Date.now();
  #stream: SessionStream | undefined;

  constructor(options: LegacyExchangeOptions) {
    this.#options = options;
  }

  send(text: string): void {
    if (this.#options.accepted.events) this.#open().send(text);
  }

  async ask(method: string, params: JsonObject, signals: readonly AbortSignal[]): Promise<JsonObject> {
    const { accepted, session } = this.#options;
    if (!accepted.events) throw rpcError(rpcCodes.methodNotFound, `The client takes no stream: it cannot be asked for ${method}`);
    return await session.legacy.clientRequests.ask((text) => this.send(text), method, params, signals);
  }

  end(answer: Answer | undefined): void {
    const { id, response, session, accepted, headers, onFault } = this.#options;
    session.use();
    const text = answerText(id, answer ?? { error: cancelledError() }, onFault);
    if (this.#stream !== undefined || !accepted.json) this.#open().finish(text);
    else sendJson(response, 200, text, headers);
  }

  /** Before a silent request is taken for a dead one, it becomes a stream. */
  tick(nowMs: number): void {
    const { accepted, keepAliveMs } = this.#options;
    if (this.#stream === undefined && accepted.events && nowMs - this.#begunMs >= keepAliveMs) this.#open();
  }

  #open(): SessionStream {
    if (this.#stream !== undefined) return this.#stream;
    const { response, session, headers } = this.#options;
    const connection = new EventStreamWriter(response, headers);
    const stream = session.openStream();
    this.#stream = stream;
    if (session.legacy.client.protocolVersion >= primingSince) stream.prime(connection);
    else connection.keepAlive(Infinity, 0);
    stream.connect(connection);
    response.on('close', () => stream.disconnect(connection));
    return stream;
  }
}
