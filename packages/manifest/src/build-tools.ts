/**
 * Owns creating tools from a manifest: their runners, their compiled schemas, the shared MCP servers.
 *
 * Invariants
 * 1. Nothing is started or loaded before the first call that needs it.
 * 2. Every call of a tool that cannot be created fails with the reason; the other tools work.
 * 3. `close` ends everything that was started, once, and waits for it.
 */
import { checkOptions, withMethods } from '@holdfast/core/internal/plain';
import { existsSync } from 'node:fs';
import { type AnyTool, type JsonSchema, type Runner, defineTool } from '@holdfast/core';
import { httpRunner, type LoadableRunner, processRunner, workerRunner } from '@holdfast/runners';
import { checkManifest } from './check-manifest.ts';
import { checkJsonSchema } from './json-schema/compile.ts';
import type { Manifest, ToolEntry } from './manifest.ts';
import { type AuthorizerOf, lazyServers, programIn, type Servers } from './mcp-servers.ts';
import { moduleRunner } from './module-runner.ts';

/** The tools of a manifest, with their processes, workers and connections. */
export interface BuiltTools {
  /** One per entry of `tools`, in the same order. A tool that could not be built fails each of its calls with the reason. */
  readonly tools: readonly AnyTool[];
  /** Loads the client libraries of these tools, so that no call has to. Starts nothing and opens no connection. */
  load(): Promise<void>;
  /** Ends every process, worker and connection of these tools. */
  close(): Promise<void>;
}

/** Where the tools of a manifest run and which MCP servers they use. */
export interface BuildOptions {
  /** Working directory of programs without a `cwd`. @default the manifest's folder */
  readonly baseDir?: string;
  /** MCP servers that the caller starts and closes. @default new servers, closed by `close` */
  readonly servers?: Pick<Servers, 'get'>;
  /** Adds the credentials of servers with `auth`. @default their requests have none */
  readonly authorizerOf?: AuthorizerOf;
}

/**
 * Creates the tools of a manifest. Their schemas are JSON Schemas: pass `jsonSchema: compileJsonSchema` to the service.
 * Never throws for a manifest that was loaded without errors.
 */
export function buildTools(manifest: Manifest, options: BuildOptions = {}): BuiltTools {
  checkManifest(manifest, 'buildTools');
  checkOptions({ baseDir: 'string', servers: withMethods('get'), authorizerOf: 'function' }, options, 'buildTools');
  const { baseDir = manifest.folder, servers: given, authorizerOf } = options;
  const own = lazyServers(manifest, baseDir, authorizerOf);
  const servers = given ?? own;
  const tools = manifest.tools.map((entry) => {
    const { tool, refusal } = buildTool(entry, manifest, servers, baseDir);
    return tool ?? refusedTool(entry, refusal.message);
  });
  // Closing the last runner of an MCP server closes the server, and given servers belong to the caller.
  const ownRuns = tools.map(({ run }) => run).filter((_, index) => !given || !('mcp' in (manifest.tools[index]?.run ?? {})));
  let closing: Promise<void> | undefined;
  return {
    tools,
    load: async () => void (await Promise.allSettled(tools.map(async ({ run }) => (run as Partial<LoadableRunner>).load?.()))),
    close: () => (closing ??= closeAll([...ownRuns, own])),
  };
}

async function closeAll(parts: readonly { readonly close?: () => void | PromiseLike<void> }[]): Promise<void> {
  await Promise.allSettled(parts.map(async (part) => part.close?.()));
}

/** Why a tool could not be created, and which part of it is wrong. */
interface Refusal {
  readonly part: 'run' | 'tool';
  readonly message: string;
}

export type BuiltTool = { readonly tool: AnyTool; readonly refusal?: undefined } | { readonly tool?: undefined; readonly refusal: Refusal };

export function buildTool(
  entry: ToolEntry,
  manifest: Manifest,
  servers: Pick<Servers, 'get'>,
  baseDir: string = manifest.folder,
): BuiltTool {
  const { run: _run, input, output, ...definition } = entry;
  let part: Refusal['part'] = 'run';
  try {
    const runner = runnerOf(entry, servers, baseDir);
    part = 'tool';
    return { tool: defineTool({ ...definition, ...schemas(input, output), run: runner }) };
  } catch (error) {
    return { refusal: { part, message: messageOf(error) } };
  }
}

export const messageOf = (error: unknown): string => String((error as { readonly message?: unknown } | undefined)?.message ?? error);

/** An invalid schema was reported when the file was loaded; the tool runs without it. */
function schemas(
  input: JsonSchema | undefined,
  output: JsonSchema | undefined,
): { readonly input?: JsonSchema; readonly output?: JsonSchema } {
  const usable = (schema: JsonSchema | undefined): schema is JsonSchema => schema !== undefined && checkJsonSchema(schema).length === 0;
  return { ...(usable(input) ? { input } : {}), ...(usable(output) ? { output } : {}) };
}

function runnerOf({ run, name, input }: ToolEntry, servers: Pick<Servers, 'get'>, baseDir: string): Runner<unknown> {
  if ('http' in run) return httpRunner(run.http);
  if ('command' in run) {
    const command = programIn(baseDir, run.command.command);
    return processRunner({ cwd: baseDir, ...run.command, command, numbers: numberPaths(input) });
  }
  if ('worker' in run) return existsSync(run.worker.module) ? workerRunner(run.worker) : refusing(missing(run.worker.module));
  if ('mcp' in run)
    return servers.get(run.mcp.server)?.tool(run.mcp.tool ?? name) ?? refusing(`There is no MCP server '${run.mcp.server}'.`);
  return moduleRunner(run);
}

/** The paths of arguments that a schema declares as numbers. */
function numberPaths(schema: unknown, path = ''): readonly string[] {
  if (typeof schema !== 'object' || schema === null) return [];
  const { type, properties } = schema as { readonly type?: unknown; readonly properties?: unknown };
  const types: readonly unknown[] = Array.isArray(type) ? type : [type];
  if (types.some((each) => each === 'number' || each === 'integer')) return [path];
  if (typeof properties !== 'object' || properties === null) return [];
  return Object.entries(properties).flatMap(([name, inner]) => numberPaths(inner, path === '' ? name : `${path}.${name}`));
}

const missing = (module: string): string => `There is no module ${module}.`;

function refusing(message: string): Runner<unknown> {
  return () => Promise.reject(Object.assign(new Error(message), { code: 'TOOL_NOT_BUILT', name: 'TypeError' }));
}

function refusedTool(entry: ToolEntry, message: string): AnyTool {
  return defineTool({ name: entry.name, run: refusing(message), enabled: entry.enabled ?? true });
}
