/**
 * Owns the gateway's description of itself: the merged capabilities of its servers, and their instructions.
 *
 * Invariants
 * 1. A client performs the handshake only once and must be able to use servers that connect later: unknown capabilities count as available.
 * 2. Capabilities that work only between one client and one server are declared only if there is a single server.
 */
import { truncate } from '@holdfast/core/internal/plain';
import type { ServerHandshake } from '@holdfast/mcp-wire/client';
import { isJsonObject, type JsonObject, type ServerDescription } from '@holdfast/mcp-wire/server';
import type { Upstream } from '../upstreams/upstream.ts';
import type { RelayLimits } from './limits.ts';

export interface DescribedServer {
  readonly upstream: Upstream;
  /** `undefined` before the handshake. */
  readonly handshake: ServerHandshake | undefined;
  /** Its instructions are not passed on. */
  readonly isSilent?: boolean;
}

export interface DescribeSettings {
  readonly version: string;
  /** Whether the gateway itself has resources. */
  readonly hasOwnResources: boolean;
  readonly limits: Pick<RelayLimits, 'instructionsEach' | 'instructionsAll'>;
}

const listChanged = { listChanged: true } as const;
/** Capabilities that are merged. */
const merged: ReadonlySet<string> = new Set(['tools', 'resources', 'prompts', 'completions', 'logging']);

export function describeGateway(
  servers: readonly DescribedServer[],
  { version, hasOwnResources, limits }: DescribeSettings,
): ServerDescription {
  const having = (capability: string): readonly unknown[] =>
    servers
      .flatMap(({ handshake }) => (handshake === undefined ? [{}] : [handshake.capabilities[capability]]))
      .filter((capability) => capability !== undefined);
  const resources = having('resources');
  const isWatchable =
    servers.some(({ handshake }) => handshake === undefined) ||
    resources.some((capability) => isJsonObject(capability) && capability['subscribe'] === true);
  const capabilities: JsonObject = {
    ...onlyServersOwn(servers),
    tools: listChanged,
    ...(resources.length > 0 || hasOwnResources ? { resources: { ...listChanged, ...(isWatchable ? { subscribe: true } : {}) } } : {}),
    ...(having('prompts').length > 0 ? { prompts: listChanged } : {}),
    ...(having('completions').length > 0 ? { completions: {} } : {}),
    ...(having('logging').length > 0 ? { logging: {} } : {}),
  };
  const instructions = joinDescriptions(servers, limits);
  return { serverInfo: { name: 'holdfast', version }, capabilities, ...(instructions === undefined ? {} : { instructions }) };
}

/** Extensions, experiments and tasks use methods that do not identify their server. */
function onlyServersOwn(servers: readonly DescribedServer[]): JsonObject {
  const capabilities = servers.length === 1 ? servers[0]?.handshake?.capabilities : undefined;
  return Object.fromEntries(Object.entries(capabilities ?? {}).filter(([name]) => !merged.has(name)));
}

const mark = '… (truncated)';

function joinDescriptions(
  servers: readonly DescribedServer[],
  { instructionsEach: each, instructionsAll: all }: DescribeSettings['limits'],
): string | undefined {
  const parts = servers.flatMap(({ upstream: { name }, handshake, isSilent }) => {
    const text = isSilent === true ? '' : (handshake?.instructions?.trim() ?? '');
    return text === '' ? [] : [servers.length === 1 ? truncate(text, each, mark) : `# ${name}\n\n${truncate(text, each, mark)}`];
  });
  return parts.length === 0 ? undefined : truncate(parts.join('\n\n'), all, mark);
}
