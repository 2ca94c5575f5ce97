/**
 * Owns the messages over a link: requests and their responses, progress, cancellation, and messages that the server initiates.
 *
 * Invariants
 * 1. Every request settles once, and then no longer listens to its signal.
 * 2. A request is cancelled as its era and transport require: by notification, by closing its stream, or both.
 * 3. An error thrown by a listener of one request fails only that request.
 */
import { type Era, metaKeys } from '../era.ts';
import { type JsonObject, type RequestId, isJsonObject } from '../message.ts';
import type { ClientRequestOptions, ConnectOptions } from './connection.ts';
import type { LinkListener, MessageLink } from './link.ts';
import { type PendingRequest, type PendingRequests, pendingRequests } from './pending-requests.ts';
import { RequestMatcher } from './request-matcher.ts';
import { type Identity, legacyParams, modernParams } from './request-params.ts';
import { type ServerRequests, serverRequests } from './server-requests.ts';
import { unreadIn } from '../unread-part.ts';
import { wireError } from './wire-error.ts';

export type PeerOptions = Identity & Pick<ConnectOptions, 'answer' | 'onNotification'>;

const noOptions: ClientRequestOptions = {};
const noParams: JsonObject = {};
const none: readonly RequestId[] = [];

export class Peer {
  /** Resolves when the link has ended. */
  readonly ended: Promise<void>;
  readonly #link: MessageLink;
  readonly #options: PeerOptions;
  readonly #serverRequests: ServerRequests;
  readonly #requests: PendingRequests;
  readonly #matcher: RequestMatcher;
  readonly #cancels = new Set<Promise<void>>();
  #era: Era = 'legacy';
  #version = '';
  #nextId = 1;
  #hasEnded = false;

  constructor(link: MessageLink, options: PeerOptions) {
    this.#link = link;
    this.#options = options;
    this.#serverRequests = serverRequests((message) => link.send(message));
    this.#requests = pendingRequests(this.#serverRequests.withdraw);
    this.#matcher = new RequestMatcher(this.#requests);
    this.ended = new Promise<void>((resolve) => link.start(this.#listener(resolve)));
  }

  get hasEnded(): boolean {
    return this.#hasEnded;
  }

  /** Sets era and version of further messages. */
  setVersion(era: Era, version: string | undefined): void {
    this.#era = era;
    this.#version = version ?? '';
    this.#link.setVersion(era, version);
  }

  request(
    method: string,
    params?: JsonObject,
    options: ClientRequestOptions = noOptions,
    headers?: readonly string[],
  ): Promise<JsonObject> {
    return new Promise((resolve, reject) => {
      const { signal } = options;
      if (signal?.aborted === true) return reject(signal.reason as Error);
      if (this.#hasEnded) return reject(notConnected());
      const id = this.#nextId++;
      const pending: PendingRequest = { id, method, options, resolve, reject, onAbort: undefined, serverRequestIds: none };
      this.#requests.add(pending);
      if (signal !== undefined) {
        pending.onAbort = () => this.#cancel(pending);
        signal.addEventListener('abort', pending.onAbort, { once: true });
      }
      try {
        const sent =
          this.#era === 'legacy' ? legacyParams(params, id, options) : modernParams(params, id, options, this.#version, this.#options);
        this.#link.request(sent === undefined ? { jsonrpc: '2.0', id, method } : { jsonrpc: '2.0', id, method, params: sent }, headers);
      } catch (error) {
        // The params are not JSON.
        this.#requests.fail(pending, error);
      }
    });
  }

  notify(method: string, params?: JsonObject): Promise<void> {
    if (this.#hasEnded) return Promise.reject(notConnected());
    return this.#link.send({ jsonrpc: '2.0', method, ...(params === undefined ? {} : { params }) });
  }

  cancelsDelivered(): Promise<void> {
    return Promise.all(this.#cancels).then(() => {});
  }

  /** Closes the request's stream after the server has received the reason. */
  #cancel(pending: PendingRequest): void {
    if (!this.#requests.fail(pending, pending.options.signal?.reason) || this.#hasEnded) return;
    const { id, method } = pending;
    if (method === 'initialize' || (this.#era === 'modern' && this.#link.hasStreams)) return this.#link.abandon(id);
    const delivered = this.notify('notifications/cancelled', { requestId: id })
      .catch(() => {})
      .then(() => {
        this.#link.abandon(id);
        this.#cancels.delete(delivered);
      });
    this.#cancels.add(delivered);
  }

  #listener(onEnd: () => void): LinkListener {
    return {
      message: (message, streamOf) => this.#receive(message, streamOf),
      lost: (requestId, error) => {
        if (requestId !== undefined) this.#requests.fail(this.#requests.get(requestId), error);
        else this.#requests.failAll(error);
      },
      ended: () => {
        this.#hasEnded = true;
        this.#requests.failAll(wireError('CONNECTION_CLOSED', 'The connection was closed'));
        onEnd();
      },
    };
  }

  #receive(message: JsonObject, streamOf: number | undefined): void {
    const { id, method } = message;
    const unread = unreadIn(message);
    if (unread !== undefined && this.#refuse(message, unread)) return;
    if (typeof method === 'string') {
      const params = isJsonObject(message['params']) ? message['params'] : noParams;
      if (typeof id === 'number' || typeof id === 'string') this.#answer(id, method, params, streamOf);
      else this.#receiveNotification(method, params, streamOf);
    } else if (id !== undefined && id !== null) this.#requests.settle(this.#requests.get(id), message);
    // A server that could not read a request responds without an id.
    else if (isJsonObject(message['error']))
      this.#requests.settle(this.#requests.get(streamOf) ?? this.#requests.findOnly(() => true), message);
  }

  /** Whether a message that was not read as a whole is refused: only a list of tools can do without some of them. */
  #refuse({ id, method }: JsonObject, unread: string): boolean {
    const pending = typeof method === 'string' ? undefined : this.#requests.get(id);
    if (pending?.method === 'tools/list') return false;
    this.#requests.fail(pending, wireError('INVALID_ANSWER', `the answer ${unread}`));
    return true;
  }

  #receiveNotification(method: string, params: JsonObject, streamOf: number | undefined): void {
    if (method === 'notifications/cancelled') return this.#serverRequests.withdraw(params['requestId']);
    const isProgress = method === 'notifications/progress';
    const owner = this.#requests.get(isProgress ? params['progressToken'] : (streamOf ?? subscriptionOf(params)));
    if (isProgress && owner?.options.onProgress === undefined) return;
    const listener = isProgress ? undefined : owner?.options.onNotification;
    try {
      if (isProgress) owner?.options.onProgress?.(withoutToken(params));
      else if (listener !== undefined) listener(method, params);
      else this.#options.onNotification?.(method, params);
    } catch (error) {
      const isOwn = owner !== undefined && (isProgress || listener !== undefined);
      if (isOwn && this.#requests.fail(owner, error)) this.#link.abandon(owner.id);
    }
  }

  /** A request of the server. Servers of the modern era send theirs in results instead. */
  #answer(id: RequestId, method: string, params: JsonObject, streamOf: number | undefined): void {
    if (this.#era === 'modern') return;
    const owner = method === 'ping' ? undefined : this.#matcher.ownerOf(streamOf);
    if (owner === undefined) return this.#serverRequests.answer(id, method, params, this.#options.answer);
    this.#matcher.add(owner, id);
    this.#serverRequests.answer(id, method, params, owner.options.onRequest, () => this.#matcher.remove(owner, id));
  }
}

const notConnected = (): Error => wireError('NOT_CONNECTED', 'Not connected: the connection has ended');

const subscriptionOf = (params: JsonObject): unknown => (params['_meta'] as JsonObject | undefined)?.[metaKeys.subscriptionId];

function withoutToken({ progressToken: _token, ...progress }: JsonObject): JsonObject {
  return progress;
}
