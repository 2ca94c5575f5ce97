/**
 * Owns one legacy session over HTTP: its client, its streams, and the time of its last use.
 *
 * Invariants
 * 1. Stream 0 carries messages outside of any request; every other stream belongs to one request.
 * 2. Ending a session ends its client and its streams and drops its kept events.
 */
import { randomUUID } from 'node:crypto';
import type { JsonObject } from '../../message.ts';
import type { RequestRegistry } from '../request-registry.ts';
import { LegacyClient } from '../legacy-client.ts';
import type { HttpTransportLimits } from './http-options.ts';
import { ReplayBuffer, type ReplayTotal } from './replay-buffer.ts';
import { SessionStream } from './session-stream.ts';

export class Session {
  readonly id: string = randomUUID();
  readonly legacy: LegacyClient;
  readonly standalone: SessionStream;
  readonly #replay: ReplayBuffer;
  readonly #streams = new Map<number, SessionStream>();
  readonly #maxBufferedBytes: number;
  #lastStream = 0;
  #lastUsedMs = Date.now();

  constructor(
    registry: RequestRegistry,
    params: JsonObject,
    principal: string | undefined,
    limits: HttpTransportLimits,
    total: ReplayTotal,
  ) {
    this.#replay = new ReplayBuffer(limits.replayBytes, total);
    this.#maxBufferedBytes = limits.streamBytes;
    this.standalone = new SessionStream(0, this.#replay, limits.streamBytes);
    this.#streams.set(0, this.standalone);
    this.legacy = new LegacyClient(registry, params, {
      id: this.id,
      principal,
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

  use(): void {
    this.#lastUsedMs = Date.now();
  }

  publish(text: string, isListChange: boolean): void {
    if (isListChange) this.standalone.sendOnce(text);
    else this.standalone.send(text);
  }

  openStream(): SessionStream {
    const stream = new SessionStream(++this.#lastStream, this.#replay, this.#maxBufferedBytes);
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
