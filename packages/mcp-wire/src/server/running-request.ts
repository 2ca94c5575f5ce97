/**
 * Owns one running request: what the handler sees of it, its signal, and answering it exactly once.
 *
 * Invariants
 * 1. After the answer or the cancellation, nothing more is sent for it.
 * 2. `stop()` ends it for the client at once, even if the handler ignores the signal.
 * 3. It is registered in the registry and with its client from start to end.
 */
import { type LogLevel, logLevels, metaKeys } from '../era.ts';
import { isJsonObject, type JsonObject, type RequestId, rpcCodes, rpcError, type RpcError } from '../message.ts';
import type { RequestRegistry, Running } from './request-registry.ts';
import type { ConnectedClient, ClientRequest } from './handler.ts';
import type { IncomingRequest } from './parse-message.ts';
import { notificationText } from './serialize-message.ts';
import type { Answer, ResponseSink } from './response-sink.ts';

/** The running requests of one client, by id. */
export type RunningRequests = Map<RequestId, RunningRequest>;

export class RunningRequest implements ClientRequest, Running {
  readonly id: RequestId;
  readonly method: string;
  readonly params: JsonObject;
  readonly client: ConnectedClient;
  readonly logLevel: LogLevel | undefined;
  readonly #registry: RequestRegistry;
  readonly #owner: RunningRequests | undefined;
  readonly #sink: ResponseSink;
  readonly #progressToken: string | number | undefined;
  #controller: AbortController | undefined;
  #reason: unknown;
  #isStopped = false;
  #isEnded = false;

  constructor(
    registry: RequestRegistry,
    message: IncomingRequest,
    client: ConnectedClient,
    logLevel: LogLevel | undefined,
    sink: ResponseSink,
    owner?: RunningRequests,
  ) {
    this.#registry = registry;
    this.#owner = owner;
    this.id = message.id;
    this.method = message.method;
    this.params = message.params;
    this.client = client;
    this.logLevel = logLevel;
    this.#sink = sink;
    this.#progressToken = progressTokenOf(message.params);
    registry.add(this);
    owner?.set(this.id, this);
    if (client.era === 'modern') registry.addLevel(logLevel);
  }

  get wantsProgress(): boolean {
    return this.#progressToken !== undefined;
  }

  /** Created on first access. */
  get signal(): AbortSignal {
    if (this.#controller === undefined) {
      this.#controller = new AbortController();
      if (this.#isStopped) this.#controller.abort(this.#reason);
    }
    return this.#controller.signal;
  }

  reportProgress(progress: JsonObject): void {
    if (this.#isEnded || this.#progressToken === undefined) return;
    this.#sink.send(notificationText('notifications/progress', { ...progress, progressToken: this.#progressToken }));
  }

  notify(method: string, params: JsonObject): void {
    if (this.#isEnded) return;
    if (method === 'notifications/message' && !isWanted(params['level'], this.logLevel)) return;
    this.#sink.send(notificationText(method, params));
  }

  async ask(method: string, params: JsonObject, signal?: AbortSignal): Promise<JsonObject> {
    if (this.#isEnded) throw rpcError(rpcCodes.internalError, 'The request has ended');
    if (this.#sink.ask === undefined) throw rpcError(rpcCodes.methodNotFound, `${method} cannot be sent to the client here`);
    return await this.#sink.ask(method, params, signal === undefined ? [this.signal] : [this.signal, signal]);
  }

  tick(nowMs: number): void {
    this.#sink.tick?.(nowMs);
  }

  settleWith(promise: Promise<JsonObject>): void {
    promise.then(
      (result) => this.end({ result }),
      (error: unknown) => this.end({ error }),
    );
  }

  end(answer: Answer): void {
    if (this.#isEnded) return;
    this.#close();
    this.#settle(answer);
  }

  /** Ends the request without an answer, because the client has cancelled it. */
  cancel(reason: string): void {
    if (!this.#isEnded) this.#abort(rpcError(requestCancelled, reason), undefined);
  }

  /** Ends the request with an error from the server. */
  stop(error: Error): void {
    this.#abort(error, { error });
  }

  #abort(reason: unknown, answer: { readonly error: unknown } | undefined): void {
    if (this.#isEnded) return;
    this.#close();
    this.#isStopped = true;
    this.#reason = reason;
    this.#settle(answer);
    this.#controller?.abort(reason);
  }

  #settle(answer: Answer | undefined): void {
    try {
      this.#sink.end(answer);
    } catch (error) {
      this.#registry.onFault(error);
    }
  }

  #close(): void {
    this.#isEnded = true;
    this.#owner?.delete(this.id);
    this.#registry.remove(this);
    if (this.client.era === 'modern') this.#registry.removeLevel(this.logLevel);
  }
}

/** Outside the range JSON-RPC reserves, as the protocol requires of implementation-defined codes. */
const requestCancelled = -32_800;

/** For a transport that must answer even a cancelled request. */
export const cancelledError = (): RpcError => rpcError(requestCancelled, 'Request cancelled');

/** Whether a message of this level is at least as severe as the client's minimum. */
export function isWanted(level: unknown, least: LogLevel | undefined): boolean {
  if (least === undefined) return false;
  const rank = logLevels.indexOf(level as LogLevel);
  return rank === -1 || rank >= logLevels.indexOf(least);
}

function progressTokenOf(params: JsonObject): string | number | undefined {
  const meta = params['_meta'];
  const token = isJsonObject(meta) ? meta['progressToken'] : undefined;
  return typeof token === 'string' || typeof token === 'number' ? token : undefined;
}

/** The log level a modern request asks for; throws if it is unknown. */
export function requestLevel(meta: JsonObject): LogLevel | undefined {
  const level = meta[metaKeys.logLevel];
  if (level === undefined) return undefined;
  if (!logLevels.includes(level as LogLevel)) throw rpcError(rpcCodes.invalidParams, `Invalid params: unknown log level`);
  return level as LogLevel;
}
