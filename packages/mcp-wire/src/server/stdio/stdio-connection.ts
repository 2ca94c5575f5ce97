/**
 * Owns the conversation over one pair of streams: the era of each message, the running requests, and the recipients of notifications.
 *
 * Invariants
 * 1. `initialize` starts a legacy conversation; a request with modern `_meta` is modern, before and after it. Neither affects the other.
 * 2. A request whose id is in use is refused.
 * 3. A cancelled request is not answered.
 */
import { type Buffer, isUtf8 } from 'node:buffer';
import { type JsonObject, type RequestId, rpcCodes, rpcError } from '../../message.ts';
import type { RequestRegistry } from '../request-registry.ts';
import type { ConnectedClient } from '../handler.ts';
import { fault, type IncomingMessage, type IncomingRequest, parseMessage, checkMessage } from '../parse-message.ts';
import { LegacyClient, reasonOf } from '../legacy-client.ts';
import { Subscription } from '../subscription.ts';
import { requireMeta, checkVersion, isModern, modernClient, performModern } from '../modern-requests.ts';
import { answerText, errorText, notificationText } from '../serialize-message.ts';
import type { Answer, ResponseSink } from '../response-sink.ts';
import { type RunningRequests, requestLevel, RunningRequest } from '../running-request.ts';
import { batchVersion, maxBatch } from '../batch.ts';
import type { LineWriter } from './line-writer.ts';
import { edgeId, type LineListener } from './line-reader.ts';

export interface ConnectionLimits {
  readonly messageBytes: number;
  readonly depth: number;
  readonly subscriptions: number;
}

const connectionId = 'stdio';

/** Writes the text of an answer; `undefined` if there is none. */
type Reply = (text: string | undefined) => void;

export class StdioConnection implements LineListener {
  readonly #registry: RequestRegistry;
  readonly #channel: LineWriter;
  readonly #limits: ConnectionLimits;
  readonly #modern: RunningRequests = new Map();
  readonly #listeners = new Map<RequestId, Subscription>();
  readonly #reply: Reply;
  #legacy: LegacyClient | undefined;

  constructor(registry: RequestRegistry, channel: LineWriter, limits: ConnectionLimits) {
    this.#registry = registry;
    this.#channel = channel;
    this.#limits = limits;
    this.#reply = (text): void => {
      if (text !== undefined) channel.write(text);
    };
  }

  get isInitialized(): boolean {
    return this.#legacy !== undefined;
  }

  get subscriptions(): number {
    return this.#listeners.size;
  }

  line(bytes: Buffer): void {
    const incoming = isUtf8(bytes)
      ? parseMessage(bytes.toString(), this.#limits.depth)
      : fault(rpcCodes.parseError, 'Parse error: not UTF-8');
    if (incoming.kind === 'batch') this.#batch(incoming.items);
    else this.#message(incoming, this.#reply);
  }

  rejectOversized(head: string, tail: string): void {
    const message = `Invalid request: longer than ${this.#limits.messageBytes} bytes`;
    this.#channel.write(errorText(edgeId(head, tail), { code: rpcCodes.invalidRequest, message }));
  }

  publish(method: string, params: JsonObject, isFor?: (client: ConnectedClient) => boolean): void {
    for (const listener of this.#listeners.values()) listener.publish(method, params, isFor);
    if (this.#legacy?.wants(method, params, isFor !== undefined) === true && (isFor?.(this.#legacy.client) ?? true))
      this.#channel.writeIfRead(notificationText(method, params));
  }

  finishListeners(): void {
    for (const listener of this.#listeners.values()) listener.finish(this.#registry);
    this.#listeners.clear();
  }

  /** Ends everything the client owns, after it has disconnected. */
  end(reason: string): void {
    for (const request of this.#modern.values()) request.cancel(reason);
    for (const listener of this.#listeners.values()) listener.drop(this.#registry);
    this.#listeners.clear();
    this.#legacy?.end(reason);
    this.#legacy = undefined;
  }

  #batch(items: readonly unknown[]): void {
    if (this.#legacy?.client.protocolVersion !== batchVersion)
      return this.#refuse(`Invalid request: batches are only supported in version ${batchVersion}`);
    if (items.length === 0 || items.length > maxBatch) return this.#refuse(`Invalid request: a batch must have 1 to ${maxBatch} messages`);
    const messages = items.map(checkMessage);
    const answers: string[] = [];
    let awaited = messages.filter(({ kind }) => kind === 'request' || kind === 'fault').length;
    for (const message of messages)
      this.#message(message, (text) => {
        if (text !== undefined) answers.push(text);
        if (--awaited === 0 && answers.length > 0) this.#channel.write(`[${answers.join(',')}]`);
      });
  }

  #refuse(message: string): void {
    this.#channel.write(errorText(null, { code: rpcCodes.invalidRequest, message }));
  }

  #message(incoming: IncomingMessage, reply: Reply): void {
    switch (incoming.kind) {
      case 'fault':
        return reply(errorText(incoming.id, incoming.error));
      case 'response':
        return this.#legacy?.clientRequests.answer(incoming);
      case 'notification':
        return this.#handleNotification(incoming.method, incoming.params);
      case 'request':
        return this.#request(incoming, reply);
    }
  }

  #handleNotification(method: string, params: JsonObject): void {
    if (method === 'notifications/cancelled') {
      const id = params['requestId'] as RequestId;
      this.#modern.get(id)?.cancel(reasonOf(params));
      this.#drop(id);
    }
    this.#legacy?.handleNotification(method, params);
  }

  #request(request: IncomingRequest, reply: Reply): void {
    const { id, method, params } = request;
    const answer = (outcome: Answer): void => reply(answerText(id, outcome, this.#registry.onFault));
    try {
      const refusal = this.#registry.refusalReason(undefined);
      if (refusal !== undefined) throw refusal;
      if (this.#modern.has(id) || this.#listeners.has(id) || this.#legacy?.running.has(id) === true)
        throw rpcError(rpcCodes.invalidRequest, 'Invalid request: a request with this id is already running');
      if (isModern(params)) this.#modernRequest(request, reply);
      else if (method === 'initialize' && reply === this.#reply) this.#initialize(request);
      else if (this.#legacy !== undefined) this.#legacyRequest(this.#legacy, request, reply);
      else if (method === 'ping') answer({ result: {} });
      else requireMeta(params);
    } catch (error) {
      answer({ error });
    }
  }

  #initialize(request: IncomingRequest): void {
    this.#legacy?.end('The client has sent initialize again');
    const send = (text: string): boolean => this.#channel.writeIfRead(text);
    const legacy = new LegacyClient(this.#registry, request.params, { id: connectionId, principal: undefined, transport: 'stdio', send });
    this.#legacy = legacy;
    const sink = this.#createSink(request.id, this.#reply);
    new RunningRequest(this.#registry, request, legacy.client, legacy.level, sink, legacy.running).settleWith(legacy.initializeResult());
  }

  #legacyRequest(legacy: LegacyClient, request: IncomingRequest, reply: Reply): void {
    const sink: ResponseSink = {
      ...this.#createSink(request.id, reply),
      ask: (method, params, signals) => legacy.clientRequests.ask(this.#reply, method, params, signals),
    };
    const run = new RunningRequest(this.#registry, request, legacy.client, legacy.level, sink, legacy.running);
    run.settleWith(legacy.perform(run));
  }

  #modernRequest(request: IncomingRequest, reply: Reply): void {
    const meta = requireMeta(request.params);
    checkVersion(meta);
    const client = modernClient(meta, connectionId, {}, 'stdio');
    if (request.method === 'subscriptions/listen') return this.#listen(request, client);
    const run = new RunningRequest(this.#registry, request, client, requestLevel(meta), this.#createSink(request.id, reply), this.#modern);
    run.settleWith(performModern(this.#registry, run));
  }

  #createSink(id: RequestId, reply: Reply): ResponseSink {
    return {
      send: (text) => void this.#channel.writeIfRead(text),
      end: (answer) => reply(answer === undefined ? undefined : answerText(id, answer, this.#registry.onFault)),
    };
  }

  #listen({ id, params }: IncomingRequest, client: ConnectedClient): void {
    const { subscriptions } = this.#limits;
    if (this.#listeners.size >= subscriptions)
      throw rpcError(rpcCodes.internalError, `Too many subscriptions: ${subscriptions} are already open`);
    const listener = new Subscription(id, {
      sendAlways: this.#reply,
      send: (text) => void this.#channel.writeIfRead(text),
      end: this.#reply,
    });
    this.#listeners.set(id, listener);
    listener.open(this.#registry, client, params).catch((error: unknown) => {
      if (this.#listeners.get(id) !== listener) return;
      this.#drop(id);
      this.#reply(answerText(id, { error }, this.#registry.onFault));
    });
  }

  #drop(id: RequestId): void {
    this.#listeners.get(id)?.drop(this.#registry);
    this.#listeners.delete(id);
  }
}
