/** Owns the options of the gateway's HTTP server. */
import type { HttpTransport } from '@holdfast/mcp-wire/server';
import type { Access } from '../access/access.ts';
import type { AccessRules } from '../access/access-rules.ts';
import type { LoginEntry } from '../client-auth/resource-metadata.ts';

/** A token with access: the name is visible to others, the secret never leaves the guard. */
export interface AccessToken {
  readonly name: string;
  readonly secret: string;
}

export interface HttpShellLimits {
  /** Maximum size of a body, except for `/mcp` and the model proxy, which have their own limits. @default 4 MiB */
  readonly bodyBytes: number;
  /** Total size of the headers of a request. @default 16 KiB */
  readonly headerBytes: number;
  /** Time limit for receiving the headers. @default 10_000 */
  readonly headerTimeoutMs: number;
  /** Time limit for receiving the whole request. @default 30_000 */
  readonly bodyTimeoutMs: number;
  /** Maximum number of open connections; further ones are closed at once. @default 2000 */
  readonly connections: number;
  /** Keep-alive timeout: an idle connection is closed after this long. @default 65_000 */
  readonly idleTimeoutMs: number;
}

export const defaultHttpShellLimits: HttpShellLimits = {
  bodyBytes: 4_194_304,
  headerBytes: 16_384,
  headerTimeoutMs: 10_000,
  bodyTimeoutMs: 30_000,
  connections: 2000,
  idleTimeoutMs: 65_000,
};

/** A host and port, or the path of a Unix socket. */
export type ListenAddress = { readonly host: string; readonly port: number } | { readonly path: string };

export interface RestCaller {
  readonly principal?: string | undefined;
  readonly access?: Access | undefined;
}

export interface HttpShellOptions {
  readonly listen: ListenAddress;
  /** Access of the clients. @default the same for all */
  readonly rules?: AccessRules | undefined;
  /** Logins of clients, and the names of endpoints. @default none */
  readonly entry?: LoginEntry | undefined;
  /** Without tokens, the address must be a loopback address or a Unix socket, and all clients that reach it are admitted. */
  readonly tokens?: readonly AccessToken[] | undefined;
  /** Token that allows acting if there are no `tokens`. @default none: no client may act */
  readonly operatorToken?: string | undefined;
  /** Allowed Host headers in addition to those of the loopback: `gateway.internal`, `gateway.internal:7340`. */
  readonly allowedHosts?: readonly string[] | undefined;
  /** Origins whose pages may send requests: `https://app.example`. */
  readonly allowedOrigins?: readonly string[] | undefined;
  readonly limits?: Partial<HttpShellLimits> | undefined;
  /** Paths that need no token, besides health checks. @default none */
  readonly isPublic?: ((method: string, path: string) => boolean) | undefined;
  /** Answers `/mcp`. */
  readonly mcp: HttpTransport['handle'];
  /** Ends the sessions of clients whose access has ended. @default there are none */
  readonly retain?: HttpTransport['retain'];
  /**
   * Answers everything else, including `/healthz` and `/readyz` (reachable without a token). Credentials are removed from the request; its signal is
   * aborted when the client disconnects. The body of a request to the model proxy is a stream of any length; every other body is complete and within the limit.
   */
  readonly rest: (request: Request, caller: RestCaller) => Promise<Response>;
  /** Called with internal errors, for the operator. */
  readonly onFault?: ((error: unknown) => void) | undefined;
}

/** A listening HTTP server. */
export interface HttpShell {
  /** Such as `http://127.0.0.1:7340`, or `unix:/path` for a Unix socket. */
  readonly url: string;
  /** The bound port; `undefined` for a Unix socket. */
  readonly port: number | undefined;
  /** Returns the number of open connections. */
  connections(): number;
  /** Accepts no new connections, waits for running requests within the limit, then closes the rest. */
  close(limitMs: number): Promise<void>;
}

/** A shell whose tokens and logins can be replaced. */
export interface ReloadableShell extends HttpShell {
  /**
   * Returns a function that puts other tokens and logins in force; then what is open for clients whose access has ended is closed.
   * @throws TypeError for a token that is too short
   */
  prepare(tokens: readonly AccessToken[], entry: LoginEntry): () => void;
}
