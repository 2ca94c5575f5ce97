/**
 * Owns the options of `mcpServer` and their checks.
 */
import type { AttemptContext } from '@holdfast/core';
import type { JsonObject, RequestAuthorizer } from '@holdfast/mcp-wire/client';
import { defaultInheritEnv } from '../options/environment.ts';
import { isRecord } from '@holdfast/core/internal/plain';
import { choice, count, flag, milliseconds, misuse, onlyFields, optionalFunction, text, texts } from '../options/fields.ts';
import { type TextOrSecret, textsOrSecrets } from '../options/secret.ts';

/** How to start or reach an MCP server. */
export interface McpServerOptions {
  /** Program of a stdio server. Either this or `url`. */
  readonly command?: string;
  /** @default [] */
  readonly args?: readonly string[];
  /** @default the working directory of this process */
  readonly cwd?: string;
  /** Variables of the program: literal, or read from this process's environment at each start. @default {} */
  readonly env?: Readonly<Record<string, TextOrSecret>>;
  /** Variables of this process that the program inherits. @default PATH HOME LANG TERM USER SHELL LOGNAME TMPDIR */
  readonly inheritEnv?: readonly string[];
  /** Endpoint of a Streamable HTTP server. Either this or `command`. */
  readonly url?: string | URL;
  /** Headers of every request to `url`, such as `{ authorization: { env: 'TOKEN', prefix: 'Bearer ' } }`. @default {} */
  readonly headers?: Readonly<Record<string, TextOrSecret>>;
  /** Adds credentials to every request to `url`, in place of a header `authorization`. @default none */
  readonly authorizer?: RequestAuthorizer;
  /** Name of the server in messages. @default the command or the host */
  readonly name?: string;
  /**
   * Protocol revision: up to 2025-11-25 (`legacy`), 2026-07-28 (`modern`), or legacy first and modern if the server
   * refuses it (`auto`).
   * @default 'auto'
   */
  readonly protocol?: 'auto' | 'legacy' | 'modern';
  /** Time limit for starting the server and the handshake. @default 30000 */
  readonly startupTimeoutMs?: number;
  /** How long a server may take to answer a ping after an aborted call, before it counts as hung and is restarted (stdio). @default 2000 */
  readonly healthTimeoutMs?: number;
  /** At `close`: how long the server may take to exit after its input is closed, and again between SIGTERM and SIGKILL. @default 1000 */
  readonly graceMs?: number;
  /**
   * A longer message is skipped: the call that it answers rejects with `MCP_MESSAGE_TOO_LARGE`, or all running calls if it is unknown which.
   * @default 33554432
   */
  readonly maxMessageBytes?: number;
  /** Delay of the second consecutive restart; doubled each time. The first restart after a success is immediate. @default 250 */
  readonly restartDelayMs?: number;
  /** @default 30000 */
  readonly maxRestartDelayMs?: number;
  /** Name and version that this client sends. @default name `holdfast` and this version */
  readonly clientInfo?: JsonObject;
  /** Capabilities that this client sends: in the legacy era in the handshake, in the modern era with each request. @default {} */
  readonly clientCapabilities?: JsonObject;
  /** Answers requests of a legacy server that belong to no request of this client. @default only `ping` is answered */
  readonly answer?: (method: string, params: JsonObject) => Promise<JsonObject>;
  /** Entries for the `_meta` of each call, such as `traceparent`. A function that throws adds nothing. @default none */
  readonly meta?: (context: AttemptContext) => Readonly<Record<string, string>>;
  /** Keeps a stream open for the server's notifications of changes (HTTP, and stdio in the modern era). @default false */
  readonly listen?: boolean;
}

export interface StdioEndpoint {
  readonly type: 'stdio';
  readonly command: string;
  readonly args: readonly string[];
  readonly cwd: string | undefined;
  readonly env: Readonly<Record<string, TextOrSecret>>;
  readonly inheritEnv: readonly string[];
}

export interface HttpEndpoint {
  readonly type: 'http';
  readonly url: URL;
  readonly headers: Readonly<Record<string, TextOrSecret>>;
  readonly authorizer: RequestAuthorizer | undefined;
}

export interface McpSettings {
  readonly name: string;
  readonly endpoint: StdioEndpoint | HttpEndpoint;
  readonly protocol: 'auto' | 'legacy' | 'modern';
  readonly startupTimeoutMs: number;
  readonly healthTimeoutMs: number;
  readonly graceMs: number;
  readonly maxMessageBytes: number;
  readonly restartDelayMs: number;
  readonly maxRestartDelayMs: number;
  readonly clientInfo: JsonObject;
  readonly clientCapabilities: JsonObject;
  readonly answer: McpServerOptions['answer'];
  readonly meta: McpServerOptions['meta'];
  readonly listen: boolean;
}

const stdioFields = ['command', 'args', 'cwd', 'env', 'inheritEnv'];
const httpFields = ['url', 'headers', 'authorizer'];
const sharedFields = [
  'name',
  'protocol',
  'startupTimeoutMs',
  'healthTimeoutMs',
  'graceMs',
  'maxMessageBytes',
  'restartDelayMs',
  'maxRestartDelayMs',
  'clientInfo',
  'clientCapabilities',
  'answer',
  'meta',
  'listen',
];

const ourselves: JsonObject = { name: 'holdfast', version: '0.1.0' };

export function mcpSettings(options: McpServerOptions): McpSettings {
  const owner = 'mcpServer';
  onlyFields(owner, options, [...stdioFields, ...httpFields, ...sharedFields]);
  const { command, url } = options;
  if ((command === undefined) === (url === undefined))
    throw misuse(`${owner}: ${command === undefined ? 'command' : 'url'}`, url, 'give either command or url');
  const endpoint = command === undefined ? httpEndpoint(owner, options) : stdioEndpoint(owner, options);
  const ownName = endpoint.type === 'stdio' ? [endpoint.command, ...endpoint.args].join(' ') : endpoint.url.host;
  return {
    endpoint,
    name: options.name === undefined ? ownName.slice(0, 80) : text(`${owner}: name`, options.name),
    protocol: choice(`${owner}: protocol`, options.protocol, ['auto', 'legacy', 'modern'], 'auto'),
    startupTimeoutMs: milliseconds(`${owner}: startupTimeoutMs`, options.startupTimeoutMs, 30_000),
    healthTimeoutMs: milliseconds(`${owner}: healthTimeoutMs`, options.healthTimeoutMs, 2000),
    graceMs: milliseconds(`${owner}: graceMs`, options.graceMs, 1000),
    maxMessageBytes: count(`${owner}: maxMessageBytes`, options.maxMessageBytes, 32 * 1024 * 1024, 1024),
    restartDelayMs: milliseconds(`${owner}: restartDelayMs`, options.restartDelayMs, 250),
    maxRestartDelayMs: milliseconds(`${owner}: maxRestartDelayMs`, options.maxRestartDelayMs, 30_000),
    clientInfo: record(`${owner}: clientInfo`, options.clientInfo, ourselves),
    clientCapabilities: record(`${owner}: clientCapabilities`, options.clientCapabilities, {}),
    answer: optionalFunction(`${owner}: answer`, options.answer),
    meta: optionalFunction(`${owner}: meta`, options.meta),
    listen: flag(`${owner}: listen`, options.listen, false),
  };
}

function stdioEndpoint(owner: string, options: McpServerOptions): StdioEndpoint {
  refuse(owner, options, httpFields, 'it belongs to url, not to command: remove it');
  return {
    type: 'stdio',
    command: text(`${owner}: command`, options.command, 'give the path or name of a program'),
    args: texts(`${owner}: args`, options.args, []),
    cwd: options.cwd === undefined ? undefined : text(`${owner}: cwd`, options.cwd),
    env: textsOrSecrets(`${owner}: env`, options.env),
    inheritEnv: texts(`${owner}: inheritEnv`, options.inheritEnv, defaultInheritEnv),
  };
}

function httpEndpoint(owner: string, options: McpServerOptions): HttpEndpoint {
  refuse(owner, options, stdioFields, 'it belongs to command, not to url: remove it');
  const source = String(options.url);
  const hint = 'give an http or https URL without user or password';
  if (!URL.canParse(source)) throw misuse(`${owner}: url`, source, hint);
  const url = new URL(source);
  if (!/^https?:$/.test(url.protocol) || url.username !== '' || url.password !== '')
    throw misuse(`${owner}: url`, `${url.protocol}//${url.host}`, hint);
  const { authorizer } = options;
  if (authorizer !== undefined && !isRecord(authorizer)) throw misuse(`${owner}: authorizer`, authorizer, 'give an object');
  return { type: 'http', url, headers: textsOrSecrets(`${owner}: headers`, options.headers), authorizer };
}

function refuse(owner: string, options: McpServerOptions, fields: readonly string[], hint: string): void {
  for (const field of fields) {
    const value: unknown = Reflect.get(options, field);
    if (value !== undefined) throw misuse(`${owner}: ${field}`, value, hint);
  }
}

function record(field: string, value: unknown, fallback: JsonObject): JsonObject {
  if (value === undefined) return fallback;
  if (!isRecord(value)) throw misuse(field, value, 'give an object');
  return value;
}
