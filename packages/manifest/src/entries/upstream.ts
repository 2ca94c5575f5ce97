/** Owns the typed form of the sources of a gateway's tools: MCP servers and OpenAPI documents, and which of their tools it offers. Defaults are filled in. */
import type { ClassificationRule, ToolPolicy } from '@holdfast/core';
import type { HttpRunnerOptions, McpServerOptions, SecretReference, TextOrSecret } from '@holdfast/runners';

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

/** The identity provider of a company, whose grant (ID-JAG) the authorization server of a tool accepts. */
export interface IdentityProviderEntry {
  /** Its address, exactly as in its metadata. */
  readonly issuer: string;
  /** The client that the gateway is there. */
  readonly clientId: TextOrSecret;
  /** @default none */
  readonly clientSecret?: SecretReference;
}

/** How the gateway gets access tokens for a server. */
export interface McpServerAuth {
  /** `oauth`: a person logs in. `client_credentials`: the gateway logs in with its own credentials. `token_exchange`: the caller's token is exchanged for one of the server. */
  readonly type: 'oauth' | 'client_credentials' | 'token_exchange';
  /** @default the gateway describes or registers itself */
  readonly clientId?: TextOrSecret;
  /** @default none */
  readonly clientSecret?: SecretReference;
  /** The key of `private_key_jwt`, PKCS #8 in PEM form. @default none */
  readonly privateKey?: SecretReference;
  /** Algorithm of `privateKey`. @default 'ES256' */
  readonly algorithm?: string;
  /** A token of the workload itself, in place of a secret (RFC 7523). @default none */
  readonly assertion?: SecretReference;
  /** @default what the authorization server supports */
  readonly clientAuthentication?: 'basic' | 'post' | 'private_key_jwt' | 'none';
  /** Address of a document that describes the gateway as a client. @default none */
  readonly clientMetadataUrl?: string;
  /** The only accepted authorization server. @default the first that the server names */
  readonly issuer?: string;
  /** @default the server's `url` */
  readonly resource?: string;
  /** Whether `resource` is sent. @default true */
  readonly sendResource: boolean;
  /** @default what the server asks for */
  readonly scopes?: readonly string[];
  /** Where the browser is sent after the login. @default an address of this machine */
  readonly redirectUrl?: string;
  /** Whether tokens are bound to a key. @default if the server requires it */
  readonly dpop?: boolean;
  /** @default the caller's token */
  readonly subjectToken?: SecretReference;
  /** @default 'access_token' */
  readonly subjectTokenType: 'access_token' | 'id_token' | 'jwt';
  /** `audience` of an exchange. @default none */
  readonly audience?: string;
  /** @default the exchange is at the server's own authorization server */
  readonly identityProvider?: IdentityProviderEntry;
  /** To which addresses the names of authorization servers may resolve. @default 'network'; 'any' for a server on this machine */
  readonly addresses?: HttpRunnerOptions['addresses'];
}

/** A server that is reached over HTTP. */
export interface McpUrlEntry extends McpOfferEntry, CommonServerOptions, Pick<McpServerOptions, 'headers'> {
  /** Address of the server's MCP endpoint. */
  readonly url: string;
  /** @default none: `headers` have all credentials */
  readonly auth?: McpServerAuth;
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
