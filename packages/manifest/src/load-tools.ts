/** Owns the tools of a manifest and of its APIs. Does not own tools that only a gateway offers. */
import { type BuildOptions, buildTools, type BuiltTools } from './build-tools.ts';
import type { Manifest } from './manifest.ts';
import { loadOpenapi, type LoadedOpenapi } from './load-openapi.ts';

/** The tools of a manifest and of its APIs. */
export interface LoadedTools extends BuiltTools {
  /** The APIs, and their problems. */
  readonly openapi: Pick<LoadedOpenapi, 'tools' | 'problems'>;
}

/** `buildTools` plus the operations of `openapi`. A tool of the manifest overrides an operation with the same name. Never rejects. */
export async function loadTools(manifest: Manifest, options: BuildOptions = {}): Promise<LoadedTools> {
  const built = buildTools(manifest, options);
  const openapi = await loadOpenapi(manifest);
  const own = new Set(built.tools.map(({ name }) => name));
  const offered = openapi.tools.filter(({ tool }) => !own.has(tool.name));
  return {
    tools: [...built.tools, ...offered.map(({ tool }) => tool)],
    openapi: { tools: offered, problems: openapi.problems },
    load: async () => void (await Promise.all([built.load(), openapi.load()])),
    close: async () => void (await Promise.all([built.close(), openapi.close()])),
  };
}
