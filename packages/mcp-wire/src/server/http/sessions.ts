/**
 * Owns the set of legacy sessions.
 *
 * Invariants
 * 1. A session is found only by its id and the principal that opened it, at its endpoint; to any other principal it does not exist.
 * 2. A session that is not known here is continued if its id was signed with the key, unless its client has ended it.
 * 3. There are never more than the limit. A principal makes room by its own idle sessions; only when all are taken, by an idle one of the principal with most.
 */
import type { JsonObject } from '../../message.ts';
import { agreedVersion } from '../legacy-client.ts';
import type { RequestRegistry } from '../request-registry.ts';
import { FairShare } from '../fair-share.ts';
import type { HttpCaller, HttpTransportLimits } from './http-options.ts';
import { ReplayTotal } from './replay-buffer.ts';
import { Session } from './session.ts';
import type { SessionIds } from './session-ids.ts';

const allReplayBytes = 67_108_864;
/** Ids of sessions that their clients have ended. */
const maxEnded = 10_000;

export class Sessions {
  readonly #registry: RequestRegistry;
  readonly #limits: HttpTransportLimits;
  readonly #ids: SessionIds;
  readonly #sessions = new Map<string, Session>();
  readonly #share: FairShare;
  readonly #ended = new Set<string>();
  readonly #total: ReplayTotal;

  constructor(registry: RequestRegistry, limits: HttpTransportLimits, ids: SessionIds) {
    this.#registry = registry;
    this.#limits = limits;
    this.#ids = ids;
    this.#share = new FairShare(limits.sessions);
    this.#total = new ReplayTotal(Math.max(limits.replayBytes, allReplayBytes));
  }

  get size(): number {
    return this.#sessions.size;
  }

  values(): Iterable<Session> {
    return this.#sessions.values();
  }

  /** `busy`: the session is valid, but there is no room to continue it. */
  find(id: string, caller: HttpCaller): Session | 'busy' | undefined {
    const session = this.#sessions.get(id);
    if (session !== undefined) return session.principal === caller.principal && session.endpoint === caller.endpoint ? session : undefined;
    if (this.#ended.has(id)) return undefined;
    const params = this.#ids.read(id, caller);
    return params === undefined ? undefined : (this.#resume(id, params, caller) ?? 'busy');
  }

  /** `undefined` if there is no room. */
  open(params: JsonObject, caller: HttpCaller): Session | undefined {
    return this.#add(this.#ids.issue(agreedVersion(params['protocolVersion']), params, caller), params, caller);
  }

  /** A session for one request of a client that uses none. The caller ends it. */
  transient(version: string | undefined, caller: HttpCaller): Session {
    return new Session(this.#registry, { id: '', params: { protocolVersion: version }, caller }, this.#limits, this.#total);
  }

  /** The client has ended the session: its id is no longer valid here. */
  endByClient(session: Session): void {
    this.#ended.add(session.id);
    const [oldest] = this.#ended;
    if (this.#ended.size > maxEnded && oldest !== undefined) this.#ended.delete(oldest);
    this.end(session, 'The client has ended the session');
  }

  end(session: Session, reason: string): void {
    if (this.#sessions.delete(session.id)) this.#share.release(session.principal);
    session.end(reason);
  }

  endAll(reason: string, isConcerned: (session: Session) => boolean = () => true): void {
    for (const session of this.#sessions.values()) if (isConcerned(session)) this.end(session, reason);
  }

  tick(nowMs: number): void {
    for (const session of this.#sessions.values()) {
      session.tick(nowMs, this.#limits.keepAliveMs);
      if (nowMs - session.lastUsedMs > this.#limits.sessionIdleMs) this.end(session, 'The session was idle for too long');
    }
  }

  #resume(id: string, params: JsonObject, caller: HttpCaller): Session | undefined {
    const session = this.#add(id, params, caller);
    if (session === undefined) return undefined;
    this.#registry.notifyHandler((handler) => handler.clientResumed?.(session.legacy.client));
    session.announceUnknownChanges();
    return session;
  }

  #add(id: string, params: JsonObject, caller: HttpCaller): Session | undefined {
    const { principal } = caller;
    if (!this.#share.admits(principal) && !this.#makeRoom(principal)) return undefined;
    const session = new Session(this.#registry, { id, params, caller }, this.#limits, this.#total);
    this.#sessions.set(session.id, session);
    this.#share.take(principal);
    return session;
  }

  #makeRoom(principal: string | undefined): boolean {
    const isFull = this.#share.total >= this.#limits.sessions;
    const victim = this.#idleOf(principal) ?? (isFull ? this.#idleOf(this.#largestHolder()) : undefined);
    if (victim === undefined) return false;
    this.end(victim, 'The session was ended to make room for another one');
    return true;
  }

  /** The one idle for longest. */
  #idleOf(principal: string | undefined): Session | undefined {
    let oldest: Session | undefined;
    for (const session of this.#sessions.values())
      if (session.principal === principal && !session.isInUse && session.lastUsedMs < (oldest?.lastUsedMs ?? Infinity)) oldest = session;
    return oldest;
  }

  #largestHolder(): string | undefined {
    const idle = [...this.#sessions.values()].filter((session) => !session.isInUse);
    return idle.toSorted((one, other) => this.#share.held(other.principal) - this.#share.held(one.principal))[0]?.principal;
  }
}
