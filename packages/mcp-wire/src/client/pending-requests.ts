/**
 * Owns the pending requests: settling each, and removing its signal's listener.
 */
import { type JsonObject, type RequestId, isJsonObject, rpcError } from '../message.ts';
import type { ClientRequestOptions } from './connection.ts';
import { wireError } from './wire-error.ts';

export interface PendingRequest {
  readonly id: number;
  readonly method: string;
  readonly options: ClientRequestOptions;
  readonly resolve: (result: JsonObject) => void;
  readonly reject: (error: unknown) => void;
  onAbort: (() => void) | undefined;
  /** The server's open requests for this request. */
  serverRequestIds: readonly RequestId[];
}

export interface PendingRequests {
  readonly add: (pending: PendingRequest) => void;
  /** Ids are numbers; some servers answer with strings. */
  readonly get: (id: unknown) => PendingRequest | undefined;
  /** Returns the only pending request that matches; `undefined` if there are several. */
  readonly findOnly: (holds: (pending: PendingRequest) => boolean) => PendingRequest | undefined;
  readonly some: (holds: (pending: PendingRequest) => boolean) => boolean;
  /** Whether requests are pending on behalf of different clients. */
  readonly areOfSeveral: () => boolean;
  /** Returns false if the request is not pending. */
  readonly settle: (pending: PendingRequest | undefined, answer: JsonObject) => boolean;
  readonly fail: (pending: PendingRequest | undefined, error: unknown) => boolean;
  readonly failAll: (error: Error) => void;
}

const numberOf = (id: unknown): number => (typeof id === 'string' && id !== '' ? Number(id) : (id as number));

/** `forget` is called for each open question of a request that settles. */
export function pendingRequests(forget: (question: RequestId) => void): PendingRequests {
  const table = new Map<number, PendingRequest>();

  const take = (pending: PendingRequest | undefined): pending is PendingRequest => {
    if (pending === undefined || !table.delete(pending.id)) return false;
    for (const question of pending.serverRequestIds) forget(question);
    if (pending.onAbort !== undefined) pending.options.signal?.removeEventListener('abort', pending.onAbort);
    return true;
  };
  const fail = (pending: PendingRequest | undefined, error: unknown): boolean => {
    if (!take(pending)) return false;
    pending.reject(error);
    return true;
  };

  return {
    add: (pending) => void table.set(pending.id, pending),
    get: (id) => table.get(numberOf(id)),
    findOnly(holds) {
      let found: PendingRequest | undefined;
      for (const pending of table.values()) {
        if (!holds(pending)) continue;
        if (found !== undefined) return undefined;
        found = pending;
      }
      return found;
    },
    some: (holds) => [...table.values()].some(holds),
    areOfSeveral() {
      let first: PendingRequest | undefined;
      for (const pending of table.values()) {
        first ??= pending;
        if (pending.options.onBehalfOf !== first.options.onBehalfOf) return true;
      }
      return false;
    },
    settle(pending, { result, error }) {
      if (!take(pending)) return false;
      if (isJsonObject(error) && typeof error['code'] === 'number') {
        const { code, message, data } = error;
        pending.reject(rpcError(code, typeof message === 'string' ? message : `Error ${code}`, data));
      } else if (isJsonObject(result)) pending.resolve(result);
      else pending.reject(wireError('INVALID_ANSWER', 'the answer has neither a result nor an error'));
      return true;
    },
    fail,
    failAll(error) {
      for (const pending of table.values()) fail(pending, error);
    },
  };
}
