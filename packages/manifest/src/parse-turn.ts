/**
 * Owns parsing a turn file into a plan. Does not substitute environment variables: a plan may come from a model.
 *
 * Invariant: never throws; all problems are reported at once, in the order of their position.
 */
import { checkOptions, checkRule, isRecord } from '@holdfast/core/internal/plain';
import { suggestName } from './checks/suggest-name.ts';
import type { TurnPlan } from '@holdfast/core';
import { findCycles } from './checks/cycles.ts';
import { checkRate } from './checks/rate.ts';
import type { PathStep, Problem } from './problem.ts';
import { toCode } from './shape/convert.ts';
import { nameList, quote } from './shape/describe.ts';
import { atOnce, type Steps, treeInSteps } from './source/document.ts';
import { type Reading, readInSteps } from './source/reader.ts';
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
export const parseTurn = (text: string, options: TurnParseOptions = {}): ParsedTurn => atOnce(turnInSteps(text, options));

/** Reads a turn like `parseTurn`, in steps of a few milliseconds, and awaits `between` after each, so that others can run meanwhile. */
export async function parseTurnInSteps(
  text: string,
  options: TurnParseOptions,
  between: () => Promise<void> | undefined,
): Promise<ParsedTurn> {
  checkRule('function', between, 'parseTurnInSteps: between');
  const steps = turnInSteps(text, options);
  for (;;) {
    const { done, value } = steps.next();
    if (done === true) return value;
    await between();
  }
}

function* turnInSteps(text: string, options: TurnParseOptions): Steps<ParsedTurn> {
  checkOptions({ file: 'string', manifest: 'object' }, options, 'parseTurn');
  const { file = 'turn.yaml', manifest } = options;
  const source = createSourceFile(file, text);
  const tree = yield* treeInSteps(source);
  if (!tree) return { problems: source.problems(), source: source.text };
  yield;
  const reading = yield* readInSteps(tree, turnFileShape, source);
  yield;
  const value = isRecord(reading.value) ? reading.value : {};
  const calls = Array.isArray(value['calls']) ? (value['calls'] as readonly unknown[]) : [];
  yield* checkCalls(
    calls.map((call) => (isRecord(call) ? call : {})),
    source,
    reading,
    manifest && new Set(manifest.tools.map(({ name }) => name)),
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

function* checkCalls(calls: readonly Plain[], source: SourceFile, reading: Reading, tools: ReadonlySet<string> | undefined): Steps<void> {
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
    yield;
    const path = ['calls', index];
    checkTool(call, path, source, reading, tools);
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
  yield;
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
  tools: ReadonlySet<string> | undefined,
): void {
  const name = call['tool_id'];
  if (!tools || typeof name !== 'string' || tools.has(name)) return;
  const where = [...path, 'tool_id'];
  source.report({
    code: 'unknown_tool',
    at: reading.at(...where),
    path: where,
    message: `there is no tool ${quote(name)}`,
    allowed: () => nameList([...tools]),
    suggestion: () => suggestName(name, [...tools]),
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
