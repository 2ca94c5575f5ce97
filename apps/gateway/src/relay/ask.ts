/**
 * Owns one request to one upstream, other than tool calls: its deadline, one retry, and its error.
 *
 * Invariants
 * 1. Settles by the deadline, with a result, an `RpcError`, or the reason of the caller's signal. The deadline excludes questions to the client.
 * 2. Only a read is retried, and at most once. An answer of the server, even an error, is never retried.
 * 3. Errors of servers keep code, message and data; all texts are redacted.
 */
import type { Redactor } from '@holdfast/core';
import type { ClientRequestOptions } from '@holdfast/mcp-wire/client';
import { isRpcError, type JsonObject, rpcCodes, rpcError, type RpcError } from '@holdfast/mcp-wire/server';
import { setTimeout as sleep } from 'node:timers/promises';
import type { OnBehalf } from '../access/on-behalf.ts';
import { boundedError } from '../calls/bounded-error.ts';
import { over, type Upstream, type Upstreams } from '../upstreams/upstream.ts';
import { deadlineCode, withDeadline } from '../plain/with-deadline.ts';

export interface AskOptions extends ClientRequestOptions {
  /** Whether the request may be retried when it is not known whether the server has received it. @default false */
  readonly isRead?: boolean;
  /** @default the time limit of the server's tools, else that of the relay */
  readonly limitMs?: number;
  /** The client for whom it is asked. @default the gateway itself */
  readonly who?: OnBehalf | undefined;
}

export type Ask = (upstream: Upstream, method: string, params: JsonObject, options?: AskOptions) => Promise<JsonObject>;

export interface AskSettings {
  readonly upstreams: Pick<Upstreams, 'get'>;
  readonly limitMs: number;
  readonly redact: Redactor;
}

/** The maximum wait for a server that is restarting. */
const shortWaitMs = 500;

/** Local failures that a retry cannot fix, or must not. */
const finalCodes: ReadonlySet<unknown> = new Set([
  'SECRET_MISSING',
  'LOGIN_REQUIRED',
  'SCOPE_REFUSED',
  'AUTHORIZATION_FAILED',
  'MCP_MESSAGE_TOO_LARGE',
  'INVALID_RESPONSE',
  deadlineCode,
]);

export function createAsk({ upstreams, limitMs, redact }: AskSettings): Ask {
  return async (upstream, method, params, { isRead = false, limitMs: ownLimitMs, who, signal, onRequest, ...options } = {}) => {
    try {
      return await withDeadline(ownLimitMs ?? upstream.entry.defaults.timeoutMs ?? limitMs, signal, async (inner, clock) => {
        const requestOptions: ClientRequestOptions = {
          ...options,
          onBehalfOf: who?.owner,
          signal: inner,
          ...(onRequest === undefined ? {} : { onRequest: (asked, what) => clock.pauseDuring(() => onRequest(asked, what)) }),
        };
        // A reload may have replaced the server.
        const send = (): Promise<JsonObject> =>
          over(upstreams.get(upstream.name) ?? upstream, who, (server) => server.request(method, params, requestOptions));
        try {
          return await send();
        } catch (error) {
          const waitMs = inner.aborted || !isRead ? undefined : waitBeforeSecond(error);
          if (waitMs === undefined) throw error;
          if (waitMs > 0) await sleep(waitMs, undefined, { signal: inner });
        }
        return await send();
      });
    } catch (error) {
      if (signal?.aborted === true) throw signal.reason;
      throw relayError(boundedError(error), upstream.name, redact);
    }
  };
}

function waitBeforeSecond(error: unknown): number | undefined {
  const {
    code,
    status = 500,
    retryAfterMs = 0,
  } = error as { readonly code?: unknown; readonly status?: number; readonly retryAfterMs?: number };
  if (isRpcError(error) || finalCodes.has(code) || status < 500) return undefined;
  return retryAfterMs <= shortWaitMs ? retryAfterMs : undefined;
}

/** Returns the error for a client when a request failed at the server or on the way to it. */
export function relayError(error: unknown, server: string, redact: Redactor): RpcError {
  if (isRpcError(error)) return rpcError(error.code, redact(error.message), redactDeep(error.data, redact));
  const { code, message, retryAfterMs } = (error ?? {}) as {
    readonly code?: unknown;
    readonly message?: unknown;
    readonly retryAfterMs?: unknown;
  };
  const reason = typeof message === 'string' ? message : String(error);
  const text = reason.includes(server) ? reason : `MCP server ${server}: ${reason}`;
  const failure = rpcError(rpcCodes.internalError, redact(text), {
    'dev.holdfast/error': {
      server,
      ...(typeof code === 'string' ? { code } : {}),
      retryable: !finalCodes.has(code) || code === deadlineCode,
      ...(typeof retryAfterMs === 'number' ? { retryAfterMs } : {}),
    },
  });
  // It knows whether a login is missing. It is not sent.
  return Object.assign(failure, { cause: error });
}

/** Maximum depth of `data`; deeper values are left out. */
const maxDepth = 8;

function redactDeep(value: unknown, redact: Redactor, depth: number = 0): unknown {
  if (typeof value === 'string') return redact(value);
  if (typeof value !== 'object' || value === null) return value;
  if (depth === maxDepth) return undefined;
  if (Array.isArray(value)) return value.map((item) => redactDeep(item, redact, depth + 1));
  return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, redactDeep(item, redact, depth + 1)]));
}
