/**
 * Owns what servers declare in their handshakes.
 *
 * Invariants
 * 1. The last handshake of a server is valid until the next one; a replaced server has none yet.
 * 2. All requests share the wait for a server's first handshake.
 */
import type { ServerHandshake } from '@holdfast/mcp-wire/client';
import type { Upstream } from '../upstreams/upstream.ts';
import { waitAtMost } from '@holdfast/core/internal/plain';

export interface ServerInfo {
  readonly known: (upstream: Upstream) => ServerHandshake | undefined;
  /** Returns since when requests wait for the first handshake of a server; the current time if it is done. */
  readonly waitingSince: (upstream: Upstream) => number;
  /** Whether the server has the capability. True before its handshake. */
  readonly mayHave: (upstream: Upstream, capability: string) => boolean;
  /** Connects if necessary. Rejects like a request. */
  readonly ask: (upstream: Upstream) => Promise<ServerHandshake>;
  /** Returns the known handshakes, after waiting for missing ones within the limit. Never rejects. */
  readonly waitForAll: (upstreams: readonly Upstream[], limitMs: number) => Promise<readonly (ServerHandshake | undefined)[]>;
}

export function createServerInfo(): ServerInfo {
  const handshakes = new WeakMap<Upstream['server'], ServerHandshake>();
  const firstWaited = new WeakMap<Upstream['server'], number>();
  const knownInfo = ({ server }: Upstream): ServerHandshake | undefined => handshakes.get(server);
  const ask = async ({ server }: Upstream): Promise<ServerHandshake> => {
    const handshake = await server.handshake();
    handshakes.set(server, handshake);
    return handshake;
  };
  const waitingSince = (upstream: Upstream): number => {
    const now = performance.now();
    if (knownInfo(upstream) !== undefined) return now;
    const since = firstWaited.get(upstream.server) ?? now;
    firstWaited.set(upstream.server, since);
    return since;
  };
  const waitFor = async (upstream: Upstream, limitMs: number): Promise<void> => {
    const endsAt = waitingSince(upstream) + limitMs;
    const asked = ask(upstream).catch(() => undefined);
    await waitAtMost(globalThis, asked, Math.max(endsAt - performance.now(), 0));
  };
  return {
    known: knownInfo,
    waitingSince,
    ask,
    mayHave(upstream, capability) {
      const handshake = knownInfo(upstream);
      return handshake === undefined || handshake.capabilities[capability] !== undefined;
    },
    async waitForAll(upstreams, limitMs) {
      const silent = upstreams.filter((upstream) => knownInfo(upstream) === undefined);
      await Promise.all(silent.map((upstream) => waitFor(upstream, limitMs)));
      return upstreams.map(knownInfo);
    },
  };
}
