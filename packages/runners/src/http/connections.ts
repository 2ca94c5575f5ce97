/**
 * Owns the connections of one or several runners.
 *
 * Invariants
 * 1. The client is loaded at its first use.
 * 2. When the last runner leaves, every connection is destroyed.
 */
import type * as clientModule from './client.ts';
import type { HttpClient, HttpClientOptions } from './client.ts';

export interface Connections {
  /** Loads the client. Opens no connection. */
  readonly load: () => Promise<void>;
  /** The client for a call of this runner. Rejects if the call was aborted in the meantime: nothing may be opened after `leave`. */
  readonly enter: (runner: object, signal: AbortSignal) => Promise<HttpClient>;
  readonly leave: (runner: object) => Promise<void>;
}

export function connections(options: HttpClientOptions): Connections {
  const loadClient = (): Promise<typeof clientModule> => import('./client.ts');
  const runners = new Set<object>();
  let client: HttpClient | undefined;
  return {
    load: async () => void (await loadClient()),
    async enter(runner, signal) {
      if (client === undefined) {
        const { httpClient } = await loadClient();
        signal.throwIfAborted();
        client ??= httpClient(options);
      }
      runners.add(runner);
      return client;
    },
    async leave(runner) {
      runners.delete(runner);
      if (runners.size > 0) return;
      const last = client;
      client = undefined;
      await last?.destroy();
    },
  };
}
