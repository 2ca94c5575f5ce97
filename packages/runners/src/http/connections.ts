/**
 * Owns the connections that one or several runners share.
 *
 * Invariants
 * 1. The client is loaded when it is first needed.
 * 2. When the last runner that used it has left, every connection is destroyed.
 */
import type * as clientModule from './client.ts';
import type { HttpClient, HttpClientOptions } from './client.ts';

export interface Connections {
  /** Loads the client; connects to nothing. */
  readonly load: () => Promise<void>;
  /** The client for a call of this runner. Rejects when the call was aborted in the meantime: nothing may be opened behind `leave`. */
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
