/**
 * Owns the connections of one runner.
 *
 * Invariants
 * 1. Connections are kept and used again.
 * 2. Every connection goes to an address that was checked when it was made.
 * 3. A connection that is still being made ends when nobody waits for it any more: undici itself would let it run into its timeout.
 */
import type { Socket } from 'node:net';
import type { Agent as AgentType, Dispatcher, buildConnector as BuildConnector } from 'undici';
import type { AddressRule } from './address-rules.ts';
import { checkedLookup, type ResolveHost } from './lookup.ts';
import { Agent, buildConnector, request } from './undici-parts.ts';

export interface HttpClient {
  readonly agent: AgentType;
  readonly request: (options: Dispatcher.RequestOptions) => Promise<Dispatcher.ResponseData>;
  /** Counts one request as under way until the promise has settled. */
  readonly during: <Output>(work: () => Promise<Output>) => Promise<Output>;
  readonly destroy: () => Promise<void>;
}

export interface HttpClientOptions {
  readonly connectTimeoutMs: number;
  readonly addresses: AddressRule;
  readonly resolveHost?: ResolveHost | undefined;
}

export function httpClient({ connectTimeoutMs, addresses, resolveHost }: HttpClientOptions): HttpClient {
  const lookup = checkedLookup(addresses, resolveHost);
  const connectSocket = buildConnector({ timeout: connectTimeoutMs, ...(lookup === undefined ? {} : { lookup }) });
  const connecting = new Set<Socket>();
  let underWay = 0;
  const connect: BuildConnector.connector = (options, callback) => {
    // The connector returns the socket, whatever its type says.
    const socket = connectSocket(options, (...outcome) => {
      connecting.delete(socket);
      callback(...outcome);
    }) as unknown as Socket;
    connecting.add(socket);
  };
  const stopConnecting = (): void => {
    for (const socket of connecting) socket.destroy();
    connecting.clear();
  };
  // The time limit of the call is the only one: undici's own would end a long answer.
  const agent = new Agent({ headersTimeout: 0, bodyTimeout: 0, connect });
  return {
    agent,
    request: (options) => request(agent, options),
    async during(work) {
      underWay++;
      try {
        return await work();
      } finally {
        if (--underWay === 0) stopConnecting();
      }
    },
    async destroy() {
      stopConnecting();
      await agent.destroy();
    },
  };
}
