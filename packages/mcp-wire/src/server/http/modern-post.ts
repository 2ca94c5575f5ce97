/**
 * Owns the messages a modern client posts: one self-contained request each.
 *
 * Invariants
 * 1. A request is refused before the handler sees it when its `_meta` is missing, its headers contradict its body, or its version is not supported.
 * 2. Subscription streams are limited in number and in buffered bytes.
 */
import type { IncomingMessage, ServerResponse } from 'node:http';
import { type JsonObject, rpcCodes } from '../../message.ts';
import { FairShare } from '../fair-share.ts';
import type { RequestRegistry } from '../request-registry.ts';
import type { ConnectedClient } from '../handler.ts';
import type { IncomingRequest } from '../parse-message.ts';
import { Subscription } from '../subscription.ts';
import { requireMeta, checkVersion, modernClient, performModern } from '../modern-requests.ts';
import { errorBody } from '../serialize-message.ts';
import { requestLevel, RunningRequest } from '../running-request.ts';
import type { AcceptedTypes } from './content-negotiation.ts';
import { modernStatus, noHeaders, refuse, sendError } from './responses.ts';
import { EventStreamWriter } from './event-stream-writer.ts';
import { busy } from './legacy-post.ts';
import { ModernExchange } from './modern-exchange.ts';
import { checkMethodHeaders, checkParamHeaders, checkVersionHeader } from './modern-headers.ts';
import type { HttpCaller, HttpTransportLimits } from './http-options.ts';

export class ModernPost {
  readonly #registry: RequestRegistry;
  readonly #limits: HttpTransportLimits;
  readonly #listeners = new Map<Subscription, EventStreamWriter | undefined>();
  readonly #share: FairShare;

  constructor(registry: RequestRegistry, limits: HttpTransportLimits) {
    this.#registry = registry;
    this.#limits = limits;
    this.#share = new FairShare(limits.subscriptions);
  }

  get subscriptions(): number {
    return this.#listeners.size;
  }

  take(incoming: IncomingRequest, request: IncomingMessage, response: ServerResponse, caller: HttpCaller, accepted: AcceptedTypes): void {
    const { principal } = caller;
    const refusal = this.#registry.refusalReason(principal);
    if (refusal !== undefined) return busy(response, refusal, incoming);
    try {
      const meta = requireMeta(incoming.params);
      checkVersionHeader(request.headers, meta);
      checkVersion(meta);
      checkMethodHeaders(request.headers, incoming);
      const client = modernClient(meta, `http:${principal ?? ''}`, caller, 'http');
      checkParamHeaders(request.headers, this.#registry.handler, client, incoming);
      if (incoming.method === 'subscriptions/listen') this.#listen(incoming, client, response, accepted);
      else this.#run(incoming, meta, client, response, accepted);
    } catch (error) {
      const body = errorBody(error, this.#registry.onFault);
      sendError(response, body.code === rpcCodes.internalError ? 500 : 400, body, incoming.id);
    }
  }

  publish(method: string, params: JsonObject, isFor?: (client: ConnectedClient) => boolean): void {
    for (const listener of this.#listeners.keys()) listener.publish(method, params, isFor);
  }

  tick(nowMs: number): void {
    for (const stream of this.#listeners.values()) stream?.keepAlive(nowMs, this.#limits.keepAliveMs);
  }

  finishListeners(): void {
    for (const listener of this.#listeners.keys()) listener.finish(this.#registry);
    this.#listeners.clear();
  }

  #run(incoming: IncomingRequest, meta: JsonObject, client: ConnectedClient, response: ServerResponse, accepted: AcceptedTypes): void {
    const level = requestLevel(meta);
    const { keepAliveMs, streamBytes } = this.#limits;
    const exchange = new ModernExchange({ id: incoming.id, response, accepted, keepAliveMs, streamBytes, onFault: this.#registry.onFault });
    const run = new RunningRequest(this.#registry, incoming, client, level, exchange);
    response.on('close', () => run.cancel('The client has closed the stream'));
    run.settleWith(performModern(this.#registry, run));
  }

  #listen(incoming: IncomingRequest, client: ConnectedClient, response: ServerResponse, accepted: AcceptedTypes): void {
    if (!accepted.events) return refuse(response, 406, 'Not acceptable: a subscription is answered with text/event-stream');
    const { streamBytes } = this.#limits;
    const { principal } = client;
    if (!this.#share.admits(principal))
      return busy(
        response,
        { code: rpcCodes.internalError, message: `Too many subscriptions: ${this.#share.total} are already open` },
        incoming,
      );
    let stream: EventStreamWriter | undefined;
    const openStream = (): EventStreamWriter => (stream ??= new EventStreamWriter(response, noHeaders));
    const listener: Subscription = new Subscription(incoming.id, {
      sendAlways: (text) => {
        const connection = openStream();
        this.#listeners.set(listener, connection);
        connection.send(text);
      },
      send: (text) => {
        const connection = openStream();
        if (connection.isBehind(streamBytes)) connection.drop();
        else connection.send(text);
      },
      end: (text) => {
        if (text !== undefined) openStream().send(text);
        openStream().end();
      },
    });
    const forget = (): void => {
      if (this.#listeners.delete(listener)) this.#share.release(principal);
      listener.drop(this.#registry);
    };
    this.#listeners.set(listener, undefined);
    this.#share.take(principal);
    response.on('close', forget);
    listener.open(this.#registry, client, incoming.params).catch((error: unknown) => {
      forget();
      const body = errorBody(error, this.#registry.onFault);
      sendError(response, body.code === rpcCodes.invalidParams ? 400 : modernStatus(body.code), body, incoming.id);
    });
  }
}
