/**
 * Owns the connections of one isolated server: one for each key, made when it is first needed.
 *
 * Invariants
 * 1. A connection serves one key only, and ends with it or when it was idle for too long.
 * 2. Their number is limited, and one client leaves room for others. An idle connection makes room, first one of the same client; a connection in use never does.
 */
import type { JsonObject } from '@holdfast/mcp-wire/client';
import { FairShare } from '@holdfast/mcp-wire/server';
import type { McpServer } from '@holdfast/runners';
import type { OnBehalf } from '../access/on-behalf.ts';

export interface PoolOptions {
  /** Name of the server, for messages. */
  readonly name: string;
  /** `who`: the client that needs it first; all later ones have the same owner. */
  readonly make: (key: string, who: OnBehalf) => McpServer;
  readonly onNotification: (key: string, method: string, params: JsonObject) => void;
  readonly onFault: (error: unknown) => void;
  /** @default 100 */
  readonly limit?: number;
  /** @default 1800000 */
  readonly idleMs?: number;
}

interface Held {
  readonly server: McpServer;
  readonly principal: string | undefined;
  users: number;
  usedAt: number;
}

export class ConnectionPool {
  readonly #options: Required<PoolOptions>;
  readonly #held = new Map<string, Held>();
  readonly #ending = new Set<Promise<void>>();
  readonly #share: FairShare;
  #timer: NodeJS.Timeout | undefined;
  #isClosed = false;

  constructor(options: PoolOptions) {
    this.#options = { limit: 100, idleMs: 1_800_000, ...options };
    this.#share = new FairShare(this.#options.limit);
  }

  get size(): number {
    return this.#held.size;
  }

  /** Uses the connection of a key. Rejects with `MCP_SERVER_BUSY` when there are too many. */
  async use<Result>(key: string, who: OnBehalf, run: (server: McpServer) => Promise<Result>): Promise<Result> {
    const held = this.#held.get(key) ?? this.#add(key, who);
    held.users += 1;
    try {
      return await run(held.server);
    } finally {
      held.users -= 1;
      held.usedAt = performance.now();
    }
  }

  /** The connection of a key, if there is one. */
  get(key: string): McpServer | undefined {
    return this.#held.get(key)?.server;
  }

  end(key: string, graceMs?: number): void {
    const held = this.#held.get(key);
    if (held === undefined) return;
    this.#held.delete(key);
    this.#share.release(held.principal);
    const ended = held.server.close(graceMs).catch(this.#options.onFault);
    this.#ending.add(ended);
    void ended.finally(() => this.#ending.delete(ended));
  }

  async close(graceMs?: number): Promise<void> {
    this.#isClosed = true;
    clearInterval(this.#timer);
    for (const key of this.#held.keys()) this.end(key, graceMs);
    await Promise.all(this.#ending);
  }

  #add(key: string, who: OnBehalf): Held {
    const { principal } = who;
    const { name, make, onNotification, idleMs } = this.#options;
    if (this.#isClosed) throw busy(`MCP server ${name} is closed`);
    if (!this.#share.admits(principal) && !this.#makeRoom(principal))
      throw busy(`MCP server ${name} has ${this.#held.size} connections for its clients, which is the limit`);
    const server = make(key, who);
    const held: Held = { server, principal, users: 0, usedAt: performance.now() };
    server.subscribe((event) => {
      if (event.type === 'notification') onNotification(key, event.method, event.params);
    });
    this.#held.set(key, held);
    this.#share.take(principal);
    this.#timer ??= setInterval(() => this.#endIdle(), Math.max(1_000, idleMs / 10)).unref();
    return held;
  }

  #makeRoom(principal: string | undefined): boolean {
    const idle = [...this.#held].filter(([, { users }]) => users === 0).toSorted(([, one], [, other]) => one.usedAt - other.usedAt);
    const isFull = this.#share.total >= this.#options.limit;
    const [key] = idle.find(([, held]) => held.principal === principal) ?? (isFull ? (idle[0] ?? []) : []);
    if (key === undefined) return false;
    this.end(key);
    return true;
  }

  #endIdle(): void {
    const before = performance.now() - this.#options.idleMs;
    for (const [key, { users, usedAt }] of this.#held) if (users === 0 && usedAt < before) this.end(key);
  }
}

const busy = (message: string): Error => Object.assign(new Error(message), { code: 'MCP_SERVER_BUSY', retryAfterMs: 1_000 });
