/**
 * Owns creating tools from the APIs of a manifest: which operations are offered, under which name, with which settings.
 *
 * Invariants
 * 1. An API with an unusable document has no tools and a problem; the others work.
 * 2. No request is sent to an API before the first call.
 */
import { checkOptions, checkShape, count } from '@holdfast/core/internal/plain';
import { type AnyTool, defineTool, type Effect } from '@holdfast/core';
import { type OpenapiOptions, type OpenapiTool, openapiTools } from '@holdfast/runners';
import type { OpenapiEntry, UpstreamToolEntry } from './entries/upstream.ts';
import { schemaFlaws } from './json-schema/check.ts';
import type { Manifest } from './manifest.ts';
import { isOffered } from './offer/globs.ts';
import { mergePolicies } from './offer/merge-policies.ts';
import { offeredName } from './offer/offered-name.ts';
import { suggestName } from './checks/suggest-name.ts';
import type { PathStep } from './problem.ts';

/** An operation of an API as a tool. */
export interface OpenapiBuiltTool {
  /** The API's name in the manifest. */
  readonly api: string;
  /** The operation's id in the document. */
  readonly operation: string;
  /** Settings of the API, shared by all its operations. */
  readonly entry: OpenapiEntry;
  /** The tool with its offered name and merged settings. */
  readonly tool: AnyTool;
  /** Definition for a list of tools. */
  readonly definition: {
    readonly name: string;
    readonly description?: string;
    readonly inputSchema: Readonly<Record<string, unknown>>;
    readonly annotations: Readonly<Record<string, unknown>>;
  };
}

/** One thing that is wrong with an API of the manifest or its document. */
export interface OpenapiLoadProblem {
  /** The API's name in the manifest. */
  readonly api: string;
  /** With an `error` no tool of the API is offered. */
  readonly severity: 'error' | 'warning';
  /** Path in the manifest. */
  readonly path: readonly PathStep[];
  /** The problem, for the author of the manifest. */
  readonly message: string;
  /** A suggestion. */
  readonly suggestion?: string;
}

/** The operations of a manifest's APIs as tools. */
export interface LoadedOpenapi {
  /** The offered operations, in the order of the manifest and of the documents. */
  readonly tools: readonly OpenapiBuiltTool[];
  /** Problems of the APIs, in the order of the manifest. */
  readonly problems: readonly OpenapiLoadProblem[];
  /** Loads the HTTP client. Opens no connection. */
  load(): Promise<void>;
  /** Closes the connections to all APIs. */
  close(): Promise<void>;
}

/** Limits on documents, and how host names are resolved. */
export type OpenapiLoadOptions = Pick<OpenapiOptions, 'resolveHost' | 'maxSpecBytes' | 'maxOperations'>;

/** Reads the documents of `openapi`. Rejects only for an invalid option: every other error is a problem. */
export async function loadOpenapi(
  manifest: Pick<Manifest, 'openapi' | 'gateway' | 'defaults'>,
  options: OpenapiLoadOptions = {},
): Promise<LoadedOpenapi> {
  checkOptions({ resolveHost: 'function', maxSpecBytes: count, maxOperations: count }, options, 'loadOpenapi');
  checkShape({ openapi: 'object', gateway: 'object', defaults: 'object' }, manifest, 'loadOpenapi: manifest');
  const { openapi, gateway, defaults } = manifest;
  const problems: OpenapiLoadProblem[] = [];
  const tools: OpenapiBuiltTool[] = [];
  const taken = new Map<string, string>();
  for (const [api, entry] of Object.entries(openapi)) {
    const report: Report = (severity, path, message, suggestion) =>
      problems.push({ api, severity, path: ['openapi', api, ...path], message, ...(suggestion === undefined ? {} : { suggestion }) });
    for (const operation of await operationsOf(api, entry, options, report)) {
      const name = nameOf(operation, entry, gateway.names);
      const earlier = taken.get(name);
      if (earlier === undefined) {
        taken.set(name, operation.operation);
        tools.push(builtTool({ api, entry, operation, name, effect: effectOf(operation, entry, defaults.effect) }));
      } else report('warning', [], `'${operation.operation}' is left out: '${earlier}' is offered as '${name}' already`);
    }
  }
  const runs = tools.map(({ tool }) => tool.run as OpenapiTool['run']);
  return {
    tools,
    problems,
    load: async () => {
      await runs[0]?.load();
    },
    close: async () => void (await Promise.allSettled(runs.map(async (run) => run.close?.()))),
  };
}

type Report = (severity: 'error' | 'warning', path: readonly PathStep[], message: string, suggestion?: string) => void;

async function operationsOf(
  api: string,
  entry: OpenapiEntry,
  options: OpenapiLoadOptions,
  report: Report,
): Promise<readonly OpenapiTool[]> {
  const { spec, baseUrl, headers, allowedHosts, addresses } = entry;
  const ids: string[] = [];
  const isWanted = (id: string): boolean => {
    ids.push(id);
    return isOffered(id, entry);
  };
  try {
    const tools = await openapiTools({
      name: api,
      spec,
      headers,
      ...(baseUrl === undefined ? {} : { baseUrl }),
      ...(allowedHosts === undefined ? {} : { allowedHosts }),
      ...(addresses === undefined ? {} : { addresses }),
      ...options,
      isWanted,
      onProblem: ({ operation, message }) =>
        report('warning', ['spec'], operation === undefined ? message : `'${operation}' is left out: ${message}`),
    });
    checkNames(entry, ids, report);
    return tools;
  } catch (error) {
    report('error', ['spec'], String((error as Error).message));
    return [];
  }
}

/** Settings in the manifest for operations that do not exist. */
function checkNames({ tools, include, exclude }: OpenapiEntry, ids: readonly string[], report: Report): void {
  if (ids.length === 0) return;
  for (const id of Object.keys(tools))
    if (!ids.includes(id)) report('warning', ['tools', id], `there is no operation '${id}'`, suggestName(id, ids));
  for (const [key, globs] of Object.entries({ include, exclude }))
    for (const [index, glob] of globs.entries())
      if (!ids.some((id) => isOffered(id, { include: [glob], exclude: [] })))
        report('warning', [key, index], `no operation matches '${glob}'`, suggestName(glob, ids));
}

const entryOf = ({ tools }: OpenapiEntry, operation: string): UpstreamToolEntry =>
  (Object.hasOwn(tools, operation) ? tools[operation] : undefined) ?? {};

function nameOf({ operation, name }: OpenapiTool, entry: OpenapiEntry, rules: Manifest['gateway']['names']): string {
  const given = entryOf(entry, operation).name;
  return given === undefined ? offeredName(entry.prefix, name, rules) : offeredName('', given, rules);
}

/** From the settings of the operation, then the HTTP method, then the settings of the API. POST and PATCH count as unsafe. */
function effectOf({ operation, effect }: OpenapiTool, entry: OpenapiEntry, general: Effect | undefined): Effect {
  return entryOf(entry, operation).effect ?? (effect === 'unsafe' ? (entry.defaults.effect ?? general ?? effect) : effect);
}

interface ToolParts {
  readonly api: string;
  readonly entry: OpenapiEntry;
  readonly operation: OpenapiTool;
  readonly name: string;
  readonly effect: Effect;
}

function builtTool({ api, entry, operation, name, effect }: ToolParts): OpenapiBuiltTool {
  const {
    name: _name,
    description = operation.description,
    classification,
    enabled = true,
    ...policy
  } = entryOf(entry, operation.operation);
  const tool = defineTool({
    ...mergePolicies(entry.defaults, policy, { effect }),
    name,
    enabled,
    run: operation.run,
    // An invalid schema is listed, but not used for validation.
    ...(schemaFlaws(operation.input).length === 0 ? { input: operation.input } : {}),
    ...(description === undefined ? {} : { description }),
    ...(classification === undefined ? {} : { classification }),
  });
  const definition = {
    name,
    ...(description === undefined ? {} : { description }),
    inputSchema: operation.input,
    annotations: {
      readOnlyHint: effect === 'read',
      ...(effect === 'read' ? {} : { idempotentHint: effect === 'idempotent' }),
      openWorldHint: true,
    },
  };
  return { api, operation: operation.operation, entry, tool, definition };
}
