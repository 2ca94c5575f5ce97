/**
 * Owns one server of the manifest: its notifications, keeping it connected, and closing it.
 */
import type { McpServerEntry } from '@holdfast/manifest';
import type { JsonObject } from '@holdfast/mcp-wire/client';
import type { McpServer, McpServerOptions, RequestAuthorizer } from '@holdfast/runners';
import { connectionKey, type OnBehalf } from '../access/on-behalf.ts';
import type { ServerCaller } from '../server-auth/server-auth.ts';
import { ConnectionPool } from './connection-pool.ts';
import { type ConnectionKeeper, keepConnected } from './keep-connected.ts';
import type { OnUpstreamFault, Upstream } from './upstream.ts';

/** Answers a request of a server outside of any call. `key`: of the connection, for an isolated server. */
export type AnswerServer = (upstream: string, method: string, params: JsonObject, key?: string) => Promise<JsonObject>;

export interface ServerSurroundings {
  readonly makeServer: (options: McpServerOptions) => McpServer;
  /** Answers requests of a server outside of any call. @default they are not answered */
  readonly answer?: AnswerServer | undefined;
  /** Adds the credentials of a server with `auth`. @default none */
  readonly authorizerOf?: ((upstream: string, entry: McpServerEntry, caller?: ServerCaller) => RequestAuthorizer | undefined) | undefined;
  readonly onFault: OnUpstreamFault;
  readonly onNotification: (upstream: Upstream, method: string, params: JsonObject, key?: string) => void;
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
  readonly #pool: ConnectionPool;
  #upstream: Upstream;
  #isKeptUp = false;

  constructor(name: string, entry: McpServerEntry, options: McpServerOptions, around: ServerSurroundings) {
    const { makeServer, answer, authorizerOf, onFault, onNotification, onStatus } = around;
    const make = (key?: string, who?: OnBehalf): McpServer => {
      const authorizer = authorizerOf?.(name, entry, who && callerOf(who));
      return makeServer({
        ...options,
        clientCapabilities,
        listen: true,
        ...(authorizer === undefined ? {} : { authorizer }),
        ...(answer === undefined ? {} : { answer: (method, params) => answer(name, method, params, key) }),
      });
    };
    const server = make();
    this.options = options;
    this.#onFault = onFault;
    this.#pool = new ConnectionPool({
      name,
      make,
      onNotification: (key, method, params) => onNotification(this.#upstream, method, params, key),
      onFault: (error) => onFault({ upstream: name, operation: 'close', error }),
    });
    this.#upstream = this.#upstreamOf(name, entry, server);
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
    this.#upstream = this.#upstreamOf(name, entry, server);
  }

  sessionEnded(who: OnBehalf): void {
    const { isolation } = this.#upstream.entry;
    const key = isolation === 'per_session' ? connectionKey({ isolation }, who) : undefined;
    if (key !== undefined && who.session !== undefined) this.#pool.end(key);
  }

  /** Closes the server when its calls have ended, or after the limit. Never rejects. */
  retire(limitMs: number): Promise<void> {
    this.#letGo();
    const { name, server } = this.#upstream;
    return Promise.all([server.retire(limitMs), this.#pool.close()]).then(nothing, (error: unknown) =>
      this.#onFault({ upstream: name, operation: 'close', error }),
    );
  }

  async close(graceMs?: number): Promise<void> {
    this.#letGo();
    await Promise.all([this.#upstream.server.close(graceMs), this.#pool.close(graceMs)]);
  }

  /** The server itself runs no calls if it is isolated: it lists what there is. */
  #upstreamOf(name: string, entry: McpServerEntry, server: McpServer): Upstream {
    const shared = { name, entry, server, isExposed: entry.expose };
    if (entry.isolation === 'shared') return shared;
    return {
      ...shared,
      use: (who, run) => {
        const key = who === undefined ? undefined : connectionKey(entry, who);
        return key === undefined || who === undefined ? run(server) : this.#pool.use(key, who, run);
      },
      connectionOf: (who) => this.#pool.get(connectionKey(entry, who) ?? ''),
    };
  }

  #letGo(): void {
    this.#keeper.stop();
    this.#unsubscribe();
  }
}

/** Over a connection without an owner, all clients use the gateway's login. */
const callerOf = ({ owner = '', principal, subjectToken }: OnBehalf): ServerCaller => ({
  principal: owner,
  name: owner === '' ? '' : principal,
  subjectToken,
});

const nothing = (): void => {};
