/**
 * The servers behind the gateway: a set of upstreams by name.
 */
import type { Manifest, McpServerEntry } from '@holdfast/manifest';
import type { JsonObject } from '@holdfast/mcp-wire/client';
import type { McpServer, McpServerStatus } from '@holdfast/runners';
import type { OnBehalf } from '../access/on-behalf.ts';

/** One server of the manifest. */
export interface Upstream {
  /** Name of the server in the manifest. */
  readonly name: string;
  readonly entry: McpServerEntry;
  readonly server: McpServer;
  /** Whether its tools, resources and prompts are offered; other servers only serve tools of the manifest. */
  readonly isExposed: boolean;
  /** Uses the connection that belongs to a client: that of all, or one of its own if the server is isolated. @default `server` */
  readonly use?: UseConnection;
  /** The connection of a client, if it is there. @default `server` */
  readonly connectionOf?: (who: OnBehalf) => McpServer | undefined;
}

type UseConnection = <Result>(who: OnBehalf | undefined, run: (server: McpServer) => Promise<Result>) => Promise<Result>;

/** Runs something over the connection that belongs to a client. */
export const over = <Result>(
  upstream: Pick<Upstream, 'server' | 'use'>,
  who: OnBehalf | undefined,
  run: (server: McpServer) => Promise<Result>,
): Promise<Result> => (upstream.use === undefined ? run(upstream.server) : upstream.use(who, run));

/** State of the connection to an MCP server behind the gateway. */
export interface UpstreamStatus extends McpServerStatus {
  /** Name of the server in the manifest. */
  readonly name: string;
  /** Its tools, resources and prompts are offered to clients. Other servers only run tools of the manifest. */
  readonly isExposed: boolean;
  /** Why a login to the server is needed, and how to log in. Absent otherwise. */
  readonly loginRequired?: string;
  /** Clients that have no login of their own at the server. Absent when there are none. */
  readonly loginsMissing?: readonly string[];
  /** Why tools are not offered, by the server's names of them: the lock file blocks them. Absent when it blocks none. */
  readonly withheldTools?: Readonly<Record<string, string>>;
}

/** An error of an upstream that affected no answer. */
export interface UpstreamFault {
  readonly upstream: string;
  /** The method or action that failed. */
  readonly operation: string;
  readonly error: unknown;
}

export type OnUpstreamFault = (fault: UpstreamFault) => void;
/** `key`: of the connection, for an isolated server. */
export type UpstreamListener = (upstream: Upstream, method: string, params: JsonObject, key?: string) => void;
/** `undefined` if the set itself has changed. */
export type StatusListener = (upstream: Upstream | undefined) => void;

export interface Upstreams {
  /** In the order of the manifest. */
  all(): readonly Upstream[];
  /** In the order of the manifest. */
  exposed(): readonly Upstream[];
  get(name: string): Upstream | undefined;
  /** Calls the listener for notifications that belong to no request. Returns a function that unsubscribes. */
  subscribe(listener: UpstreamListener): () => void;
  /** Calls the listener when an upstream connects or disconnects, and when the set has changed. Returns a function that unsubscribes. */
  subscribeStatus(listener: StatusListener): () => void;
  /** Connects all in the background, and reconnects them after a disconnect. */
  connect(): void;
  /** Servers with unchanged entries keep their connection; replaced and removed ones end when their calls have ended. */
  apply(manifest: Manifest): void;
  /** A session has ended: so do the connections of its own. */
  sessionEnded(who: OnBehalf): void;
  status(): readonly UpstreamStatus[];
  /** `graceMs`: how long a server may take to end, if that is shorter than its setting. */
  close(graceMs?: number): Promise<void>;
}
