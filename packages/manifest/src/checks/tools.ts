/** Owns the checks of a manifest that look at more than one value: ids, `run`, alternatives, servers, schemas. */
import { isRecord } from '@holdfast/core/internal/plain';
import { suggestName } from './suggest-name.ts';
import { checkJsonSchema } from '../json-schema/compile.ts';
import type { PathStep } from '../problem.ts';
import { nameList, quote } from '../shape/describe.ts';
import { runKinds } from '../tables/run.ts';
import type { Checking, ToolPlace } from './checking.ts';
import { findCycles } from './cycles.ts';
import { type OfferedNames, reportUnknown } from './offered-names.ts';
import { checkRate } from './rate.ts';

type Plain = Readonly<Record<string, unknown>>;

export function toolPlaces(value: unknown): readonly ToolPlace[] {
  if (!isRecord(value)) return [];
  if (isRecord(value['tool'])) return [{ tool: value['tool'], path: ['tool'] }];
  const tools = Array.isArray(value['tools']) ? (value['tools'] as readonly unknown[]) : [];
  return tools.flatMap((tool, index) => (isRecord(tool) ? [{ tool, path: ['tools', index] }] : []));
}

export function checkTools(places: readonly ToolPlace[], servers: Plain, names: OfferedNames, checking: Checking): void {
  checkIds(places, checking);
  for (const place of places) {
    checkRun(place, servers, checking);
    checkAlternatives(place.tool, place.tool['id'], place.path, names, checking);
    checkSchemas(place, checking);
    checkClassification(place.tool, place.path, checking);
    checkRate(place.tool, place.path, checking);
  }
  checkAlternativeCycles(places, checking);
}

function checkIds(places: readonly ToolPlace[], { source, reading }: Checking): void {
  const ids = new Map<string, ToolPlace>();
  for (const place of places) {
    const id = place.tool['id'];
    if (typeof id !== 'string') continue;
    const first = ids.get(id);
    if (!first) ids.set(id, place);
    else {
      const line = source.lines.linePos(reading.at(...first.path, 'id')[0]).line;
      source.report({
        code: 'duplicate_id',
        at: reading.at(...place.path, 'id'),
        path: [...place.path, 'id'],
        message: `two tools have the id ${quote(id)}; the first is in line ${line}`,
      });
    }
  }
}

function checkRun({ tool, path }: ToolPlace, servers: Plain, { source, reading }: Checking): void {
  const run = tool['run'];
  if (!isRecord(run)) return;
  const at = [...path, 'run'];
  const kinds = runKinds.filter((kind) => run[kind] !== undefined);
  const allowed = `exactly one of ${runKinds.join(', ')}`;
  if (Object.keys(run).length === 0 && !reading.hasKeys(...at)) {
    source.report({ code: 'run_kind', at: reading.keyAt(...at), path: at, message: 'run has no runner', allowed });
  }
  if (kinds.length > 1) {
    source.report({
      code: 'run_kind',
      at: reading.keyAt(...at, kinds[1] ?? ''),
      path: at,
      message: `run has ${kinds.join(' and ')}`,
      allowed,
    });
  }
  if (run['export'] !== undefined && !kinds.includes('module')) {
    source.report({
      code: 'run_kind',
      at: reading.keyAt(...at, 'export'),
      path: [...at, 'export'],
      message: "'export' belongs to 'module'",
      allowed: 'module and export together',
    });
  }
  const mcp = run['mcp'];
  const server = isRecord(mcp) ? mcp['server'] : undefined;
  if (typeof server === 'string' && !Object.hasOwn(servers, server)) {
    const names = Object.keys(servers);
    source.report({
      code: 'unknown_server',
      at: reading.at(...at, 'mcp', 'server'),
      path: [...at, 'mcp', 'server'],
      message: `${quote(server)} is not in mcp_servers`,
      allowed: nameList(names) || 'mcp_servers is empty',
      suggestion: suggestName(server, names),
    });
  }
}

/** `own` is the name of the tool whose alternatives these are. */
export function checkAlternatives(tool: Plain, own: unknown, path: readonly PathStep[], names: OfferedNames, checking: Checking): void {
  const { source, reading } = checking;
  const alternatives = Array.isArray(tool['alternatives']) ? (tool['alternatives'] as readonly unknown[]) : [];
  for (const [index, name] of alternatives.entries()) {
    if (typeof name !== 'string') continue;
    const where = [...path, 'alternatives', index];
    const at = reading.at(...where);
    if (name === own) source.report({ code: 'cycle', at, path: where, message: `${quote(name)} is its own alternative` });
    else if (!names.has(name)) reportUnknown(name, where, names, checking);
  }
}

/** Only a warning: a call tries each tool once, so two tools may be alternatives of each other. */
function checkAlternativeCycles(places: readonly ToolPlace[], { source, reading }: Checking): void {
  const edges = new Map<string, readonly string[]>();
  for (const { tool } of places) {
    const alternatives = Array.isArray(tool['alternatives']) ? (tool['alternatives'] as readonly string[]) : [];
    if (typeof tool['id'] === 'string' && !edges.has(tool['id']))
      edges.set(
        tool['id'],
        alternatives.filter((name) => name !== tool['id']),
      );
  }
  for (const cycle of findCycles(edges)) {
    const place = places.find(({ tool }) => tool['id'] === cycle[0]);
    if (!place) continue;
    const index = (edges.get(cycle[0] ?? '') ?? []).indexOf(cycle[1] ?? '');
    const where = [...place.path, 'alternatives', index];
    source.report({
      code: 'cycle',
      severity: 'warning',
      at: reading.at(...where),
      path: where,
      message: `alternatives form a cycle: ${cycle.join(' → ')}`,
    });
  }
}

function checkSchemas({ tool, path }: ToolPlace, { source, reading, schemas }: Checking): void {
  for (const key of ['input_schema', 'output_schema']) {
    if (tool[key] === undefined) continue;
    for (const flaw of checkJsonSchema(tool[key])) {
      const where = [...path, key, ...flaw.path];
      source.report({
        code: 'bad_schema',
        severity: schemas,
        at: flaw.key ? reading.keyAt(...where) : reading.at(...where),
        path: where,
        message: `${key}: ${flaw.message}`,
        allowed: flaw.allowed,
        suggestion: flaw.suggestion,
      });
    }
  }
}

export function checkClassification(tool: Plain, path: readonly PathStep[], { source, reading }: Checking): void {
  const rules = Array.isArray(tool['classification']) ? (tool['classification'] as readonly unknown[]) : [];
  const conditions = ['status', 'code', 'name', 'message'];
  for (const [index, rule] of rules.entries()) {
    const where = [...path, 'classification', index];
    if (!isRecord(rule) || conditions.some((key) => reading.has(...where, key))) continue;
    source.report({
      code: 'missing_key',
      at: reading.at(...where),
      path: where,
      message: 'this rule has no condition',
      allowed: conditions.join(', '),
    });
  }
}
