/** Owns the typed form of the sources of a gateway's tools: MCP servers and OpenAPI documents, and which of their tools it offers. Defaults are filled in. */
import type { ClassificationRule, ToolPolicy } from '@holdfast/core';
import type { HttpRunnerOptions, McpServerOptions, TextOrSecret } from '@holdfast/runners';

/** Settings of one tool of a server, or one operation of an API. */
export interface UpstreamToolEntry extends ToolPolicy {
  /** Name under which the tool is offered, without a prefix. @default the prefix and the tool's name */
  readonly name?: string;
  /** Description for the model. @default the source's description */
  readonly description?: string;
  /** @default true */
  readonly enabled?: boolean;
  /** Rules that override the classification of this tool's errors; the first match wins. @default none */
  readonly classification?: readonly ClassificationRule[];
}

/** Which tools of a source are offered, and their names. */
export interface OfferEntry {
  /** Prefix of the names of its tools, followed by the separator. `''`: none. @default the source's name */
  readonly prefix: string;
  /** Globs (`*`, `?`) for the source's names of tools. @default ['*'] */
  readonly include: readonly string[];
  /** Globs that override `include`. @default [] */
  readonly exclude: readonly string[];
  /** Settings of all its tools. They override `defaults` of the file; a tool's own settings override them. */
  readonly defaults: ToolPolicy;
  /** By the source's name of the tool. */
  readonly tools: Readonly<Record<string, UpstreamToolEntry>>;
}

/** Settings of every MCP server. */
export interface McpOfferEntry extends OfferEntry {
  /** Whether its tools are offered by a gateway. @default true */
  readonly expose: boolean;
  /** Whether the effect of its tools is read from their annotations. @default true */
  readonly trustAnnotations: boolean;
  /** Whether clients share one connection and, over stdio, one process: `per_session` and `per_principal` keep them apart. @default 'shared' */
  readonly isolation: 'shared' | 'per_session' | 'per_principal';
  /** The limit without progress of its tools that have none of their own. @default none */
  readonly idleTimeoutMs?: number;
}

/** Options of a server, for every transport. */
export type CommonServerOptions = Pick<
  McpServerOptions,
  | 'inheritEnv'
  | 'protocol'
  | 'startupTimeoutMs'
  | 'healthTimeoutMs'
  | 'graceMs'
  | 'maxMessageBytes'
  | 'restartDelayMs'
  | 'maxRestartDelayMs'
>;

/** A server that is started as a program. */
export interface McpCommandEntry extends McpOfferEntry, CommonServerOptions, Pick<McpServerOptions, 'args' | 'env' | 'cwd'> {
  /**
   * Program to start. A path that begins with `./` or `../` is resolved against the manifest's folder; a bare name is looked up in `PATH`.
   */
  readonly command: string;
}

/** A server that is reached over HTTP. */
export interface McpUrlEntry extends McpOfferEntry, CommonServerOptions, Pick<McpServerOptions, 'headers'> {
  /** Address of the server's MCP endpoint. */
  readonly url: string;
}

/** A server that is started as a program, or reached over HTTP. */
export type McpServerEntry = McpCommandEntry | McpUrlEntry;

/** The operations of an HTTP API that an OpenAPI document describes. */
export interface OpenapiEntry extends OfferEntry {
  /** The document, JSON or YAML. Absolute. */
  readonly spec: string;
  /** @default the first server of the document */
  readonly baseUrl?: string;
  /** Headers of each request, such as credentials. @default {} */
  readonly headers: Readonly<Record<string, TextOrSecret>>;
  /** Hosts that may be requested, including redirects. @default the host of `baseUrl` */
  readonly allowedHosts?: readonly string[];
  /** To which addresses a host name may resolve. @default 'network' */
  readonly addresses?: HttpRunnerOptions['addresses'];
}
