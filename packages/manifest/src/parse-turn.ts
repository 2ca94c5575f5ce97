/**
 * Owns parsing a turn file into a plan. Does not substitute environment variables: a plan may come from a model.
 *
 * Invariant: never throws; all problems are reported at once, in the order of their position.
 */
import { checkOptions, isRecord } from '@holdfast/core/internal/plain';
import { suggestName } from './checks/suggest-name.ts';
import type { TurnPlan } from '@holdfast/core';
import { findCycles } from './checks/cycles.ts';
import { checkRate } from './checks/rate.ts';
import type { PathStep, Problem } from './problem.ts';
import { toCode } from './shape/convert.ts';
import { nameList, quote } from './shape/describe.ts';
import { parseTree } from './source/document.ts';
import { type Reading, read } from './source/reader.ts';
import { createSourceFile, type SourceFile } from './source/source-file.ts';
import { turnFileShape } from './tables/turn.ts';

/** What a turn file is checked against. */
export interface TurnParseOptions {
  /** Name of the file in problems. @default 'turn.yaml' */
  readonly file?: string;
  /** The tools that calls may name. Without it, any name passes. */
  readonly manifest?: { readonly tools: readonly { readonly name: string }[] };
}

/** `turn` is set unless a problem is an error; `source` is the text, for `formatProblem`. */
export type ParsedTurn =
  | { readonly turn: TurnPlan; readonly problems: readonly Problem[]; readonly source: string }
  | { readonly turn?: undefined; readonly problems: readonly Problem[]; readonly source: string };

type Plain = Readonly<Record<string, unknown>>;

/** Reads a turn, YAML or JSON. */
export function parseTurn(text: string, options: TurnParseOptions = {}): ParsedTurn {
  checkOptions({ file: 'string', manifest: 'object' }, options, 'parseTurn');
  const { file = 'turn.yaml', manifest } = options;
  const source = createSourceFile(file, text);
  const tree = parseTree(source);
  if (!tree) return { problems: source.problems(), source: source.text };
  const reading = read(tree, turnFileShape, source);
  const value = isRecord(reading.value) ? reading.value : {};
  const calls = Array.isArray(value['calls']) ? (value['calls'] as readonly unknown[]) : [];
  checkCalls(
    calls.map((call) => (isRecord(call) ? call : {})),
    source,
    reading,
    manifest,
  );
  const problems = source.problems();
  if (problems.some(({ severity }) => severity === 'error')) return { problems, source: source.text };
  return { turn: toCode(value, turnFileShape) as TurnPlan, problems, source: source.text };
}

/** A dependency and its position. */
interface Mention {
  readonly id: string;
  readonly path: readonly PathStep[];
}

function checkCalls(calls: readonly Plain[], source: SourceFile, reading: Reading, manifest: TurnParseOptions['manifest']): void {
  const first = new Map<string, number>();
  for (const [index, call] of calls.entries()) {
    const id = call['call_id'];
    if (typeof id !== 'string') continue;
    const path = ['calls', index, 'call_id'];
    const earlier = first.get(id);
    if (earlier === undefined) first.set(id, index);
    else {
      const line = source.lines.linePos(reading.at('calls', earlier, 'call_id')[0]).line;
      source.report({
        code: 'duplicate_id',
        at: reading.at(...path),
        path,
        message: `two calls have the id ${quote(id)}; the first is in line ${line}`,
      });
    }
  }
  const ids = [...first.keys()];
  const edges = new Map<string, readonly string[]>();
  const mentions = new Map<string, readonly Mention[]>();
  for (const [index, call] of calls.entries()) {
    const path = ['calls', index];
    checkTool(call, path, source, reading, manifest);
    if (isRecord(call['policy'])) checkRate(call['policy'], [...path, 'policy'], { source, reading, schemas: 'error' });
    const named = [...mentionsOf(call, path), ...readReferences(call['arguments'], [...path, 'arguments'], source, reading)];
    for (const { id, path: at } of named) {
      if (first.has(id)) continue;
      source.report({
        code: 'unknown_call',
        at: reading.at(...at),
        path: at,
        message: `there is no call ${quote(id)}`,
        allowed: () => nameList(ids),
        suggestion: () => suggestName(id, ids),
      });
    }
    checkDefaults(call, path, named, source, reading);
    const id = call['call_id'];
    if (typeof id !== 'string' || first.get(id) !== index) continue;
    mentions.set(id, named);
    edges.set(id, [...new Set(named.map((mention) => mention.id))]);
  }
  for (const cycle of findCycles(edges)) {
    const [from = '', to = ''] = cycle;
    const at = mentions.get(from)?.find(({ id }) => id === to)?.path ?? ['calls'];
    const message = cycle.length === 2 ? `${quote(from)} depends on itself` : `calls depend on each other in a cycle: ${cycle.join(' → ')}`;
    source.report({ code: 'cycle', at: reading.at(...at), path: at, message });
  }
}

function checkTool(
  call: Plain,
  path: readonly PathStep[],
  source: SourceFile,
  reading: Reading,
  manifest: TurnParseOptions['manifest'],
): void {
  const name = call['tool_id'];
  if (!manifest || typeof name !== 'string') return;
  const names = manifest.tools.map((tool) => tool.name);
  if (names.includes(name)) return;
  const where = [...path, 'tool_id'];
  source.report({
    code: 'unknown_tool',
    at: reading.at(...where),
    path: where,
    message: `there is no tool ${quote(name)}`,
    allowed: () => nameList(names),
    suggestion: () => suggestName(name, names),
  });
}

function mentionsOf(call: Plain, path: readonly PathStep[]): readonly Mention[] {
  const entries = Array.isArray(call['depends_on']) ? (call['depends_on'] as readonly unknown[]) : [];
  return entries.flatMap((id, index) => (typeof id === 'string' ? [{ id, path: [...path, 'depends_on', index] }] : []));
}

/** References in arguments. An invalid one is refused, since it would be passed to the tool unchanged. */
function readReferences(value: unknown, path: readonly PathStep[], source: SourceFile, reading: Reading): readonly Mention[] {
  if (Array.isArray(value)) return value.flatMap((entry, index) => readReferences(entry, [...path, index], source, reading));
  if (!isRecord(value)) return [];
  if (!Object.hasOwn(value, '$from'))
    return Object.entries(value).flatMap(([key, entry]) => readReferences(entry, [...path, key], source, reading));
  const { $from: from, path: inside, ...others } = value;
  const where = [...path, '$from'];
  const sound = typeof from === 'string' && (inside === undefined || typeof inside === 'string') && Object.keys(others).length === 0;
  if (sound) return [{ id: from, path: where }];
  source.report({
    code: 'bad_reference',
    at: reading.keyAt(...where),
    path,
    message: 'this is not a reference to another call',
    allowed: "{ $from: <call id>, path: 'a.b.0' }, path is optional",
  });
  return [];
}

function checkDefaults(call: Plain, path: readonly PathStep[], named: readonly Mention[], source: SourceFile, reading: Reading): void {
  if (!isRecord(call['defaults'])) return;
  const dependencies = named.map(({ id }) => id);
  for (const key of Object.keys(call['defaults'])) {
    if (dependencies.includes(key)) continue;
    const where = [...path, 'defaults', key];
    source.report({
      code: 'not_a_dependency',
      at: reading.keyAt(...where),
      path: where,
      message: `${quote(key)} is not a dependency of this call`,
      allowed: nameList(dependencies) || 'this call has no dependencies',
      suggestion: () => suggestName(key, dependencies),
    });
  }
}
