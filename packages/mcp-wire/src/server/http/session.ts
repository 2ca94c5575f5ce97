/**
 * Owns one legacy session over HTTP: its client, its streams, and the time of its last use.
 *
 * Invariants
 * 1. Stream 0 carries messages outside of any request; every other stream belongs to one request.
 * 2. Ending a session ends its client and its streams and drops its kept events.
 */
import { randomBytes } from 'node:crypto';
import type { JsonObject, RequestId } from '../../message.ts';
import type { RequestRegistry } from '../request-registry.ts';
import { LegacyClient, listChanges } from '../legacy-client.ts';
import { notificationText } from '../serialize-message.ts';
import type { HttpCaller, HttpTransportLimits } from './http-options.ts';
import { ReplayBuffer, type ReplayTotal } from './replay-buffer.ts';
import { SessionStream } from './session-stream.ts';

export interface SessionStart {
  /** Empty for a client without a session. */
  readonly id: string;
  /** Params of `initialize`. */
  readonly params: JsonObject;
  readonly caller: HttpCaller;
}

export class Session {
  readonly id: string;
  readonly principal: string | undefined;
  readonly endpoint: string | undefined;
  /** Of this object: a session that is continued elsewhere, or later, has another one, and none of its streams. */
  readonly epoch: string = randomBytes(6).toString('hex');
  readonly legacy: LegacyClient;
  readonly standalone: SessionStream;
  readonly #replay: ReplayBuffer;
  readonly #streams = new Map<number, SessionStream>();
  readonly #maxBufferedBytes: number;
  #access: unknown;
  #lastStream = 0;
  #lastUsedMs = performance.now();

  constructor(registry: RequestRegistry, { id, params, caller }: SessionStart, limits: HttpTransportLimits, total: ReplayTotal) {
    this.id = id;
    this.principal = caller.principal;
    this.endpoint = caller.endpoint;
    this.#access = caller.access;
    this.#replay = new ReplayBuffer(limits.replayBytes, total, caller.principal);
    this.#maxBufferedBytes = limits.streamBytes;
    this.standalone = new SessionStream({ number: 0, epoch: this.epoch }, this.#replay, limits.streamBytes);
    this.#streams.set(0, this.standalone);
    this.legacy = new LegacyClient(registry, params, {
      id: this.id,
      principal: this.principal,
      access: () => this.#access,
      questionPrefix: this.epoch,
      level: id === '' ? 'none' : 'info',
      transport: 'http',
      send: (text) => this.standalone.send(text),
    });
  }

  get lastUsedMs(): number {
    return this.#lastUsedMs;
  }

  get isInUse(): boolean {
    return this.legacy.running.size > 0 || this.standalone.isConnected;
  }

  /** `caller`: the sender of a new request. */
  use(caller?: HttpCaller): void {
    this.#lastUsedMs = performance.now();
    if (caller !== undefined) this.#access = caller.access;
  }

  publish(text: string, isListChange: boolean): void {
    if (isListChange) this.standalone.sendOnce(text);
    else this.standalone.send(text);
  }

  /** For a client that may have missed notifications. */
  announceUnknownChanges(): void {
    for (const method of listChanges) this.publish(notificationText(method, {}), true);
  }

  openStream(requestId: RequestId): SessionStream {
    const identity = { number: ++this.#lastStream, epoch: this.epoch, requestId };
    const stream = new SessionStream(identity, this.#replay, this.#maxBufferedBytes);
    this.#streams.set(stream.number, stream);
    return stream;
  }

  stream(number: number): SessionStream | undefined {
    return this.#streams.get(number);
  }

  tick(nowMs: number, keepAliveMs: number): void {
    if (this.isInUse) this.#lastUsedMs = nowMs;
    this.#replay.forgetOld(nowMs);
    for (const stream of this.#streams.values()) {
      stream.keepAlive(nowMs, keepAliveMs);
      if (stream.isFinished && !this.#replay.has(stream.number)) this.#streams.delete(stream.number);
    }
  }

  end(reason: string): void {
    this.legacy.end(reason);
    for (const stream of this.#streams.values()) stream.end();
    this.#streams.clear();
    this.#replay.clear();
  }
}
