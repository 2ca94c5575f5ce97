/** A gateway's calls over servers that are functions: a real service, a real catalog. */
import { type System, ToolExecutionService } from '@holdfast/core';
import { buildTools, type Manifest } from '@holdfast/manifest';
import { type ConnectedClient, type ClientRequest, type JsonObject, rpcCodes, rpcError } from '@holdfast/mcp-wire/server';
import type { Calls } from '../../src/calls/calls.ts';
import { type CallsOptions, createCalls } from '../../src/calls/create-calls.ts';
import { createToolRuns } from '../../src/calls/tool-runs.ts';
import type { Catalog, CatalogInput } from '../../src/catalog/catalog.ts';
import { createCatalog } from '../../src/catalog/create-catalog.ts';
import { type FakeUpstream, FakeUpstreams, fakeUpstream, manifestOf } from '../catalog/scene.ts';

interface Asked {
  readonly method: string;
  readonly params: JsonObject;
}

export interface SceneRequest extends ClientRequest {
  readonly progress: JsonObject[];
  readonly notified: Asked[];
  readonly asked: Asked[];
  abort(reason?: Error): void;
}

export interface RequestOptions {
  readonly params?: JsonObject;
  readonly client?: Partial<ConnectedClient>;
  readonly wantsProgress?: boolean;
  readonly answers?: (method: string, params: JsonObject, signal: AbortSignal | undefined) => JsonObject | Promise<JsonObject>;
}

let lastId = 0;

export function request(
  name: string,
  args?: JsonObject,
  { params = {}, client = {}, wantsProgress = false, answers }: RequestOptions = {},
): SceneRequest {
  const controller = new AbortController();
  const progress: JsonObject[] = [];
  const notified: Asked[] = [];
  const asked: Asked[] = [];
  return {
    id: ++lastId,
    method: 'tools/call',
    params: { name, ...(args === undefined ? {} : { arguments: args }), ...params },
    client: {
      id: 'c',
      era: 'legacy',
      protocolVersion: '2025-11-25',
      info: { name: 'host', version: '1' },
      capabilities: {},
      principal: undefined,
      transport: 'stdio',
      ...client,
    },
    signal: controller.signal,
    logLevel: undefined,
    wantsProgress,
    progress,
    notified,
    asked,
    abort: (reason = new Error('the client has cancelled')) => controller.abort(reason),
    reportProgress: (one) => void progress.push(one),
    notify: (method, own) => void notified.push({ method, params: own }),
    async ask(method, own, signal) {
      asked.push({ method, params: own });
      if (answers === undefined) throw rpcError(rpcCodes.methodNotFound, 'Method not found');
      return answers(method, own, signal);
    },
  };
}

export interface CallsScene {
  readonly calls: Calls;
  readonly service: ToolExecutionService;
  readonly catalog: Catalog;
  readonly manifest: Manifest;
  readonly upstream: (name: string) => FakeUpstream;
  readonly call: (name: string, args?: JsonObject, options?: RequestOptions) => Promise<JsonObject>;
}

export type ScenePart = Partial<Pick<CallsOptions, 'announce' | 'redact' | 'redactsSuccesses' | 'resultsFolder'>> & {
  readonly system?: System;
  readonly extra?: CatalogInput['extra'];
};

/** `lists`: the tools of each server. */
export async function callsScene(
  source: string,
  lists: Readonly<Record<string, FakeUpstream['tools']>>,
  options: ScenePart = {},
): Promise<CallsScene> {
  const manifest = manifestOf(source);
  const system = options.system === undefined ? {} : { system: options.system };
  const upstreams = new FakeUpstreams(Object.keys(manifest.mcpServers).map((name) => fakeUpstream(manifest, name, lists[name] ?? [])));
  const settings = () => manifest.gateway;
  const runs = createToolRuns({ upstreams, settings, ...system });
  const catalog = await createCatalog(
    { manifest, tools: buildTools(manifest).tools, extra: options.extra ?? [] },
    { upstreams, run: runs.run, wrap: runs.wrap, ...system },
  );
  await catalog.ready();
  const service = new ToolExecutionService({
    tools: catalog.list().map(({ tool }) => tool),
    policy: { ...manifest.defaults, retry: { initialDelayMs: 1, maxDelayMs: 1, ...manifest.defaults.retry } },
    ...system,
  });
  const calls = createCalls({ service, catalog, runs, settings, ...options });
  return {
    calls,
    service,
    catalog,
    manifest,
    upstream: (name) => {
      const found = upstreams.get(name);
      if (found === undefined) throw new Error(`no server ${name}`);
      return found;
    },
    call: (name, args, own) => calls.handle(request(name, args, own)),
  };
}

export const text = (value: string): JsonObject => ({ content: [{ type: 'text', text: value }] });
export const failed = (value: string): JsonObject => ({ ...text(value), isError: true });

/** The texts of a result. */
export function textOf({ content }: JsonObject): string {
  return (content as readonly JsonObject[]).flatMap(({ text: value }) => (typeof value === 'string' ? [value] : [])).join('\n');
}

export const errorOf = (result: JsonObject): JsonObject => (result['_meta'] as JsonObject)['dev.holdfast/error'] as JsonObject;
