/** Owns the typed form of what a gateway gets its tools from: MCP servers and OpenAPI documents, and which of their tools it offers. Defaults are filled in. */
import type { ClassificationRule, ToolPolicy } from '@holdfast/core';
import type { HttpRunnerOptions, McpServerOptions, TextOrSecret } from '@holdfast/runners';

/** What the manifest says about one tool of a server, or one operation of an API. */
export interface UpstreamToolEntry extends ToolPolicy {
  /** What the tool is offered as, without a prefix. @default the prefix and the tool's own name */
  readonly name?: string;
  /** What the model reads about it. @default the source's own */
  readonly description?: string;
  /** @default true */
  readonly enabled?: boolean;
  /** Rules that override the classification of this tool's errors; the first match wins. @default none */
  readonly classification?: readonly ClassificationRule[];
}

/** Which tools of a source are offered, and how they are called. */
export interface OfferEntry {
  /** In front of the names of its tools, with the separator between. `''`: none. @default the source's name */
  readonly prefix: string;
  /** Globs (`*`, `?`) on the source's own names. @default ['*'] */
  readonly include: readonly string[];
  /** Globs; they go before `include`. @default [] */
  readonly exclude: readonly string[];
  /** Settings of all its tools; a tool's own go before them, those of the whole file come after. */
  readonly defaults: ToolPolicy;
  /** By the source's own name of the tool. */
  readonly tools: Readonly<Record<string, UpstreamToolEntry>>;
}

/** What holds for every MCP server beside how it is reached. */
export interface McpOfferEntry extends OfferEntry {
  /** Whether its tools are offered by a gateway. @default true */
  readonly expose: boolean;
  /** Whether its annotations say what a tool's effect is. @default true */
  readonly trustAnnotations: boolean;
  /** An attempt ends when there is neither progress nor an answer for this long. @default none */
  readonly idleTimeoutMs?: number;
}

/** What can be said of a server however it is reached. */
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

/** A server that is started. */
export interface McpCommandEntry extends McpOfferEntry, CommonServerOptions, Pick<McpServerOptions, 'args' | 'env' | 'cwd'> {
  /**
   * Program to start. A path that begins with `./` or `../` is resolved against the manifest's folder; a bare name is looked up in `PATH`.
   */
  readonly command: string;
}

/** A server that is reached. */
export interface McpUrlEntry extends McpOfferEntry, CommonServerOptions, Pick<McpServerOptions, 'headers'> {
  /** Address of the server's MCP endpoint. */
  readonly url: string;
}

/** A server that is started, or one that is reached. */
export type McpServerEntry = McpCommandEntry | McpUrlEntry;

/** The operations of an HTTP API that an OpenAPI document describes. */
export interface OpenapiEntry extends OfferEntry {
  /** The document, JSON or YAML. Absolute. */
  readonly spec: string;
  /** @default the first server of the document */
  readonly baseUrl?: string;
  /** Headers of each request, such as credentials. @default {} */
  readonly headers: Readonly<Record<string, TextOrSecret>>;
  /** Hosts that may be asked, redirects included. @default the host of `baseUrl` */
  readonly allowedHosts?: readonly string[];
  /** What a host's name may stand for. @default 'network' */
  readonly addresses?: HttpRunnerOptions['addresses'];
}
