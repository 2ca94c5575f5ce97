/** Owns the last check of a tool: creating it as `buildTools` does, and turning an error into a problem with its position. */
import { defineTool, type ToolPolicy } from '@holdfast/core';
import { buildTool, messageOf } from '../build-tools.ts';
import type { OfferEntry } from '../entries/upstream.ts';
import { lazyServers, type Servers } from '../mcp-servers.ts';
import { mergePolicies } from '../offer/merge-policies.ts';
import type { PathStep } from '../problem.ts';
import type { Manifest } from '../manifest.ts';
import type { Checking, ToolPlace } from './checking.ts';

/** Starts nothing: runners start at their first call. */
export function checkRunners(manifest: Manifest, places: readonly ToolPlace[], checking: Checking): void {
  const { source, reading } = checking;
  const servers = lazyServers(manifest);
  checkServers(manifest, servers, checking);
  checkOffers({ mcp_servers: manifest.mcpServers, openapi: manifest.openapi }, checking);
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

function checkServers(manifest: Manifest, servers: Servers, { source, reading }: Checking): void {
  for (const name of Object.keys(manifest.mcpServers)) {
    const message = refusalOf(() => servers.get(name));
    const path = ['mcp_servers', name];
    if (message !== undefined) source.report({ code: 'bad_policy', at: reading.keyAt(...path), path, message });
  }
}

/** Checks the settings of a source's tools like those of one tool. */
function checkOffers(sources: Readonly<Record<string, Readonly<Record<string, OfferEntry>>>>, { source, reading }: Checking): void {
  const check = (path: readonly PathStep[], policy: ToolPolicy): boolean => {
    const message = refusalOf(() => defineTool({ ...policy, name: 'tool', run: () => undefined }));
    if (message !== undefined) source.report({ code: 'bad_policy', at: reading.keyAt(...path), path, message });
    return message === undefined;
  };
  for (const [key, entries] of Object.entries(sources)) {
    for (const [name, { defaults, tools }] of Object.entries(entries)) {
      if (!check([key, name, 'defaults'], defaults)) continue;
      for (const [own, tool] of Object.entries(tools)) check([key, name, 'tools', own], { ...mergePolicies(defaults, tool) });
    }
  }
}

function refusalOf(make: () => unknown): string | undefined {
  try {
    make();
    return undefined;
  } catch (error) {
    return messageOf(error);
  }
}
