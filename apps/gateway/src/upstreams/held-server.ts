/**
 * Owns one server of the manifest while the gateway has it: its notifications, that it is kept up, its end.
 */
import type { McpServerEntry } from '@holdfast/manifest';
import type { JsonObject } from '@holdfast/mcp-wire/client';
import type { McpServer, McpServerOptions } from '@holdfast/runners';
import { type ConnectionKeeper, keepConnected } from './keep-connected.ts';
import type { OnUpstreamFault, Upstream } from './upstream.ts';

export interface ServerSurroundings {
  readonly makeServer: (options: McpServerOptions) => McpServer;
  /** Answers requests of a server outside of any call. @default they are not answered */
  readonly answer?: ((upstream: string, method: string, params: JsonObject) => Promise<JsonObject>) | undefined;
  readonly onFault: OnUpstreamFault;
  readonly onNotification: (upstream: Upstream, method: string, params: JsonObject) => void;
  readonly onStatus: (upstream: Upstream) => void;
}

/** Capabilities that clients of the gateway may have; the capabilities of the client in question are checked when a server asks. */
const clientCapabilities: JsonObject = {
  roots: { listChanged: true },
  sampling: { context: {}, tools: {} },
  elicitation: { form: {}, url: {} },
};

export class HeldServer {
  /** How it is reached: other words make another server. */
  readonly options: McpServerOptions;
  readonly #onFault: OnUpstreamFault;
  readonly #keeper: ConnectionKeeper;
  readonly #unsubscribe: () => void;
  #upstream: Upstream;
  #isKeptUp = false;

  constructor(name: string, entry: McpServerEntry, options: McpServerOptions, around: ServerSurroundings) {
    const { makeServer, answer, onFault, onNotification, onStatus } = around;
    const server = makeServer({
      ...options,
      clientCapabilities,
      listen: true,
      ...(answer === undefined ? {} : { answer: (method, params) => answer(name, method, params) }),
    });
    this.options = options;
    this.#onFault = onFault;
    this.#upstream = upstreamOf(name, entry, server);
    this.#keeper = keepConnected(server, (error) => onFault({ upstream: name, operation: 'connect', error }));
    this.#unsubscribe = server.subscribe((event) => {
      if (event.type === 'notification') return onNotification(this.#upstream, event.method, event.params);
      if (this.#isKeptUp) this.#keeper.check();
      onStatus(this.#upstream);
    });
  }

  get upstream(): Upstream {
    return this.#upstream;
  }

  /** From now on it is connected in the background whenever it is not. */
  keepUp(): void {
    this.#isKeptUp = true;
    this.#keeper.check();
  }

  /** Takes an entry that reaches the server in the same words. */
  applyEntry(entry: McpServerEntry): void {
    const { name, server } = this.#upstream;
    this.#upstream = upstreamOf(name, entry, server);
  }

  /** Ends when its calls are done, at the latest after the limit. Never rejects. */
  retire(limitMs: number): Promise<void> {
    this.#letGo();
    const { name, server } = this.#upstream;
    return server.retire(limitMs).catch((error: unknown) => this.#onFault({ upstream: name, operation: 'close', error }));
  }

  close(): Promise<void> {
    this.#letGo();
    return this.#upstream.server.close();
  }

  #letGo(): void {
    this.#keeper.stop();
    this.#unsubscribe();
  }
}

const upstreamOf = (name: string, entry: McpServerEntry, server: McpServer): Upstream => ({
  name,
  entry,
  server,
  isExposed: entry.expose,
});
