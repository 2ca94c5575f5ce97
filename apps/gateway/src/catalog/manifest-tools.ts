/**
 * Owns the tools of the manifest itself. They keep their names; those that run on a server use the gateway's own connection to it.
 */
import type { AnyTool } from '@holdfast/core';
import type { Manifest, ToolEntry, UpstreamToolEntry } from '@holdfast/manifest';
import type { JsonObject } from '@holdfast/mcp-wire/server';
import { type Candidate, ranks } from './candidate.ts';
import { definitionOf } from './definition.ts';
import { type OfferContext, objectOf, renameDefinition, upstreamTool, wrapTool } from './offer.ts';

/** The known state of a server's tool. */
export interface ListedTool {
  readonly definition: JsonObject | undefined;
  readonly degraded: boolean;
}

export interface ServerTool {
  readonly server: string;
  readonly tool: string;
}

/** Returns the server's tool that an entry refers to. */
export function serverToolOf({ run, name }: ToolEntry): ServerTool | undefined {
  return 'mcp' in run ? { server: run.mcp.server, tool: run.mcp.tool ?? name } : undefined;
}

export interface ManifestToolParts {
  readonly entry: ToolEntry;
  /** The tool from `buildTools`. */
  readonly built: AnyTool;
  readonly manifest: Manifest;
  readonly context: OfferContext;
  readonly listed: (tool: ServerTool) => ListedTool;
}

export function manifestCandidate({ entry, built, manifest, context, listed }: ManifestToolParts): Candidate | undefined {
  if (entry.enabled === false) return undefined;
  const request = { name: entry.name, rank: ranks.manifest, identity: `tool\0${entry.name}` };
  const runsOn = serverToolOf(entry);
  const server = runsOn === undefined ? undefined : manifest.mcpServers[runsOn.server];
  if (runsOn === undefined || server === undefined)
    return {
      ...request,
      source: { kind: 'tool' },
      settings: [built],
      degraded: false,
      define: () => definitionOf(built),
      make: () => wrapTool(built, context.wrap),
    };
  const { definition = {}, degraded } = listed(runsOn);
  const raw = withEntry({ ...definition, name: runsOn.tool }, entry);
  const own = ownSettings(entry);
  return {
    ...request,
    source: { kind: 'mcp', ...runsOn },
    settings: [
      raw,
      entry,
      server.defaults,
      server.trustAnnotations,
      server.idleTimeoutMs,
      context.defaults.effect,
      context.defaults.idleTimeoutMs,
    ],
    degraded,
    define: (name) => renameDefinition(raw, name, entry.description),
    make: (name) => upstreamTool(name, { server: runsOn.server, entry: server, definition: raw }, own, context),
  };
}

/** The manifest's schemas override the server's. */
function withEntry(definition: JsonObject, { input, output }: ToolEntry): JsonObject {
  const outputSchema = objectOf(output) ?? definition['outputSchema'];
  return {
    ...definition,
    inputSchema: objectOf(input) ?? definition['inputSchema'] ?? { type: 'object' },
    ...(outputSchema === undefined ? {} : { outputSchema }),
  };
}

function ownSettings({ name: _name, run: _run, input: _input, output: _output, ...settings }: ToolEntry): UpstreamToolEntry {
  return settings;
}
