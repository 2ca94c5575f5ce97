/** A server without a connection: its answers are functions of the request. */
import { type Manifest, parseManifest } from '@holdfast/manifest';
import { type ConnectedClient, type ClientRequest, isJsonObject, type JsonObject, rpcCodes, rpcError } from '@holdfast/mcp-wire/server';
import type { ClientRequestOptions, ServerHandshake } from '@holdfast/mcp-wire/client';
import type { McpServer, McpServerEvent, McpServerOptions, McpServerStatus } from '@holdfast/runners';
import { createRelay } from '../../src/relay/create-relay.ts';
import type { RelayLimits } from '../../src/relay/limits.ts';
import type { RelayOptions } from '../../src/relay/options.ts';
import type { ListedTool } from '../../src/relay/server-access.ts';
import type { Relay } from '../../src/relay/relay.ts';
import type { UpstreamFault, Upstreams } from '../../src/upstreams/upstream.ts';
import { createUpstreams } from '../../src/upstreams/upstreams.ts';

type Answer = (params: JsonObject, options: ClientRequestOptions) => JsonObject | Promise<JsonObject>;

export interface Script {
  readonly era?: 'legacy' | 'modern';
  readonly capabilities?: JsonObject;
  readonly instructions?: string;
  /** Answers by method; other methods are unknown to the server. */
  readonly answers?: Readonly<Record<string, Answer | JsonObject>>;
  /** Runs before the handshake. */
  readonly greet?: () => Promise<void>;
}

export interface FakeServer extends McpServer {
  readonly options: McpServerOptions;
  readonly received: { readonly method: string; readonly params: JsonObject; readonly options: ClientRequestOptions }[];
  readonly notified: { readonly method: string; readonly params: JsonObject }[];
  readonly watched: string[];
  script: Script;
  isClosed: boolean;
  methods(): readonly string[];
  emit(event: McpServerEvent): void;
  notification(method: string, params?: JsonObject): void;
  /** Simulates a lost connection. */
  fall(): void;
  /** Simulates a new connection. */
  rise(): void;
}

export const down = (retryAfterMs: number): Error =>
  Object.assign(new Error('MCP server is down: it exited'), { code: 'MCP_SERVER_DOWN', retryAfterMs });
export const lost = (): Error => Object.assign(new Error('MCP server was lost while the call ran'), { code: 'MCP_CALL_LOST' });

export function fakeServer(script: Script, options: McpServerOptions = {}): FakeServer {
  const listeners = new Set<(event: McpServerEvent) => void>();
  let state: McpServerStatus['state'] = 'idle';
  let restarts = -1;
  const status = (): McpServerStatus => ({ state, restarts: Math.max(0, restarts), failures: 0 }) as McpServerStatus;
  const turn = (next: McpServerStatus['state']): void => {
    if (next === 'up' && state !== 'up') restarts++;
    state = next;
    server.emit({ type: 'status', status: status() });
  };
  const rise = async (): Promise<void> => {
    if (state === 'up') return;
    await server.script.greet?.();
    turn('up');
  };
  const server: FakeServer = {
    script,
    options,
    received: [],
    notified: [],
    watched: [],
    isClosed: false,
    methods: () => server.received.map(({ method }) => method),
    emit: (event) => listeners.forEach((listener) => listener(event)),
    notification: (method, params = {}) => server.emit({ type: 'notification', method, params }),
    fall: () => turn('idle'),
    rise: () => turn('up'),
    status,
    connect: rise,
    async handshake(): Promise<ServerHandshake> {
      await rise();
      const { era = 'legacy', capabilities = { resources: {}, prompts: {}, completions: {} }, instructions } = server.script;
      const protocolVersion = era === 'legacy' ? '2025-11-25' : '2026-07-28';
      return { era, protocolVersion, serverInfo: {}, capabilities, ...(instructions === undefined ? {} : { instructions }) };
    },
    async request(method, params = {}, requestOptions = {}) {
      await rise();
      server.received.push({ method, params, options: requestOptions });
      const answer = server.script.answers?.[method];
      if (answer === undefined) throw rpcError(rpcCodes.methodNotFound, `Method not found: ${method}`);
      return typeof answer === 'function' ? answer(params, requestOptions) : answer;
    },
    async notify(method, params = {}) {
      server.notified.push({ method, params });
    },
    subscribe(listener) {
      listeners.add(listener);
      return () => void listeners.delete(listener);
    },
    async watchResource(uri) {
      await rise();
      const refusal = server.script.answers?.['resources/subscribe'];
      if (typeof refusal === 'function') await refusal({ uri }, {});
      server.watched.push(uri);
      return () => void server.watched.splice(server.watched.indexOf(uri), 1);
    },
    async retire() {
      await server.close();
    },
    async close() {
      server.isClosed = true;
      state = 'closed';
    },
    tool: () => {
      throw new Error('no tools');
    },
    listTools: async () => [],
  };
  return server;
}

export const answering =
  (field: string, ...entries: readonly JsonObject[]): Answer =>
  () => ({ [field]: entries });
export const resources = (...uris: readonly string[]): Answer =>
  answering('resources', ...uris.map((uri) => ({ uri, name: uri, 'x-kept': true })));
export const templates = (...all: readonly string[]): Answer =>
  answering('resourceTemplates', ...all.map((uriTemplate) => ({ uriTemplate, name: uriTemplate })));
export const prompts = (...names: readonly string[]): Answer => answering('prompts', ...names.map((name) => ({ name })));
export const never: Answer = () => new Promise(() => {});

export function manifestOf(names: readonly string[], more: (name: string) => string = () => ''): Manifest {
  const servers = names.map((name) => `  ${name}: { command: none, args: [${name}]${more(name)} }`).join('\n');
  const { manifest, problems } = parseManifest(`mcp_servers:\n${servers}\ntools:\n  - { id: t, run: { command: { command: none } } }\n`, {
    file: 'holdfast.yaml',
  });
  if (manifest === undefined) throw new Error(JSON.stringify(problems));
  return manifest;
}

export interface World {
  readonly relay: Relay;
  readonly upstreams: Upstreams;
  readonly servers: Readonly<Record<string, FakeServer>>;
  readonly faults: UpstreamFault[];
  /** Scripts of servers that a reload creates. */
  readonly scripts: Record<string, Script>;
  readonly published: { readonly method: string; readonly params: JsonObject }[];
  readonly toolsChanged: () => void;
}

export interface WorldOptions {
  readonly limits?: Partial<RelayLimits>;
  readonly entry?: (name: string) => string;
  readonly readSpilled?: RelayOptions['readSpilled'];
  readonly inputTimeoutMs?: number;
  readonly keepsApart?: RelayOptions['keepsApart'];
  /** The offered tools. */
  readonly tools?: readonly ListedTool[];
}

export function world(initial: Readonly<Record<string, Script>>, options: WorldOptions = {}): World {
  const { tools } = options;
  const scripts = { ...initial };
  const servers: Record<string, FakeServer> = {};
  const faults: UpstreamFault[] = [];
  const published: World['published'] = [];
  const toolListeners = new Set<() => void>();
  const upstreams = createUpstreams(manifestOf(Object.keys(scripts), options.entry), {
    onFault: (fault) => faults.push(fault),
    answer: (upstream, method, params) => relay.answer(upstream, method, params),
    makeServer: (made) => (servers[String(made.name)] = fakeServer(scripts[String(made.name)] ?? {}, made)),
  });
  const relay = createRelay({
    upstreams,
    catalog: {
      subscribe(listener) {
        toolListeners.add(listener);
        return () => void toolListeners.delete(listener);
      },
      ...(tools === undefined ? {} : { list: () => tools }),
    },
    settings: () => ({ names: { separator: '__', maxLength: 64 }, inputTimeoutMs: options.inputTimeoutMs ?? 1_000 }),
    publish: (method, params) => void published.push({ method, params }),
    onFault: (fault) => faults.push(fault),
    ...(options.keepsApart === undefined ? {} : { keepsApart: options.keepsApart }),
    ...(options.readSpilled === undefined ? {} : { readSpilled: options.readSpilled }),
    limits: { gatherMs: 1, ...options.limits },
  });
  return { relay, upstreams, servers, scripts, faults, published, toolsChanged: () => toolListeners.forEach((listener) => listener()) };
}

let ids = 0;

export function connectedClient(more: Partial<ConnectedClient> = {}): ConnectedClient {
  return {
    id: `client-${ids++}`,
    era: 'legacy',
    protocolVersion: '2025-11-25',
    info: { name: 'host' },
    capabilities: {},
    principal: undefined,
    transport: 'stdio',
    ...more,
  };
}

export interface AskedRequest extends ClientRequest {
  readonly notifications: { readonly method: string; readonly params: JsonObject }[];
  readonly progress: JsonObject[];
}

export function clientRequest(method: string, params: JsonObject = {}, more: Partial<ClientRequest> = {}): AskedRequest {
  const notifications: AskedRequest['notifications'] = [];
  const progress: JsonObject[] = [];
  return {
    id: ids++,
    method,
    params,
    client: connectedClient(),
    signal: new AbortController().signal,
    logLevel: undefined,
    wantsProgress: false,
    reportProgress: (reported) => void progress.push(reported),
    notify: (name, reported) => void notifications.push({ method: name, params: reported }),
    ask: () => Promise.reject(rpcError(rpcCodes.methodNotFound, 'not asked')),
    ...more,
    notifications,
    progress,
  };
}

/** Returns one property of the entries of a field. */
export function keys(result: JsonObject, field: string, key: string): readonly unknown[] {
  const entries = result[field];
  return Array.isArray(entries) ? entries.map((entry: unknown) => (isJsonObject(entry) ? entry[key] : entry)) : [];
}

/** Waits until `holds` returns true. */
export async function until(holds: () => boolean): Promise<void> {
  while (!holds()) await new Promise((resolve) => setTimeout(resolve, 1));
}

/** Returns the shortest of five durations, because a busy machine may delay any of them. */
export async function quickest(work: () => Promise<unknown>): Promise<number> {
  let best = Infinity;
  for (let round = 0; round < 5; round += 1) {
    const begin = performance.now();
    await work();
    best = Math.min(best, performance.now() - begin);
  }
  return best;
}
