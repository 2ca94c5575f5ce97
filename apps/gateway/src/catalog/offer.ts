/**
 * Owns turning tools of servers and other sources into candidates: filters, names, descriptions, policies.
 */
import type { AnyTool, Middleware, Runner, ToolPolicy } from '@holdfast/core';
import {
  isOffered,
  type McpServerEntry,
  mergePolicies,
  type NameRules,
  type OfferEntry,
  offeredName,
  type UpstreamToolEntry,
} from '@holdfast/manifest';
import { isJsonObject, type JsonObject } from '@holdfast/mcp-wire/server';
import { type Candidate, ranks } from './candidate.ts';
import type { ExtraTool } from './catalog.ts';
import { definitionOf } from './definition.ts';
import { makeTool } from './make-tool.ts';
import { effectOf } from './effect.ts';
import type { RunUpstream } from './upstream-tool.ts';

/** What applies to every source. */
export interface OfferContext {
  readonly names: NameRules;
  readonly run: RunUpstream;
  readonly wrap: Middleware | undefined;
  /** Defaults of the manifest. */
  readonly defaults: ToolPolicy;
}

export interface OfferedServer {
  readonly server: string;
  readonly entry: McpServerEntry;
  /** The definition as listed by the server. */
  readonly definition: JsonObject;
  readonly degraded: boolean;
}

/** Returns the candidate for a server's tool; `undefined` if it is not to be offered. */
export function serverCandidate(offered: OfferedServer, context: OfferContext): Candidate | undefined {
  const { server, entry, definition } = offered;
  const tool = String(definition['name']);
  const own = toolEntry(entry, tool);
  if (own.enabled === false || !isOffered(tool, entry)) return undefined;
  const { name, description } = own;
  return {
    ...request(entry.prefix, tool, name, context.names),
    identity: `mcp\0${server}\0${tool}`,
    source: { kind: 'mcp', server, tool },
    settings: [
      definition,
      own,
      entry.defaults,
      entry.trustAnnotations,
      entry.idleTimeoutMs,
      context.defaults.effect,
      context.defaults.idleTimeoutMs,
    ],
    degraded: offered.degraded,
    define: (offeredAs) => renameDefinition(definition, offeredAs, description),
    make: (offeredAs) => upstreamTool(offeredAs, offered, own, context),
  };
}

/** Creates the tool for a server's tool. Settings of its entry override the others. */
export function upstreamTool(
  name: string,
  { server, entry, definition }: Omit<OfferedServer, 'degraded'>,
  { name: _name, enabled: _enabled, description, classification, ...policy }: UpstreamToolEntry,
  { run, defaults }: OfferContext,
): AnyTool {
  const { effect, isGuessed } = effectOf({
    tool: policy.effect,
    annotations: definition['annotations'],
    trustsAnnotations: entry.trustAnnotations,
    defaults: entry.defaults.effect ?? defaults.effect,
  });
  const inputSchema = objectOf(definition['inputSchema']);
  const outputSchema = objectOf(definition['outputSchema']);
  const idle: ToolPolicy = { idleTimeoutMs: entry.idleTimeoutMs };
  const settings = mergePolicies(idle, entry.defaults, policy, { effect });
  const runner = run({
    name,
    server,
    tool: String(definition['name']),
    inputSchema,
    outputSchema,
    isGuessed,
    watchesProgress: (settings.idleTimeoutMs ?? defaults.idleTimeoutMs) !== undefined,
  });
  return makeTool({
    name,
    description: description ?? textOf(definition['description']),
    input: inputSchema,
    checksOutput: outputSchema !== undefined,
    classification,
    run: runner,
    settings,
  });
}

/** Returns the candidate for a tool of another source, offered unchanged. */
export function extraCandidate(
  { tool, source, definition = definitionOf(tool) }: ExtraTool,
  { wrap }: OfferContext,
): Candidate | undefined {
  if (!tool.enabled) return undefined;
  const own = source.kind === 'openapi' ? `${source.api}\0${source.operation}` : tool.name;
  return {
    name: tool.name,
    rank: ranks.unchanged,
    identity: `${source.kind}\0${own}`,
    source,
    settings: [tool, definition],
    degraded: false,
    define: (name) => renameDefinition(definition, name, undefined),
    make: (name) => wrapTool({ ...tool, name }, wrap),
  };
}

export const wrapTool = (tool: AnyTool, wrap: Middleware | undefined): AnyTool =>
  wrap === undefined ? tool : { ...tool, run: wrap(tool.run as Runner<unknown>) };

function request(prefix: string, own: string, name: string | undefined, rules: NameRules): Pick<Candidate, 'name' | 'rank'> {
  if (name !== undefined) return { name: offeredName('', name, rules), rank: ranks.renamed };
  const offered = offeredName(prefix, own, rules);
  const plain = prefix === '' ? own : `${prefix}${rules.separator}${own}`;
  return { name: offered, rank: offered === plain ? ranks.unchanged : ranks.changed };
}

/** The same for all tools, so that comparisons end at once. */
const noEntry: UpstreamToolEntry = {};

const toolEntry = ({ tools }: OfferEntry, tool: string): UpstreamToolEntry =>
  Object.hasOwn(tools, tool) ? (tools[tool] ?? noEntry) : noEntry;

export function renameDefinition(definition: JsonObject, name: string, description: string | undefined): JsonObject {
  return { ...definition, name, ...(description === undefined ? {} : { description }) };
}

export const objectOf = (value: unknown): JsonObject | undefined => (isJsonObject(value) ? value : undefined);
const textOf = (value: unknown): string | undefined => (typeof value === 'string' ? value : undefined);
