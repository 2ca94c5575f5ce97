/**
 * Owns what the servers have said of themselves.
 *
 * Invariants
 * 1. What a server said last holds until it says something else; a replaced server has said nothing yet.
 * 2. A server that does not greet is waited for once, no matter who waits.
 */
import type { ServerGreeting } from '@holdfast/mcp-wire/client';
import type { Upstream } from '../upstreams/upstream.ts';
import { waitAtMost } from '../plain/wait-at-most.ts';

export interface ServerInfo {
  readonly known: (upstream: Upstream) => ServerGreeting | undefined;
  /** Since when somebody has waited for a server that has not greeted yet; now, where it has. */
  readonly waitingSince: (upstream: Upstream) => number;
  /** Also where nothing is known. */
  readonly mayHave: (upstream: Upstream, capability: string) => boolean;
  /** Connects when needed. Rejects as a request does. */
  readonly ask: (upstream: Upstream) => Promise<ServerGreeting>;
  /** What is known, after those that have said nothing yet were given the time to. Never rejects. */
  readonly within: (upstreams: readonly Upstream[], limitMs: number) => Promise<readonly (ServerGreeting | undefined)[]>;
}

export function createServerInfo(): ServerInfo {
  const said = new WeakMap<Upstream['server'], ServerGreeting>();
  const firstWaited = new WeakMap<Upstream['server'], number>();
  const knownInfo = ({ server }: Upstream): ServerGreeting | undefined => said.get(server);
  const ask = async ({ server }: Upstream): Promise<ServerGreeting> => {
    const greeting = await server.greeting();
    said.set(server, greeting);
    return greeting;
  };
  const waitingSince = (upstream: Upstream): number => {
    const now = performance.now();
    if (knownInfo(upstream) !== undefined) return now;
    const since = firstWaited.get(upstream.server) ?? now;
    firstWaited.set(upstream.server, since);
    return since;
  };
  const waited = async (upstream: Upstream, limitMs: number): Promise<void> => {
    const endsAt = waitingSince(upstream) + limitMs;
    const asked = ask(upstream).catch(() => undefined);
    await waitAtMost(asked, Math.max(endsAt - performance.now(), 0));
  };
  return {
    known: knownInfo,
    waitingSince,
    ask,
    mayHave(upstream, capability) {
      const greeting = knownInfo(upstream);
      return greeting === undefined || greeting.capabilities[capability] !== undefined;
    },
    async within(upstreams, limitMs) {
      const silent = upstreams.filter((upstream) => knownInfo(upstream) === undefined);
      await Promise.all(silent.map((upstream) => waited(upstream, limitMs)));
      return upstreams.map(knownInfo);
    },
  };
}
