/**
 * Owns the conversation over one pair of streams: which era a message is of, what runs, and who is told what.
 *
 * Invariants
 * 1. `initialize` begins a legacy conversation; a request with modern `_meta` is modern, before and after it. Neither disturbs the other.
 * 2. An id that is in use is not used again.
 * 3. A cancelled request is not answered.
 */
import { type Buffer, isUtf8 } from 'node:buffer';
import { type JsonObject, type RequestId, rpcCodes, rpcError } from '../../message.ts';
import type { Desk } from '../desk.ts';
import type { FaceClient } from '../face.ts';
import { fault, type IncomingMessage, type IncomingRequest, readText, readValue } from '../incoming.ts';
import { LegacyClient, reasonOf } from '../legacy.ts';
import { Listener } from '../listeners.ts';
import { checkedMeta, checkVersion, isModern, modernClient, performModern } from '../modern.ts';
import { answerText, errorText, notificationText } from '../outgoing.ts';
import type { Answer, Outlet } from '../outlet.ts';
import { type Book, requestLevel, RunningRequest } from '../running-request.ts';
import { batchVersion, maxBatch } from '../batch.ts';
import type { Channel } from './channel.ts';
import { edgeId, type LineListener } from './lines.ts';

export interface ConnectionLimits {
  readonly messageBytes: number;
  readonly depth: number;
  readonly subscriptions: number;
}

const connectionId = 'stdio';

/** Takes the text of an answer; `undefined` where there is to be none. */
type Tell = (text: string | undefined) => void;

export class Connection implements LineListener {
  readonly #desk: Desk;
  readonly #channel: Channel;
  readonly #limits: ConnectionLimits;
  readonly #modern: Book = new Map();
  readonly #listeners = new Map<RequestId, Listener>();
  readonly #tell: Tell;
  #legacy: LegacyClient | undefined;

  constructor(desk: Desk, channel: Channel, limits: ConnectionLimits) {
    this.#desk = desk;
    this.#channel = channel;
    this.#limits = limits;
    this.#tell = (text): void => {
      if (text !== undefined) channel.write(text);
    };
  }

  get isGreeted(): boolean {
    return this.#legacy !== undefined;
  }

  get subscriptions(): number {
    return this.#listeners.size;
  }

  line(bytes: Buffer): void {
    const incoming = isUtf8(bytes) ? readText(bytes.toString(), this.#limits.depth) : fault(rpcCodes.parseError, 'Parse error: not UTF-8');
    if (incoming.kind === 'batch') this.#batch(incoming.items);
    else this.#message(incoming, this.#tell);
  }

  oversized(head: string, tail: string): void {
    const message = `Invalid request: longer than ${this.#limits.messageBytes} bytes`;
    this.#channel.write(errorText(edgeId(head, tail), { code: rpcCodes.invalidRequest, message }));
  }

  publish(method: string, params: JsonObject): void {
    for (const listener of this.#listeners.values()) listener.publish(method, params);
    if (this.#legacy?.isToHear(method, params) === true) this.#channel.writeIfRead(notificationText(method, params));
  }

  finishListeners(): void {
    for (const listener of this.#listeners.values()) listener.finish(this.#desk);
    this.#listeners.clear();
  }

  /** The client is gone. */
  end(reason: string): void {
    for (const request of this.#modern.values()) request.cancel(reason);
    for (const listener of this.#listeners.values()) listener.drop(this.#desk);
    this.#listeners.clear();
    this.#legacy?.end(reason);
    this.#legacy = undefined;
  }

  #batch(items: readonly unknown[]): void {
    if (this.#legacy?.client.protocolVersion !== batchVersion)
      return this.#refuse(`Invalid request: batches are of version ${batchVersion} only`);
    if (items.length === 0 || items.length > maxBatch) return this.#refuse(`Invalid request: a batch has 1 to ${maxBatch} messages`);
    const messages = items.map(readValue);
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

  #message(incoming: IncomingMessage, tell: Tell): void {
    switch (incoming.kind) {
      case 'fault':
        return tell(errorText(incoming.id, incoming.error));
      case 'response':
        return this.#legacy?.asks.answer(incoming);
      case 'notification':
        return this.#notified(incoming.method, incoming.params);
      case 'request':
        return this.#request(incoming, tell);
    }
  }

  #notified(method: string, params: JsonObject): void {
    if (method === 'notifications/cancelled') {
      const id = params['requestId'] as RequestId;
      this.#modern.get(id)?.cancel(reasonOf(params));
      this.#drop(id);
    }
    this.#legacy?.notified(method, params);
  }

  #request(request: IncomingRequest, tell: Tell): void {
    const { id, method, params } = request;
    const answer = (outcome: Answer): void => tell(answerText(id, outcome, this.#desk.onFault));
    try {
      const refusal = this.#desk.refusal();
      if (refusal !== undefined) throw refusal;
      if (this.#modern.has(id) || this.#listeners.has(id) || this.#legacy?.running.has(id) === true)
        throw rpcError(rpcCodes.invalidRequest, 'Invalid request: a request with this id is running');
      if (isModern(params)) this.#modernRequest(request, tell);
      else if (method === 'initialize' && tell === this.#tell) this.#greet(request);
      else if (this.#legacy !== undefined) this.#legacyRequest(this.#legacy, request, tell);
      else if (method === 'ping') answer({ result: {} });
      else checkedMeta(params);
    } catch (error) {
      answer({ error });
    }
  }

  #greet(request: IncomingRequest): void {
    this.#legacy?.end('The client has greeted again');
    const say = (text: string): boolean => this.#channel.writeIfRead(text);
    const legacy = new LegacyClient(this.#desk, request.params, { id: connectionId, principal: undefined, transport: 'stdio', say });
    this.#legacy = legacy;
    const outlet = this.#outlet(request.id, this.#tell);
    new RunningRequest(this.#desk, request, legacy.client, legacy.level, outlet, legacy.running).settleWith(legacy.greeting());
  }

  #legacyRequest(legacy: LegacyClient, request: IncomingRequest, tell: Tell): void {
    const outlet: Outlet = {
      ...this.#outlet(request.id, tell),
      ask: (method, params, signals) => legacy.asks.ask(this.#tell, method, params, signals),
    };
    const run = new RunningRequest(this.#desk, request, legacy.client, legacy.level, outlet, legacy.running);
    run.settleWith(legacy.perform(run));
  }

  #modernRequest(request: IncomingRequest, tell: Tell): void {
    const meta = checkedMeta(request.params);
    checkVersion(meta);
    const client = modernClient(meta, connectionId, undefined, 'stdio');
    if (request.method === 'subscriptions/listen') return this.#listen(request, client);
    const run = new RunningRequest(this.#desk, request, client, requestLevel(meta), this.#outlet(request.id, tell), this.#modern);
    run.settleWith(performModern(this.#desk, run));
  }

  #outlet(id: RequestId, tell: Tell): Outlet {
    return {
      say: (text) => void this.#channel.writeIfRead(text),
      end: (answer) => tell(answer === undefined ? undefined : answerText(id, answer, this.#desk.onFault)),
    };
  }

  #listen({ id, params }: IncomingRequest, client: FaceClient): void {
    const { subscriptions } = this.#limits;
    if (this.#listeners.size >= subscriptions) throw rpcError(rpcCodes.internalError, `Too many subscriptions: ${subscriptions} are open`);
    const listener = new Listener(id, { tell: this.#tell, say: (text) => void this.#channel.writeIfRead(text), end: this.#tell });
    this.#listeners.set(id, listener);
    listener.open(this.#desk, client, params).catch((error: unknown) => {
      if (this.#listeners.get(id) !== listener) return;
      this.#drop(id);
      this.#tell(answerText(id, { error }, this.#desk.onFault));
    });
  }

  #drop(id: RequestId): void {
    this.#listeners.get(id)?.drop(this.#desk);
    this.#listeners.delete(id);
  }
}
