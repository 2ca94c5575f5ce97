/**
 * Owns what all clients of a transport share: the handler, the running requests, the requested log levels, and closing.
 *
 * Invariants
 * 1. No more requests run than the limit allows, and those of one principal leave room for others; once closing, none starts.
 * 2. The handler is notified of the least severe requested level whenever it changes, and only then.
 */
import { type LogLevel, logLevels } from '../era.ts';
import { type JsonObject, rpcCodes, rpcError, type RpcError } from '../message.ts';
import { FairShare } from './fair-share.ts';
import type { ServerHandler } from './handler.ts';

/** A running request, as the registry sees it. */
export interface Running {
  readonly client: { readonly principal: string | undefined };
  tick(nowMs: number): void;
  stop(error: Error): void;
}

export class RequestRegistry {
  readonly handler: ServerHandler;
  readonly onFault: (error: unknown) => void;
  readonly running: Set<Running> = new Set();
  readonly #limit: number;
  readonly #share: FairShare;
  readonly #levels: number[] = logLevels.map(() => 0);
  #minLevel: LogLevel | undefined;
  #serverInfo: JsonObject | undefined;
  #isClosing = false;
  #whenIdle: (() => void) | undefined;

  constructor(handler: ServerHandler, limit: number, onFault: ((error: unknown) => void) | undefined) {
    this.handler = handler;
    this.#limit = limit;
    this.#share = new FairShare(limit);
    this.onFault = onFault ?? ((): void => {});
  }

  get isClosing(): boolean {
    return this.#isClosing;
  }

  /** The reason why no request can start now, if any. */
  refusalReason(principal: string | undefined): RpcError | undefined {
    if (this.#isClosing) return rpcError(rpcCodes.internalError, 'The server is closing');
    if (this.#share.admits(principal)) return undefined;
    const running = this.#share.total;
    return rpcError(
      rpcCodes.internalError,
      running >= this.#limit
        ? `The server is busy: ${this.#limit} requests are already running`
        : `The server is busy: ${this.#share.held(principal)} of its ${running} running requests are yours, and the rest of ${this.#limit} is kept for others`,
    );
  }

  add(request: Running): void {
    this.running.add(request);
    this.#share.take(request.client.principal);
  }

  remove(request: Running): void {
    if (this.running.delete(request)) this.#share.release(request.client.principal);
    if (this.running.size === 0) this.#whenIdle?.();
  }

  /** Notifies the handler of something that needs no answer; errors it throws are not sent to the client. */
  notifyHandler(what: (handler: ServerHandler) => void): void {
    try {
      what(this.handler);
    } catch (error) {
      this.onFault(error);
    }
  }

  /** Remembers the handler's `serverInfo` for the `_meta` of every modern result. */
  rememberServerInfo(serverInfo: JsonObject): void {
    this.#serverInfo = serverInfo;
  }

  get serverInfo(): JsonObject | undefined {
    return this.#serverInfo;
  }

  addLevel(level: LogLevel | undefined): void {
    this.#countLevel(level, 1);
  }

  removeLevel(level: LogLevel | undefined): void {
    this.#countLevel(level, -1);
  }

  #countLevel(level: LogLevel | undefined, step: number): void {
    if (level === undefined) return;
    const rank = logLevels.indexOf(level);
    this.#levels[rank] = (this.#levels[rank] ?? 0) + step;
    const least = logLevels[this.#levels.findIndex((count) => count > 0)];
    if (least === this.#minLevel) return;
    this.#minLevel = least;
    this.notifyHandler((handler) => handler.logLevelChanged?.(least));
  }

  /** Lets running requests finish within the time limit; the rest are answered with an error. */
  async close(limitMs: number): Promise<void> {
    this.#isClosing = true;
    if (this.running.size > 0) await this.#idle(limitMs);
    for (const request of this.running) request.stop(rpcError(rpcCodes.internalError, 'The server was closed before the request finished'));
  }

  async #idle(limitMs: number): Promise<void> {
    let timer: NodeJS.Timeout | undefined;
    await new Promise<void>((resolve) => {
      this.#whenIdle = resolve;
      timer = setTimeout(resolve, limitMs);
    });
    clearTimeout(timer);
    this.#whenIdle = undefined;
  }
}
