/**
 * Owns the conversation over a link: requests and their answers, progress, cancellation, and what the server says on its own.
 *
 * Invariants
 * 1. Every request settles once; afterwards nothing of it listens to its signal.
 * 2. A request is cancelled in the way of its era and transport: by notification, by closing its stream, or both.
 * 3. What a listener of one request throws fails that request alone.
 */
import { type Era, metaKeys } from '../era.ts';
import { type JsonObject, type RequestId, isJsonObject } from '../message.ts';
import type { ClientRequestOptions, ConnectOptions } from './connection.ts';
import { type Identity, legacyParams, modernParams } from './request-params.ts';
import type { LinkListener, MessageLink } from './link.ts';
import { serverRequests } from './server-requests.ts';
import { type PendingRequest, pendingRequests } from './pending-requests.ts';
import { wireError } from './wire-error.ts';

export interface Peer {
  /** What is spoken from now on. */
  readonly speak: (era: Era, version: string | undefined) => void;
  readonly request: (
    method: string,
    params?: JsonObject,
    options?: ClientRequestOptions,
    headers?: readonly string[],
  ) => Promise<JsonObject>;
  readonly notify: (method: string, params?: JsonObject) => Promise<void>;
  readonly cancelsDelivered: () => Promise<void>;
  readonly hasEnded: () => boolean;
  readonly ended: Promise<void>;
}

export type PeerOptions = Identity & Pick<ConnectOptions, 'answer' | 'onNotification'>;

const noOptions: ClientRequestOptions = {};
const noParams: JsonObject = {};
const none: readonly RequestId[] = [];
/** Servers that ask several things for one request ask them in one breath. */
const sameBreathMs = 50;

export function createPeer(link: MessageLink, options: PeerOptions): Peer {
  const asked = serverRequests((message) => link.send(message));
  const requests = pendingRequests(asked.withdraw);
  const cancels = new Set<Promise<void>>();
  let era: Era = 'legacy';
  let spoken = '';
  let nextId = 1;
  let lastAsked: PendingRequest | undefined;
  let lastAskedAt = 0;
  let isOver = false;
  let over = (): void => {};
  const ended = new Promise<void>((resolve) => {
    over = resolve;
  });

  const notify = (method: string, params?: JsonObject): Promise<void> => {
    if (isOver) return Promise.reject(notConnected());
    return link.send({ jsonrpc: '2.0', method, ...(params === undefined ? {} : { params }) });
  };

  /** Closes the request's stream when the server has heard why. */
  const cancel = (pending: PendingRequest): void => {
    if (!requests.fail(pending, pending.options.signal?.reason) || isOver) return;
    const { id, method } = pending;
    if (method === 'initialize' || (era === 'modern' && link.hasStreams)) return link.abandon(id);
    const delivered = notify('notifications/cancelled', { requestId: id })
      .catch(() => {})
      .then(() => {
        link.abandon(id);
        cancels.delete(delivered);
      });
    cancels.add(delivered);
  };

  const stop = (pending: PendingRequest, error: unknown): void => {
    if (requests.fail(pending, error)) link.abandon(pending.id);
  };

  const notified = (method: string, params: JsonObject, streamOf: number | undefined): void => {
    if (method === 'notifications/cancelled') return asked.withdraw(params['requestId']);
    const isProgress = method === 'notifications/progress';
    const owner = requests.get(isProgress ? params['progressToken'] : (streamOf ?? subscriptionOf(params)));
    if (isProgress && owner?.options.onProgress === undefined) return;
    const listener = isProgress ? undefined : owner?.options.onNotification;
    try {
      if (isProgress) owner?.options.onProgress?.(withoutToken(params));
      else if (listener !== undefined) listener(method, params);
      else options.onNotification?.(method, params);
    } catch (error) {
      if (owner !== undefined && (isProgress || listener !== undefined)) stop(owner, error);
    }
  };

  /** Where the server does not say for which request it asks: the only one for which it does not ask already; else that of the question just before. */
  const asking = (streamOf: number | undefined): PendingRequest | undefined => {
    const owner = streamOf === undefined ? undefined : requests.get(streamOf);
    if (owner?.options.onRequest !== undefined) return owner;
    const listens = ({ options }: PendingRequest): boolean => options.onRequest !== undefined;
    const isFree = (each: PendingRequest): boolean => listens(each) && each.serverRequestIds.length === 0;
    return requests.only(isFree) ?? requests.only(listens) ?? (requests.some(isFree) ? undefined : askedJustNow());
  };
  const askedJustNow = (): PendingRequest | undefined =>
    lastAsked !== undefined && performance.now() - lastAskedAt < sameBreathMs ? requests.get(lastAsked.id) : undefined;
  /** Servers of the modern era ask in their results. */
  const questioned = (id: RequestId, method: string, params: JsonObject, streamOf: number | undefined): void => {
    if (era === 'modern') return;
    const owner = method === 'ping' ? undefined : asking(streamOf);
    if (owner === undefined) return asked.answer(id, method, params, options.answer);
    owner.serverRequestIds = [...owner.serverRequestIds, id];
    lastAsked = owner;
    lastAskedAt = performance.now();
    asked.answer(id, method, params, owner.options.onRequest, () => {
      owner.serverRequestIds = owner.serverRequestIds.filter((each) => each !== id);
    });
  };

  const listener: LinkListener = {
    message(message, streamOf) {
      const { id, method } = message;
      if (typeof method === 'string') {
        const params = isJsonObject(message['params']) ? message['params'] : noParams;
        if (typeof id === 'number' || typeof id === 'string') questioned(id, method, params, streamOf);
        else notified(method, params, streamOf);
      } else if (id !== undefined && id !== null) requests.settle(requests.get(id), message);
      // A server that could not read a request answers to nobody.
      else if (isJsonObject(message['error'])) requests.settle(requests.get(streamOf) ?? requests.only(() => true), message);
    },
    lost(requestId, error) {
      if (requestId !== undefined) requests.fail(requests.get(requestId), error);
      else requests.failAll(error);
    },
    ended() {
      isOver = true;
      requests.failAll(wireError('CONNECTION_CLOSED', 'The connection was closed'));
      over();
    },
  };
  link.start(listener);

  return {
    ended,
    notify,
    hasEnded: () => isOver,
    speak(next, version) {
      era = next;
      spoken = version ?? '';
      link.speak(next, version);
    },
    request: (method, params, requestOptions = noOptions, headers) =>
      new Promise((resolve, reject) => {
        const { signal } = requestOptions;
        if (signal?.aborted === true) return reject(signal.reason as Error);
        if (isOver) return reject(notConnected());
        const id = nextId++;
        const pending: PendingRequest = {
          id,
          method,
          options: requestOptions,
          resolve,
          reject,
          onAbort: undefined,
          serverRequestIds: none,
        };
        requests.add(pending);
        if (signal !== undefined) {
          pending.onAbort = () => cancel(pending);
          signal.addEventListener('abort', pending.onAbort, { once: true });
        }
        try {
          const sent =
            era === 'legacy' ? legacyParams(params, id, requestOptions) : modernParams(params, id, requestOptions, spoken, options);
          link.request(sent === undefined ? { jsonrpc: '2.0', id, method } : { jsonrpc: '2.0', id, method, params: sent }, headers);
        } catch (error) {
          // Params that are no JSON.
          requests.fail(pending, error);
        }
      }),
    cancelsDelivered: () => Promise.all(cancels).then(() => {}),
  };
}

const notConnected = (): Error => wireError('NOT_CONNECTED', 'Not connected: the connection has ended');

const subscriptionOf = (params: JsonObject): unknown => (params['_meta'] as JsonObject | undefined)?.[metaKeys.subscriptionId];

function withoutToken({ progressToken: _token, ...progress }: JsonObject): JsonObject {
  return progress;
}
