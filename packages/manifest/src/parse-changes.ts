/**
 * Owns the way from a string to settings that are tried on a recorded turn, in the words of a manifest. Environment variables are not put in.
 *
 * Invariant: never throws; everything wrong is told at once, in order of position.
 */
import type { ToolPolicy, TurnSettings } from '@holdfast/core';
import { nearest } from './checks/nearest.ts';
import { checkRate } from './checks/tools.ts';
import { withoutByteOrderMark } from './parse-manifest.ts';
import type { PathStep, Problem } from './problem.ts';
import { isPlain, toCode } from './shape/convert.ts';
import { nameList, quote } from './shape/describe.ts';
import { parseTree } from './source/document.ts';
import { type Reading, read } from './source/reader.ts';
import { createSourceFile, type SourceFile } from './source/source-file.ts';
import { changesShape } from './tables/changes.ts';

/** What changes are checked against. */
export interface ChangesParseOptions {
  /** Named in problems. @default 'changes.yaml' */
  readonly file?: string;
  /** The tools that the record knows. Without it, any name passes. */
  readonly tools?: readonly string[];
}

/** What is left out stays as it was recorded. */
export interface Changes {
  /** Over the recorded policy of every tool. */
  readonly policy?: ToolPolicy;
  /** By tool, over its recorded policy and over `policy`. */
  readonly tools?: Readonly<Record<string, ToolPolicy>>;
  /** Over the recorded settings of the turn. */
  readonly turn?: Partial<TurnSettings>;
}

/** `changes` are there unless a problem is an error. */
export type ChangesResult =
  | { readonly changes: Changes; readonly problems: readonly Problem[]; readonly source: string }
  | { readonly changes?: undefined; readonly problems: readonly Problem[]; readonly source: string };

/** Reads settings, YAML or JSON. */
export function parseChanges(text: string, { file = 'changes.yaml', tools }: ChangesParseOptions = {}): ChangesResult {
  const source = createSourceFile(file, withoutByteOrderMark(text));
  const tree = parseTree(source);
  if (!tree) return { problems: source.problems(), source: source.text };
  const reading = read(tree, changesShape, source);
  const value = isPlain(reading.value) ? reading.value : {};
  checkPolicy(value['policy'], ['policy'], { source, reading, tools });
  for (const [name, policy] of Object.entries(isPlain(value['tools']) ? value['tools'] : {})) {
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
  if (!isPlain(policy)) return;
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
    message: `the record knows no tool ${quote(name)}`,
    allowed: () => nameList(tools),
    suggestion: () => nearest(name, tools),
  });
}
