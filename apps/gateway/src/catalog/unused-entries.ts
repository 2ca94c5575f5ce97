/** Owns finding entries of the manifest for tools that their server does not have. */
import { suggest } from '@holdfast/core/internal/plain';
import type { Manifest } from '@holdfast/manifest';
import type { CatalogNote } from './entry.ts';
import type { KnownServers } from './known-servers.ts';

export function unusedEntries({ mcpServers }: Manifest, known: Pick<KnownServers, 'get'>): readonly CatalogNote[] {
  return Object.entries(mcpServers).flatMap(([server, entry]) => {
    const state = known.get(server);
    if (state === undefined || state.degraded || state.tools.length === 0) return [];
    const names = state.tools.map(({ name }) => String(name));
    return Object.keys(entry.tools).flatMap((tool): CatalogNote[] => {
      if (names.includes(tool)) return [];
      const nearest = suggest(tool, names);
      const hint = nearest === undefined ? '' : ` Did you mean '${nearest}'?`;
      return [
        {
          kind: 'unused_entry',
          server,
          toolName: tool,
          message: `mcp_servers.${server}.tools.${tool}: the server has no such tool.${hint}`,
        },
      ];
    });
  });
}
