/**
 * What the gateway knows of the servers behind it: a set of upstreams by name.
 */
import type { Manifest, McpServerEntry } from '@holdfast/manifest';
import type { ClientRequestOptions, JsonObject, ServerGreeting } from '@holdfast/mcp-wire/client';
import type { McpServer, McpServerStatus } from '@holdfast/runners';

export type UpstreamEvent =
  | { readonly type: 'notification'; readonly method: string; readonly params: JsonObject }
  | { readonly type: 'status'; readonly status: McpServerStatus };

/** A supervised server, as far as the gateway uses it. */
export interface UpstreamServer extends Pick<McpServer, 'tool' | 'connect' | 'status' | 'close'> {
  /** Over the supervised connection, made when there is none. Rejects with the server's `RpcError`, or as a tool call does. */
  readonly request: (method: string, params?: JsonObject, options?: ClientRequestOptions) => Promise<JsonObject>;
  readonly greeting: () => Promise<ServerGreeting>;
  readonly subscribe: (listener: (event: UpstreamEvent) => void) => () => void;
  /** Tells of updates of a resource until the answer is called, over every connection to come. */
  readonly watchResource: (uri: string) => Promise<() => void>;
  /** Nothing where there is no live connection. */
  readonly notify: (method: string, params?: JsonObject) => Promise<void>;
  /** Closes when no call is under way any more, at the latest after the limit. */
  readonly retire: (limitMs: number) => Promise<void>;
}

/** One server of the manifest. */
export interface Upstream {
  readonly name: string;
  readonly entry: McpServerEntry;
  readonly server: UpstreamServer;
  /** Whether its tools, resources and prompts are offered; other servers only serve tools of the manifest. */
  readonly isExposed: boolean;
}

export interface UpstreamStatus extends McpServerStatus {
  readonly name: string;
  readonly isExposed: boolean;
}

/** Something of an upstream that went wrong without hurting an answer. */
export interface UpstreamFault {
  readonly upstream: string;
  /** A method, or what was done. */
  readonly operation: string;
  readonly error: unknown;
}

export type UpstreamListener = (upstream: Upstream, method: string, params: JsonObject) => void;

export interface Upstreams {
  /** In the order of the manifest. */
  all(): readonly Upstream[];
  /** In the order of the manifest. */
  exposed(): readonly Upstream[];
  get(name: string): Upstream | undefined;
  /** Hears every notification that belongs to no request. Ends by the function it answers. */
  subscribe(listener: UpstreamListener): () => void;
  /** Hears when the connection of an upstream comes or goes, and (with `undefined`) when the set has changed. */
  subscribeStatus(listener: (upstream: Upstream | undefined, status: McpServerStatus | undefined) => void): () => void;
  /** Connects all, in the background. What fails is a fault, and is tried again by the first request. */
  connect(): void;
  /** Servers whose entries have not changed keep their connection; replaced and removed ones end when their calls are done. */
  apply(manifest: Manifest): void;
  status(): readonly UpstreamStatus[];
  close(): Promise<void>;
}
