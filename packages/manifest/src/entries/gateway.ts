/** Owns the typed form of `gateway`: where it listens, who may come in, what is bounded, what it keeps. Defaults are filled in. */
import type { SecretReference, TextOrSecret } from '@holdfast/runners';

/** A client that may come in: the token is the value of an environment variable. */
export interface GatewayToken {
  /** What the client is called in logs. */
  readonly name: string;
  /** The environment variable that holds the token. */
  readonly env: string;
}

/** The address on which the gateway listens. */
export interface GatewayListen {
  /** @default '127.0.0.1' */
  readonly host: string;
  /** 0: any free port. @default 7340 */
  readonly port: number;
  /** A Unix socket in the place of host and port. Absolute. @default none */
  readonly path?: string;
}

/** Limits on requests, connections, sessions and calls of the gateway. */
export interface GatewayLimits {
  /** Of a request's body. @default 4194304 */
  readonly bodyBytes: number;
  /** From the connection's opening to the end of the headers. @default 10000 */
  readonly headerTimeoutMs: number;
  /** From the end of the headers to the end of the body. @default 30000 */
  readonly bodyTimeoutMs: number;
  /** Open at once. @default 2000 */
  readonly connections: number;
  /** MCP sessions kept. @default 1000 */
  readonly sessions: number;
  /** A session without a request for this long is forgotten. @default 1800000 */
  readonly sessionIdleMs: number;
  /** Of resources and lists, over all clients. @default 1000 */
  readonly subscriptions: number;
  /** Calls that run or wait at once. @default 1000 */
  readonly inFlight: number;
}

/** How names of offered tools are formed. */
export interface GatewayNames {
  /** Between a prefix and a tool's name. @default '__' */
  readonly separator: string;
  /** Longer names are cut and told apart by a hash. @default 64 */
  readonly maxLength: number;
}

/** How large results are handed over. */
export interface GatewayResults {
  /** A larger result is kept as a resource, and its beginning is answered. @default 1000000 */
  readonly maxBytes: number;
  /** How long such a resource can be read. @default 900000 */
  readonly keepMs: number;
  /** Of all of them together; the oldest go first. @default 268435456 */
  readonly keepBytes: number;
}

/** How long the gateway keeps its history. */
export interface GatewayHistory {
  /** What is older is deleted. @default 14 */
  readonly retentionDays: number;
}

/** A provider whose API the gateway can offer. */
export type ModelProvider = 'openai' | 'anthropic' | 'gemini';

/** A provider of models behind the gateway. */
export interface ModelEntry {
  /** What follows the gateway's own path is put behind it. @default the provider's public address */
  readonly baseUrl: string;
  /** @default none is sent */
  readonly apiKey?: SecretReference;
  /** Sent with each request. @default {} */
  readonly headers: Readonly<Record<string, TextOrSecret>>;
  /** Broken transcripts are repaired on the way in. @default true */
  readonly repair: boolean;
  /** Tool calls in answers are checked on the way out. @default true */
  readonly validate: boolean;
}

/** The section `gateway`, with all defaults filled in. */
export interface GatewayEntry {
  /** Address to listen on. @default 127.0.0.1, port 7340 */
  readonly listen: GatewayListen;
  /** Needed off loopback. @default [] */
  readonly tokens: readonly GatewayToken[];
  /** Values of `Host` that are answered besides the address listened on and the names of loopback. @default [] */
  readonly allowedHosts: readonly string[];
  /** Values of `Origin` that are answered besides the gateway's own. @default [] */
  readonly allowedOrigins: readonly string[];
  /** Limits on connections, sessions, requests and calls. */
  readonly limits: GatewayLimits;
  /** How names of offered tools are formed. */
  readonly names: GatewayNames;
  /** How large results are handed over. */
  readonly results: GatewayResults;
  /** Progress is told to the client this often while a call runs. `false`: never. @default 10000 */
  readonly heartbeatMs: number | false;
  /** How long a client may take to answer a server's question. @default 300000 */
  readonly inputTimeoutMs: number;
  /** At the end: how long running calls may continue. @default 10000 */
  readonly drainMs: number;
  /** What happens to a tool whose definition is not the one in the lock file. @default 'warn' */
  readonly toolLock: 'off' | 'warn' | 'block';
  /** Absolute. @default 'holdfast.lock.json' beside the manifest */
  readonly lockFile: string;
  /** A file that gets one line for each call. Absolute. @default false */
  readonly audit: string | false;
  /** One line for each call on standard error. @default 'json' */
  readonly log: 'json' | 'text' | 'off';
  /** What was: series, failures and turns by their facts, beside the trace store's file, or in memory where there is no store. */
  readonly history: GatewayHistory;
  /** Whether the manifest is watched and read again when it changes. @default true */
  readonly reload: boolean;
  /** Providers whose API is offered too. @default {} */
  readonly models: Readonly<Partial<Record<ModelProvider, ModelEntry>>>;
}
