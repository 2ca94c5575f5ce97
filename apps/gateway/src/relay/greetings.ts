/**
 * Owns what the servers have said of themselves.
 *
 * Invariant: what a server said last holds until it says something else; a replaced server has said nothing yet.
 */
import type { ServerGreeting } from '@holdfast/mcp-wire/client';
import type { Upstream } from '../upstreams/upstream.ts';
import { settledWithin } from './deadline.ts';

export interface Greetings {
  readonly known: (upstream: Upstream) => ServerGreeting | undefined;
  /** Also where nothing is known. */
  readonly mayHave: (upstream: Upstream, capability: string) => boolean;
  /** Connects when needed. Rejects as a request does. */
  readonly ask: (upstream: Upstream) => Promise<ServerGreeting>;
  /** What is known, after those that have said nothing yet were given the time to. Never rejects. */
  readonly within: (upstreams: readonly Upstream[], limitMs: number) => Promise<readonly (ServerGreeting | undefined)[]>;
}

export function createGreetings(): Greetings {
  const said = new WeakMap<Upstream['server'], ServerGreeting>();
  const waitingSince = new WeakMap<Upstream['server'], number>();
  const known = ({ server }: Upstream): ServerGreeting | undefined => said.get(server);
  const ask = async ({ server }: Upstream): Promise<ServerGreeting> => {
    const greeting = await server.greeting();
    said.set(server, greeting);
    return greeting;
  };
  /** Whoever comes later does not wait all over again for a server that hangs. */
  const waited = async (upstream: Upstream, limitMs: number): Promise<void> => {
    const since = waitingSince.get(upstream.server) ?? performance.now();
    waitingSince.set(upstream.server, since);
    const asked = ask(upstream).then(
      () => waitingSince.delete(upstream.server),
      () => waitingSince.delete(upstream.server),
    );
    await settledWithin(asked, Math.max(since + limitMs - performance.now(), 0));
  };
  return {
    known,
    ask,
    mayHave(upstream, capability) {
      const greeting = known(upstream);
      return greeting === undefined || greeting.capabilities[capability] !== undefined;
    },
    async within(upstreams, limitMs) {
      const silent = upstreams.filter((upstream) => known(upstream) === undefined);
      await Promise.all(silent.map((upstream) => waited(upstream, limitMs)));
      return upstreams.map(known);
    },
  };
}
