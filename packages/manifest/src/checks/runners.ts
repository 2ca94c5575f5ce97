/** Owns the last check of a tool: making it, as `buildTools` will, and turning a refusal into a problem with its position. */
import { buildTool } from '../build-tools.ts';
import { lazyServers } from '../mcp-servers.ts';
import type { Manifest } from '../manifest.ts';
import type { Checking, ToolPlace } from './tools.ts';

/** Nothing is started: runners begin their work at the first call. */
export function checkRunners(manifest: Manifest, places: readonly ToolPlace[], { source, reading }: Checking): void {
  const servers = lazyServers(manifest);
  for (const [index, entry] of manifest.tools.entries()) {
    const place = places[index];
    if (!place) continue;
    const { refusal } = buildTool(entry, manifest, servers);
    if (refusal === undefined) continue;
    const path = refusal.part === 'run' ? [...place.path, 'run'] : place.path;
    const at = reading.keyAt(...path);
    source.report({ code: 'bad_policy', at, path, message: refusal.message });
  }
}
