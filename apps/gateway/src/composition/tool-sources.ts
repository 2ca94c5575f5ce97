/**
 * Owns the tools of a manifest that do not belong to an MCP server: created from its entries and its OpenAPI documents, replaced at a reload.
 *
 * Invariant: replaced tools stay open until their calls must have ended.
 */
import { isDeepStrictEqual } from 'node:util';
import type { AnyTool } from '@holdfast/core';
import { type BuiltTools, type LoadedOpenapi, type Manifest, buildTools, loadOpenapi } from '@holdfast/manifest';
import type { McpServer } from '@holdfast/runners';
import type { ExtraTool } from '../catalog/catalog.ts';

interface Sources {
  readonly built: BuiltTools;
  readonly openapi: LoadedOpenapi;
}

export interface ToolSources {
  readonly tools: () => readonly AnyTool[];
  readonly extra: () => readonly ExtraTool[];
  /** Reports tools that cannot be created, and continues with the others. */
  readonly apply: (manifest: Manifest) => Promise<void>;
  readonly close: () => Promise<void>;
}

export interface ToolSourcesOptions {
  /** Returns the gateway's connection, so that no server is started twice. */
  readonly serverOf: (name: string) => McpServer | undefined;
  readonly onProblem: (text: string) => void;
  /** Maximum duration of a call. */
  readonly maxCallMs: () => number;
}

export async function loadToolSources(manifest: Manifest, options: ToolSourcesOptions): Promise<ToolSources> {
  let loaded = manifest;
  let sources = await load(manifest, options);
  const retiring = new Map<NodeJS.Timeout, Sources>();
  const retire = (old: Sources): void => {
    const timer = setTimeout(() => {
      retiring.delete(timer);
      void close(old);
    }, options.maxCallMs());
    retiring.set(timer.unref(), old);
  };
  return {
    tools: () => sources.built.tools,
    extra: () =>
      sources.openapi.tools.map(({ tool, definition, api, operation }) => ({
        tool,
        definition: { ...definition },
        source: { kind: 'openapi', api, operation },
      })),
    async apply(next) {
      if (isDeepStrictEqual([next.tools, next.openapi, next.folder], [loaded.tools, loaded.openapi, loaded.folder])) return;
      const fresh = await load(next, options);
      retire(sources);
      loaded = next;
      sources = fresh;
    },
    async close() {
      for (const timer of retiring.keys()) clearTimeout(timer);
      await Promise.all([...retiring.values(), sources].map(close));
    },
  };
}

async function load(manifest: Manifest, { serverOf, onProblem }: ToolSourcesOptions): Promise<Sources> {
  const built = buildTools(manifest, { servers: { get: serverOf } });
  const openapi = await loadOpenapi(manifest);
  for (const { api, message } of openapi.problems) onProblem(`openapi.${api}: ${message}`);
  return { built, openapi };
}

async function close({ built, openapi }: Sources): Promise<void> {
  await Promise.allSettled([built.close(), openapi.close()]);
}
