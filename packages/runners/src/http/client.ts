/**
 * Owns the connections of one runner.
 *
 * Invariants
 * 1. Connections are kept alive and reused.
 * 2. The address of every connection is checked when it is opened.
 * 3. A pending connection is aborted when no call waits for it: undici would let it run into its timeout.
 */
import type { Socket } from 'node:net';
import type { Agent as AgentType, Dispatcher, buildConnector as BuildConnector } from 'undici';
import type { AddressRule } from './address-rules.ts';
import { checkedLookup, type ResolveHost } from './lookup.ts';
import { Agent, buildConnector, request } from './undici-parts.ts';

export interface HttpClient {
  readonly agent: AgentType;
  readonly request: (options: Dispatcher.RequestOptions) => Promise<Dispatcher.ResponseData>;
  /** Counts one request as running until the promise settles. */
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
  // Only the time limit of the call applies: undici's would abort a long response.
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
