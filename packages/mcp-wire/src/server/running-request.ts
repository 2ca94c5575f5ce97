/**
 * Owns one request while it runs: what the face sees of it, its signal, and that it is answered once.
 *
 * Invariants
 * 1. After the answer, or after the cancellation, nothing of it is sent any more.
 * 2. `stop()` ends it for the client at once, whatever the face does with the signal.
 * 3. It is in the books of the desk, and of its client, from the beginning to the end.
 */
import { type LogLevel, logLevels, metaKeys } from '../era.ts';
import { isJsonObject, type JsonObject, type RequestId, rpcCodes, rpcError, type RpcError } from '../message.ts';
import type { RequestRegistry, Running } from './request-registry.ts';
import type { FaceClient, FaceRequest } from './handler.ts';
import type { IncomingRequest } from './parse-message.ts';
import { notificationText } from './serialize-message.ts';
import type { Answer, ResponseSink } from './response-sink.ts';

/** What runs for one client, by id. */
export type RunningRequests = Map<RequestId, RunningRequest>;

export class RunningRequest implements FaceRequest, Running {
  readonly id: RequestId;
  readonly method: string;
  readonly params: JsonObject;
  readonly client: FaceClient;
  readonly logLevel: LogLevel | undefined;
  readonly #desk: RequestRegistry;
  readonly #book: RunningRequests | undefined;
  readonly #outlet: ResponseSink;
  readonly #progressToken: string | number | undefined;
  #controller: AbortController | undefined;
  #reason: unknown;
  #isStopped = false;
  #isEnded = false;

  constructor(
    desk: RequestRegistry,
    message: IncomingRequest,
    client: FaceClient,
    logLevel: LogLevel | undefined,
    outlet: ResponseSink,
    book?: RunningRequests,
  ) {
    this.#desk = desk;
    this.#book = book;
    this.id = message.id;
    this.method = message.method;
    this.params = message.params;
    this.client = client;
    this.logLevel = logLevel;
    this.#outlet = outlet;
    this.#progressToken = progressTokenOf(message.params);
    desk.add(this);
    book?.set(this.id, this);
    if (client.era === 'modern') desk.addLevel(logLevel);
  }

  get wantsProgress(): boolean {
    return this.#progressToken !== undefined;
  }

  /** Made when somebody looks. */
  get signal(): AbortSignal {
    if (this.#controller === undefined) {
      this.#controller = new AbortController();
      if (this.#isStopped) this.#controller.abort(this.#reason);
    }
    return this.#controller.signal;
  }

  reportProgress(progress: JsonObject): void {
    if (this.#isEnded || this.#progressToken === undefined) return;
    this.#outlet.send(notificationText('notifications/progress', { ...progress, progressToken: this.#progressToken }));
  }

  notify(method: string, params: JsonObject): void {
    if (this.#isEnded) return;
    if (method === 'notifications/message' && !isWanted(params['level'], this.logLevel)) return;
    this.#outlet.send(notificationText(method, params));
  }

  async ask(method: string, params: JsonObject, signal?: AbortSignal): Promise<JsonObject> {
    if (this.#isEnded) throw rpcError(rpcCodes.internalError, 'The request has ended');
    if (this.#outlet.ask === undefined) throw rpcError(rpcCodes.methodNotFound, `The client cannot be asked for ${method} here`);
    return await this.#outlet.ask(method, params, signal === undefined ? [this.signal] : [this.signal, signal]);
  }

  tick(nowMs: number): void {
    this.#outlet.tick?.(nowMs);
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
    this.#tell(answer);
  }

  /** The client wants no answer any more. */
  cancel(reason: string): void {
    if (!this.#isEnded) this.#abort(rpcError(requestCancelled, reason), undefined);
  }

  /** The server ends it. */
  stop(error: Error): void {
    this.#abort(error, { error });
  }

  #abort(reason: unknown, answer: { readonly error: unknown } | undefined): void {
    if (this.#isEnded) return;
    this.#close();
    this.#isStopped = true;
    this.#reason = reason;
    this.#tell(answer);
    this.#controller?.abort(reason);
  }

  #tell(answer: Answer | undefined): void {
    try {
      this.#outlet.end(answer);
    } catch (error) {
      this.#desk.onFault(error);
    }
  }

  #close(): void {
    this.#isEnded = true;
    this.#book?.delete(this.id);
    this.#desk.remove(this);
    if (this.client.era === 'modern') this.#desk.removeLevel(this.logLevel);
  }
}

/** Outside of the range that JSON-RPC reserves, as the protocol wants codes of implementations to be. */
const requestCancelled = -32_800;

/** For a response that has to say something though the request was cancelled. */
export const cancelledError = (): RpcError => rpcError(requestCancelled, 'Request cancelled');

/** Whether a message of this level is as severe as the client wants. */
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

/** The level that a modern request asks for; an unknown one is an error. */
export function requestLevel(meta: JsonObject): LogLevel | undefined {
  const level = meta[metaKeys.logLevel];
  if (level === undefined) return undefined;
  if (!logLevels.includes(level as LogLevel)) throw rpcError(rpcCodes.invalidParams, `Invalid params: unknown log level`);
  return level as LogLevel;
}
