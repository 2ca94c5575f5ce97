/** Owns the typed form of `gateway`: address, clients, limits, history. Defaults are filled in. */
import type { SecretReference, TextOrSecret } from '@holdfast/runners';

/** What a client may do: call tools; read the turns, the history and the alerts of all clients; act on circuits, alerts and turns. */
export type GatewayRole = 'call' | 'read' | 'operate';

/** Limits of one client, or of all clients of a group together. */
export interface GatewayCallLimits {
  /** Further calls are refused until the next one is due. @default none */
  readonly callsPerMinute?: number;
  /** Calls within 24 hours of this process. @default none */
  readonly callsPerDay?: number;
  /** Calls that run at the same time. @default none */
  readonly inFlight?: number;
}

/** What a client may do, and how much of it. */
export interface GatewayAccess {
  /** @default ['call'], and all roles for the only client of a gateway */
  readonly roles?: readonly GatewayRole[];
  /** Globs (`*`, `?`) for the names of offered tools. @default all */
  readonly tools?: readonly string[];
  /** Globs that override `tools`. @default [] */
  readonly deny?: readonly string[];
  /** Limits of its calls. @default none */
  readonly limits?: GatewayCallLimits;
}

/** A client with access: its token is the value of an environment variable. */
export interface GatewayToken extends GatewayAccess {
  /** Name of the client in logs. */
  readonly name: string;
  /** The environment variable that holds the token. */
  readonly env: string;
  /** Names of `gateway.groups`. @default [] */
  readonly groups?: readonly string[];
}

/** How tokens are checked at the issuer when they are not signed for everybody to check. */
export interface GatewayIntrospection {
  /** @default the `introspection_endpoint` of the issuer's metadata */
  readonly endpoint?: string;
  /** The client that the gateway is at the authorization server. */
  readonly clientId: string;
  /** The secret of that client. */
  readonly clientSecret: SecretReference;
}

/** An authorization server whose access tokens are accepted. */
export interface GatewayIssuer extends GatewayAccess {
  /** Exactly as in the tokens. */
  readonly issuer: string;
  /** Accepted audiences. @default the address of the endpoint */
  readonly audience?: readonly string[];
  /** @default the `jwks_uri` of the issuer's metadata */
  readonly jwksUri?: string;
  /** Accepted signature algorithms. */
  readonly algorithms: readonly string[];
  /** @default tokens are signed (JWT) */
  readonly introspection?: GatewayIntrospection;
  /** Scopes that a token must have, and that clients request. @default [] */
  readonly scopes: readonly string[];
  /** The claim with the names of groups. @default none: `roles`, `tools`, `deny` and `limits` of this entry apply */
  readonly groupsClaim?: string;
}

/** Logins of clients at authorization servers. */
export interface GatewayAuth {
  /** The authorization servers whose tokens are accepted. */
  readonly issuers: readonly GatewayIssuer[];
}

/** A further MCP endpoint with a part of the tools. */
export interface GatewayEndpoint extends Pick<GatewayAccess, 'tools' | 'deny'> {}

/** The address on which the gateway listens. */
export interface GatewayListen {
  /** @default '127.0.0.1' */
  readonly host: string;
  /** 0: any free port. @default 7340 */
  readonly port: number;
  /** A Unix socket instead of host and port. Absolute. @default none */
  readonly path?: string;
}

/** Limits on requests, connections, sessions and calls of the gateway. */
export interface GatewayLimits {
  /** Size of a request's body. @default 4194304 */
  readonly bodyBytes: number;
  /** From the connection's opening to the end of the headers. @default 10000 */
  readonly headerTimeoutMs: number;
  /** From the end of the headers to the end of the body. @default 30000 */
  readonly bodyTimeoutMs: number;
  /** Open connections. @default 2000 */
  readonly connections: number;
  /** Open MCP sessions. @default 1000 */
  readonly sessions: number;
  /** A session without a request for this long is closed. @default 1800000 */
  readonly sessionIdleMs: number;
  /** Subscriptions to resources and lists, of all clients. @default 1000 */
  readonly subscriptions: number;
  /** Calls that run or wait. @default 1000 */
  readonly inFlight: number;
}

/** How names of offered tools are formed. */
export interface GatewayNames {
  /** Between a prefix and a tool's name. @default '__' */
  readonly separator: string;
  /** Longer names are truncated and get a hash. @default 64 */
  readonly maxLength: number;
}

/** How large results are returned. */
export interface GatewayResults {
  /** A larger result is stored as a resource, and its beginning is returned. @default 1000000 */
  readonly maxBytes: number;
  /** How long such a resource can be read. @default 900000 */
  readonly keepMs: number;
  /** Total size of all of them; the oldest are deleted first. @default 268435456 */
  readonly keepBytes: number;
}

/** How long the gateway keeps its history. */
export interface GatewayHistory {
  /** Older records are deleted. @default 14 */
  readonly retentionDays: number;
}

/** A provider whose API the gateway can offer. */
export type ModelProvider = 'openai' | 'anthropic' | 'gemini';

/** A provider of models behind the gateway. */
export interface ModelEntry {
  /** The rest of the request's path is appended to it. @default the provider's public address */
  readonly baseUrl: string;
  /** @default none */
  readonly apiKey?: SecretReference;
  /** Sent with each request. @default {} */
  readonly headers: Readonly<Record<string, TextOrSecret>>;
  /** Whether invalid transcripts in requests are repaired. @default true */
  readonly repair: boolean;
  /** Whether tool calls in responses are checked. @default true */
  readonly validate: boolean;
}

/** The section `gateway`, with all defaults filled in. */
export interface GatewayEntry {
  /** Address to listen on. @default 127.0.0.1, port 7340 */
  readonly listen: GatewayListen;
  /** Required if the address is not loopback. @default [] */
  readonly tokens: readonly GatewayToken[];
  /** Access of several clients together, by name. @default {} */
  readonly groups: Readonly<Record<string, GatewayAccess>>;
  /** The address of the gateway for its clients, without `/mcp`. Required for `auth`. @default none */
  readonly publicUrl?: string;
  /** Logins of clients at authorization servers. @default none */
  readonly auth?: GatewayAuth;
  /** Further MCP endpoints, `/mcp/<name>`, each with a part of the tools. @default {} */
  readonly endpoints: Readonly<Record<string, GatewayEndpoint>>;
  /** The key of session ids, for gateways without a common store. @default a key in the store */
  readonly sessionKey?: SecretReference;
  /** Allowed values of `Host` besides the address listened on and the names of loopback. @default [] */
  readonly allowedHosts: readonly string[];
  /** Allowed values of `Origin` besides the gateway's own. @default [] */
  readonly allowedOrigins: readonly string[];
  /** Limits on connections, sessions, requests and calls. */
  readonly limits: GatewayLimits;
  /** How names of offered tools are formed. */
  readonly names: GatewayNames;
  /** Which tools clients see: all, or two that find and call the others. @default 'all' */
  readonly tools: 'all' | 'search';
  /** Tools that are offered beside those two; `*` and `?` are wildcards. @default [] */
  readonly pinnedTools: readonly string[];
  /** How large results are returned. */
  readonly results: GatewayResults;
  /** How often the client gets progress while a call runs. `false`: never. @default 10000 */
  readonly heartbeatMs: number | false;
  /** How long a client may take to answer a server's question. @default 300000 */
  readonly inputTimeoutMs: number;
  /** How long running calls may continue at shutdown. @default 10000 */
  readonly drainMs: number;
  /** What happens to a tool whose definition differs from the lock file. @default 'block' */
  readonly toolLock: 'off' | 'warn' | 'block';
  /** Absolute. @default 'holdfast.lock.json' beside the manifest */
  readonly lockFile: string;
  /** A file with one line per call. Absolute. @default false */
  readonly audit: string | false;
  /** One line per call on standard error. @default 'json' */
  readonly log: 'json' | 'text' | 'off';
  /** The history: series, failures and facts of turns. Beside the trace store's file, or in memory without a store. */
  readonly history: GatewayHistory;
  /** Whether the manifest is reloaded when it changes. @default true */
  readonly reload: boolean;
  /** Providers whose API the gateway serves too. @default {} */
  readonly models: Readonly<Partial<Record<ModelProvider, ModelEntry>>>;
}
