/**
 * Owns what the gateway says of itself: what its servers can do together, and their instructions.
 *
 * Invariants
 * 1. A client that greets once must be able to use a server that comes later: what is not known yet counts as possible.
 * 2. What only holds between one client and one server is said only where there is just one server.
 */
import type { ServerGreeting } from '@holdfast/mcp-wire/client';
import { isJsonObject, type JsonObject, type ServerDescription } from '@holdfast/mcp-wire/server';
import type { Upstream } from '../upstreams/upstream.ts';
import type { RelayLimits } from './limits.ts';

export interface Said {
  readonly upstream: Upstream;
  /** `undefined`: nothing yet. */
  readonly greeting: ServerGreeting | undefined;
}

export interface DescribeSettings {
  readonly version: string;
  /** Whether the gateway has resources of its own. */
  readonly hasOwnResources: boolean;
  readonly limits: Pick<RelayLimits, 'instructionsEach' | 'instructionsAll'>;
}

const listChanged = { listChanged: true } as const;
/** Merged here, no matter who has them. */
const merged: ReadonlySet<string> = new Set(['tools', 'resources', 'prompts', 'completions', 'logging']);

export function describeGateway(servers: readonly Said[], { version, hasOwnResources, limits }: DescribeSettings): ServerDescription {
  const having = (capability: string): readonly unknown[] =>
    servers
      .flatMap(({ greeting }) => (greeting === undefined ? [{}] : [greeting.capabilities[capability]]))
      .filter((said) => said !== undefined);
  const resources = having('resources');
  const isWatchable =
    servers.some(({ greeting }) => greeting === undefined) || resources.some((said) => isJsonObject(said) && said['subscribe'] === true);
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

/** Extensions, experiments and tasks need methods whose server cannot be told from a request. */
function onlyServersOwn(servers: readonly Said[]): JsonObject {
  const capabilities = servers.length === 1 ? servers[0]?.greeting?.capabilities : undefined;
  return Object.fromEntries(Object.entries(capabilities ?? {}).filter(([name]) => !merged.has(name)));
}

function joinDescriptions(
  servers: readonly Said[],
  { instructionsEach: each, instructionsAll: all }: DescribeSettings['limits'],
): string | undefined {
  const parts = servers.flatMap(({ upstream: { name }, greeting }) => {
    const text = greeting?.instructions?.trim() ?? '';
    return text === '' ? [] : [servers.length === 1 ? truncate(text, each) : `# ${name}\n\n${truncate(text, each)}`];
  });
  return parts.length === 0 ? undefined : truncate(parts.join('\n\n'), all);
}

const truncate = (text: string, limit: number): string => (text.length <= limit ? text : `${text.slice(0, limit)}… (cut)`);
