/**
 * Owns what all clients of a front have in common: the face, what runs, the levels of log that are wanted, and the end.
 *
 * Invariants
 * 1. No more runs than the limit allows; when closing, nothing new starts.
 * 2. The face hears of the least severe level whenever it changes, and only then.
 */
import { type LogLevel, logLevels } from '../era.ts';
import { type JsonObject, rpcCodes, rpcError, type RpcError } from '../message.ts';
import type { ServerFace } from './handler.ts';

/** A request, as far as the desk is concerned with it. */
export interface Running {
  tick(nowMs: number): void;
  stop(error: Error): void;
}

export class RequestRegistry {
  readonly face: ServerFace;
  readonly onFault: (error: unknown) => void;
  readonly running: Set<Running> = new Set();
  readonly #limit: number;
  readonly #levels: number[] = logLevels.map(() => 0);
  #leastLevel: LogLevel | undefined;
  #serverInfo: JsonObject | undefined;
  #isClosing = false;
  #whenIdle: (() => void) | undefined;

  constructor(face: ServerFace, limit: number, onFault: ((error: unknown) => void) | undefined) {
    this.face = face;
    this.#limit = limit;
    this.onFault = onFault ?? ((): void => {});
  }

  get isClosing(): boolean {
    return this.#isClosing;
  }

  /** Why nothing new can start now. */
  refusalReason(): RpcError | undefined {
    if (this.#isClosing) return rpcError(rpcCodes.internalError, 'The server is closing');
    if (this.running.size >= this.#limit)
      return rpcError(rpcCodes.internalError, `The server is busy: ${this.#limit} requests are running`);
    return undefined;
  }

  add(request: Running): void {
    this.running.add(request);
  }

  remove(request: Running): void {
    this.running.delete(request);
    if (this.running.size === 0) this.#whenIdle?.();
  }

  /** Tells the face what needs no answer; what it throws is not the client's business. */
  notifyHandler(what: (face: ServerFace) => void): void {
    try {
      what(this.face);
    } catch (error) {
      this.onFault(error);
    }
  }

  /** Remembers who the face says it is, for `_meta` of every modern result. */
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
    if (least === this.#leastLevel) return;
    this.#leastLevel = least;
    this.notifyHandler((face) => face.logLevelChanged?.(least));
  }

  /** Lets what runs end within the limit; the rest is cancelled with an error that its client is told. */
  async close(limitMs: number): Promise<void> {
    this.#isClosing = true;
    if (this.running.size > 0) await this.#idle(limitMs);
    for (const request of this.running)
      request.stop(rpcError(rpcCodes.internalError, 'The server was closed before the request had ended'));
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
