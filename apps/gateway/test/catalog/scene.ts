/** A catalog over servers that are functions. */
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { AnyTool } from '@holdfast/core';
import { buildTools, type Manifest, parseManifest } from '@holdfast/manifest';
import type { ClientRequestOptions } from '@holdfast/mcp-wire/client';
import type { JsonObject } from '@holdfast/mcp-wire/server';
import type { McpServerStatus } from '@holdfast/runners';
import type { Catalog } from '../../src/catalog/catalog.ts';
import { createCatalog, type CatalogOptions } from '../../src/catalog/create-catalog.ts';
import type { CatalogNote } from '../../src/catalog/entry.ts';
import type { ListedServer } from '../../src/catalog/known-servers.ts';
import type { RunUpstream } from '../../src/catalog/upstream-tool.ts';

export function manifestOf(source: string, file = join(tmpdir(), 'holdfast.yaml')): Manifest {
  const { manifest, problems } = parseManifest(source, { file });
  if (manifest === undefined) throw new Error(problems.map(({ message }) => message).join('\n'));
  return manifest;
}

export type Handler = (params: JsonObject, options: ClientRequestOptions) => JsonObject | Promise<JsonObject>;

export interface FakeUpstream extends ListedServer {
  /** What it lists; a function is called for each request. */
  tools: readonly JsonObject[] | (() => readonly JsonObject[] | Promise<readonly JsonObject[]>);
  onCall: Handler;
  state: Pick<McpServerStatus, 'state' | 'restarts'>;
  readonly requests: { readonly method: string; readonly params: JsonObject; readonly options: ClientRequestOptions }[];
}

export function fakeUpstream(manifest: Manifest, name: string, tools: FakeUpstream['tools'] = []): FakeUpstream {
  const entry = manifest.mcpServers[name];
  if (entry === undefined) throw new Error(`no server ${name} in the manifest`);
  const upstream: FakeUpstream = {
    name,
    entry,
    tools,
    requests: [],
    state: { state: 'up', restarts: 0 },
    onCall: ({ arguments: args }) => ({ content: [{ type: 'text', text: JSON.stringify(args) }] }),
    server: {
      status: () => ({ failures: 0, ...upstream.state }) as McpServerStatus,
      async request(method, params = {}, options = {}) {
        upstream.requests.push({ method, params, options });
        if (method === 'tools/call') return upstream.onCall(params, options);
        const listed = typeof upstream.tools === 'function' ? await upstream.tools() : upstream.tools;
        return { tools: listed };
      },
    },
  };
  return upstream;
}

type AnyJson = (upstream: ListedServer, method: string) => void;
type Changed = (upstream: ListedServer | undefined) => void;

export class FakeUpstreams {
  readonly #listeners = new Set<AnyJson>();
  readonly #statusListeners = new Set<Changed>();
  servers: readonly FakeUpstream[];

  constructor(servers: readonly FakeUpstream[]) {
    this.servers = servers;
  }

  all(): readonly FakeUpstream[] {
    return this.servers;
  }

  get(name: string): FakeUpstream | undefined {
    return this.servers.find((server) => server.name === name);
  }

  subscribe(listener: AnyJson): () => void {
    this.#listeners.add(listener);
    return () => void this.#listeners.delete(listener);
  }

  subscribeStatus(listener: Changed): () => void {
    this.#statusListeners.add(listener);
    return () => void this.#statusListeners.delete(listener);
  }

  notify(name: string, method: string): void {
    const upstream = this.get(name);
    if (upstream !== undefined) for (const listener of this.#listeners) listener(upstream, method);
  }

  change(name: string): void {
    for (const listener of this.#statusListeners) listener(this.get(name));
  }

  get listening(): number {
    return this.#listeners.size + this.#statusListeners.size;
  }
}

export interface CatalogScene {
  readonly manifest: Manifest;
  readonly upstreams: FakeUpstreams;
  readonly catalog: Catalog;
  readonly notes: CatalogNote[];
  names(): readonly string[];
}

const run: RunUpstream = (tool) => Object.assign(() => tool, { kind: 'mcp' as const });

export type SceneOptions = Partial<CatalogOptions> & { readonly extra?: Parameters<typeof createCatalog>[0]['extra'] & object };

/** `lists`: the tools of each server, as in `tools/list`. */
export async function catalogScene(
  source: string,
  lists: Readonly<Record<string, FakeUpstream['tools']>>,
  { extra = [], ...options }: SceneOptions = {},
): Promise<CatalogScene> {
  const manifest = manifestOf(source);
  const upstreams = new FakeUpstreams(Object.keys(manifest.mcpServers).map((name) => fakeUpstream(manifest, name, lists[name] ?? [])));
  const notes: CatalogNote[] = [];
  const built: readonly AnyTool[] = buildTools(manifest).tools;
  const input = { manifest, tools: built, extra };
  const catalog = await createCatalog(input, { upstreams, run, onNote: (note) => notes.push(note), ...options });
  await catalog.ready();
  return { manifest, upstreams, catalog, notes, names: () => catalog.list().map(({ name }) => name) };
}

export const tool = (name: string, more: JsonObject = {}): JsonObject => ({ name, inputSchema: { type: 'object' }, ...more });

/** Servers with these names, and the lock disabled unless `more` overrides it. */
export const servers = (names: readonly string[], more = 'gateway: { tool_lock: off }'): string =>
  `version: 1\nmcp_servers:\n${names.map((name) => `  ${name}: { command: nothing }\n`).join('')}${more}\n`;
