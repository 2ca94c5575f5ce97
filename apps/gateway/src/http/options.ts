/** Owns what can be set of the gateway's HTTP server. */
import type { HttpCaller, HttpFront } from '@holdfast/mcp-wire/server';

/** Who may come in: the name is what others see of it, the secret never leaves the guard. */
export interface AccessToken {
  readonly name: string;
  readonly secret: string;
}

export interface HttpShellLimits {
  /** Longest body of a request that is neither for `/mcp` nor for the model proxy, which have their own limits. @default 4 MiB */
  readonly bodyBytes: number;
  /** All headers of a request together. @default 16 KiB */
  readonly headerBytes: number;
  /** Until the headers of a request are there. @default 10_000 */
  readonly headerTimeoutMs: number;
  /** Until the whole request is there. @default 30_000 */
  readonly bodyTimeoutMs: number;
  /** Open connections; more are closed at once. @default 2000 */
  readonly connections: number;
  /** A kept connection without request is closed after this long. @default 65_000 */
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

export interface HttpShellOptions {
  readonly listen: ListenAddress;
  /** None: everybody who reaches the address, which then has to be a loopback address or a Unix socket. */
  readonly tokens?: readonly AccessToken[] | undefined;
  /** What lets somebody act who came without one of the tokens, where there are none. @default nobody may */
  readonly operatorToken?: string | undefined;
  /** Hosts, besides those of the loopback, that a request may name: `gateway.internal`, `gateway.internal:7340`. */
  readonly allowedHosts?: readonly string[] | undefined;
  /** Origins whose pages may ask: `https://app.example`. */
  readonly allowedOrigins?: readonly string[] | undefined;
  readonly limits?: Partial<HttpShellLimits> | undefined;
  /** What is there without a token, too. @default health alone */
  readonly isPublic?: ((method: string, path: string) => boolean) | undefined;
  /** Answers `/mcp`. */
  readonly mcp: HttpFront['handle'];
  /**
   * Answers everything else, `/healthz` and `/readyz` (reachable without a token) included. The request carries no credentials any more; its signal is
   * aborted when the client goes away. The body of a model proxy's request comes as a stream of any length, every other one whole and within the limit.
   */
  readonly rest: (request: Request, caller: HttpCaller) => Promise<Response>;
  /** What went wrong inside, for the operator. */
  readonly onFault?: ((error: unknown) => void) | undefined;
}

/** An HTTP server that listens. */
export interface HttpShell {
  /** Such as `http://127.0.0.1:7340`; of a Unix socket `unix:/path`. */
  readonly url: string;
  /** The port bound, where there is one. */
  readonly port: number | undefined;
  /** Returns the number of open connections. */
  connections(): number;
  /** Takes no new connections, lets running requests end within the limit, then closes what is left. */
  close(limitMs: number): Promise<void>;
}
