/**
 * What the gateway knows of the servers behind it: a set of upstreams by name.
 */
import type { Manifest, McpServerEntry } from '@holdfast/manifest';
import type { JsonObject } from '@holdfast/mcp-wire/client';
import type { McpServer, McpServerStatus } from '@holdfast/runners';

/** One server of the manifest. */
export interface Upstream {
  /** Name of the server in the manifest. */
  readonly name: string;
  readonly entry: McpServerEntry;
  readonly server: McpServer;
  /** Whether its tools, resources and prompts are offered; other servers only serve tools of the manifest. */
  readonly isExposed: boolean;
}

/** State of the connection to an MCP server behind the gateway. */
export interface UpstreamStatus extends McpServerStatus {
  /** Name of the server in the manifest. */
  readonly name: string;
  /** Its tools, resources and prompts are offered to clients. Other servers only run tools of the manifest. */
  readonly isExposed: boolean;
}

/** Something of an upstream that went wrong without hurting an answer. */
export interface UpstreamFault {
  readonly upstream: string;
  /** A method, or what was done. */
  readonly operation: string;
  readonly error: unknown;
}

export type OnUpstreamFault = (fault: UpstreamFault) => void;
export type UpstreamListener = (upstream: Upstream, method: string, params: JsonObject) => void;
/** `undefined`: the set itself has changed. */
export type StatusListener = (upstream: Upstream | undefined) => void;

export interface Upstreams {
  /** In the order of the manifest. */
  all(): readonly Upstream[];
  /** In the order of the manifest. */
  exposed(): readonly Upstream[];
  get(name: string): Upstream | undefined;
  /** Hears every notification that belongs to no request. Answers the way to stop. */
  subscribe(listener: UpstreamListener): () => void;
  /** Hears when the connection of an upstream comes or goes, and when the set has changed. Answers the way to stop. */
  subscribeStatus(listener: StatusListener): () => void;
  /** Connects all in the background, now and whenever one has gone. */
  connect(): void;
  /** Servers whose entries have not changed keep their connection; replaced and removed ones end when their calls are done. */
  apply(manifest: Manifest): void;
  status(): readonly UpstreamStatus[];
  close(): Promise<void>;
}
