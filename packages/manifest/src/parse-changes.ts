/**
 * Owns parsing the settings to try on a recorded turn, in the format of a manifest. Does not substitute environment variables.
 *
 * Invariant: never throws; all problems are reported at once, in the order of their position.
 */
import { checkOptions, isRecord, listOf } from '@holdfast/core/internal/plain';
import type { ToolPolicy, TurnSettings } from '@holdfast/core';
import { suggestName } from './checks/suggest-name.ts';
import { checkRate } from './checks/rate.ts';
import type { PathStep, Problem } from './problem.ts';
import { toCode } from './shape/convert.ts';
import { nameList, quote } from './shape/describe.ts';
import { field, map, record, type RecordShape } from './shape/shape.ts';
import { parseTree } from './source/document.ts';
import { type Reading, read } from './source/reader.ts';
import { createSourceFile, type SourceFile } from './source/source-file.ts';
import { policyShape, turnShape } from './tables/policy.ts';

const changesShape: RecordShape = record(
  'changes',
  field('policy', policyShape, 'Overrides the recorded settings of every tool.'),
  field('tools', map(policyShape), 'By tool; overrides its recorded settings.'),
  field('turn', turnShape, 'Overrides the recorded settings of the turn.'),
);

/** What changes are checked against. */
export interface ChangesParseOptions {
  /** Name of the file in problems. @default 'changes.yaml' */
  readonly file?: string;
  /** The tools of the recording. Without it, any name passes. */
  readonly tools?: readonly string[];
}

/** Settings that are left out stay as recorded. */
export interface Changes {
  /** Overrides the recorded policy of every tool. */
  readonly policy?: ToolPolicy;
  /** By tool: overrides its recorded policy and `policy`. */
  readonly tools?: Readonly<Record<string, ToolPolicy>>;
  /** Overrides the recorded settings of the turn. */
  readonly turn?: Partial<TurnSettings>;
}

/** `changes` is set unless a problem is an error. */
export type ChangesResult =
  | { readonly changes: Changes; readonly problems: readonly Problem[]; readonly source: string }
  | { readonly changes?: undefined; readonly problems: readonly Problem[]; readonly source: string };

/** Reads settings, YAML or JSON. */
export function parseChanges(text: string, options: ChangesParseOptions = {}): ChangesResult {
  checkOptions({ file: 'string', tools: listOf('string', 'an array of tool names') }, options, 'parseChanges');
  const { file = 'changes.yaml', tools } = options;
  const source = createSourceFile(file, text);
  const tree = parseTree(source);
  if (!tree) return { problems: source.problems(), source: source.text };
  const reading = read(tree, changesShape, source);
  const value = isRecord(reading.value) ? reading.value : {};
  checkPolicy(value['policy'], ['policy'], { source, reading, tools });
  for (const [name, policy] of Object.entries(isRecord(value['tools']) ? value['tools'] : {})) {
    const path = ['tools', name];
    checkKnown(name, path, reading.keyAt(...path), source, tools);
    checkPolicy(policy, path, { source, reading, tools });
  }
  const problems = source.problems();
  if (problems.some(({ severity }) => severity === 'error')) return { problems, source: source.text };
  return { changes: toCode(value, changesShape) as Changes, problems, source: source.text };
}

interface Checked {
  readonly source: SourceFile;
  readonly reading: Reading;
  readonly tools: readonly string[] | undefined;
}

function checkPolicy(policy: unknown, path: readonly PathStep[], { source, reading, tools }: Checked): void {
  if (!isRecord(policy)) return;
  checkRate(policy, path, { source, reading, schemas: 'error' });
  const alternatives = Array.isArray(policy['alternatives']) ? (policy['alternatives'] as readonly unknown[]) : [];
  for (const [index, name] of alternatives.entries()) {
    const where = [...path, 'alternatives', index];
    if (typeof name === 'string') checkKnown(name, where, reading.at(...where), source, tools);
  }
}

function checkKnown(
  name: string,
  path: readonly PathStep[],
  at: ReturnType<Reading['at']>,
  source: SourceFile,
  tools: readonly string[] | undefined,
): void {
  if (tools === undefined || tools.includes(name)) return;
  source.report({
    code: 'unknown_tool',
    at,
    path,
    message: `the recording has no tool ${quote(name)}`,
    allowed: () => nameList(tools),
    suggestion: () => suggestName(name, tools),
  });
}
