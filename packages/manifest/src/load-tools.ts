/** Owns all tools that a manifest brings by itself: its own and those of its APIs. Tools that only a gateway offers are not among them. */
import { type BuildOptions, buildTools, type BuiltTools } from './build-tools.ts';
import type { Manifest } from './manifest.ts';
import { loadOpenapi, type LoadedOpenapi } from './openapi/load-openapi.ts';

/** The tools of a manifest and of its APIs. */
export interface LoadedTools extends BuiltTools {
  /** Where the tools of APIs come from, and what is wrong with them. */
  readonly openapi: Pick<LoadedOpenapi, 'tools' | 'problems'>;
}

/** `buildTools`, and the operations of `openapi`. A tool of the manifest goes before an operation that is offered under its name. Never rejects. */
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
