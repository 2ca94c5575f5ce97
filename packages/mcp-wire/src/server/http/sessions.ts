/**
 * Owns the set of legacy sessions.
 *
 * Invariants
 * 1. A session is found only by its id and the principal that opened it; to any other principal it does not exist.
 * 2. There are never more than the limit: the one idle for longest is ended, unless all are in use.
 */
import type { JsonObject } from '../../message.ts';
import type { RequestRegistry } from '../request-registry.ts';
import type { HttpTransportLimits } from './http-options.ts';
import type { ReplayTotal } from './replay-buffer.ts';
import { Session } from './session.ts';

const allReplayBytes = 67_108_864;

export class Sessions {
  readonly #registry: RequestRegistry;
  readonly #limits: HttpTransportLimits;
  readonly #sessions = new Map<string, Session>();
  readonly #total: ReplayTotal;

  constructor(registry: RequestRegistry, limits: HttpTransportLimits) {
    this.#registry = registry;
    this.#limits = limits;
    this.#total = { bytes: 0, limit: Math.max(limits.replayBytes, allReplayBytes) };
  }

  get size(): number {
    return this.#sessions.size;
  }

  values(): Iterable<Session> {
    return this.#sessions.values();
  }

  find(id: string, principal: string | undefined): Session | undefined {
    const session = this.#sessions.get(id);
    return session?.legacy.client.principal === principal ? session : undefined;
  }

  /** `undefined` if the limit is reached and all sessions are in use. */
  open(params: JsonObject, principal: string | undefined): Session | undefined {
    if (this.#sessions.size >= this.#limits.sessions && !this.#makeRoom()) return undefined;
    const session = new Session(this.#registry, params, principal, this.#limits, this.#total);
    this.#sessions.set(session.id, session);
    return session;
  }

  end(session: Session, reason: string): void {
    this.#sessions.delete(session.id);
    session.end(reason);
  }

  endAll(reason: string): void {
    for (const session of this.#sessions.values()) this.end(session, reason);
  }

  tick(nowMs: number): void {
    for (const session of this.#sessions.values()) {
      session.tick(nowMs, this.#limits.keepAliveMs);
      if (nowMs - session.lastUsedMs > this.#limits.sessionIdleMs) this.end(session, 'The session was idle for too long');
    }
  }

  #makeRoom(): boolean {
    let oldest: Session | undefined;
    for (const session of this.#sessions.values())
      if (!session.isInUse && session.lastUsedMs < (oldest?.lastUsedMs ?? Infinity)) oldest = session;
    if (oldest === undefined) return false;
    this.end(oldest, 'The session was ended to make room for another one');
    return true;
  }
}
