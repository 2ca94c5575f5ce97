/**
 * Owns one server of the manifest: its notifications, keeping it connected, and closing it.
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

/**
 * Capabilities that clients of the gateway may have; the capabilities of the client in question are checked when a server asks.
 * Some servers list other tools to clients with other capabilities, so every listing declares these.
 */
export const clientCapabilities: JsonObject = {
  roots: { listChanged: true },
  sampling: { context: {}, tools: {} },
  elicitation: { form: {}, url: {} },
};

export class HeldServer {
  /** How to reach it. With a different address or command it is a different server. */
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

  /** Connects in the background, and reconnects after every disconnect. */
  keepConnected(): void {
    this.#isKeptUp = true;
    this.#keeper.check();
  }

  /** Applies a changed entry with the same address or command. */
  applyEntry(entry: McpServerEntry): void {
    const { name, server } = this.#upstream;
    this.#upstream = upstreamOf(name, entry, server);
  }

  /** Closes the server when its calls have ended, or after the limit. Never rejects. */
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
