/**
 * Owns reading a policy file that is no manifest into settings. It needs nothing of Node, so that it also runs in a browser.
 *
 * Invariant: never throws; all problems are reported at once, in the order of their position.
 */
import type { ProfileName, RecoveryRule, ToolPolicy, TurnSettings } from '@holdfast/core';
import { isRecord } from '@holdfast/core/internal/plain';
import { isMap, isScalar, isSeq } from 'yaml';
import { checkRate } from './checks/rate.ts';
import { checkRecoveryRules } from './checks/recovery-rules.ts';
import type { Problem } from './problem.ts';
import { toCode } from './shape/convert.ts';
import { quote } from './shape/describe.ts';
import type { Tree } from './source/document.ts';
import { type Reading, read } from './source/reader.ts';
import type { SourceFile } from './source/source-file.ts';
import { policyFileShape } from './tables/policy-file.ts';

/** The settings of a policy file. Settings that are left out stay unchanged. */
export interface PolicyFile {
  /** Profile to start from. Absent: the caller's. */
  readonly profile?: ProfileName;
  /** Whether episodic memory is kept, and influences decisions. Absent: as in the profile. */
  readonly memory?: 'on' | 'off';
  /** Policy of all tools. @default {} */
  readonly defaults: ToolPolicy;
  /** By name; overrides `defaults`. */
  readonly tools: Readonly<Record<string, ToolPolicy>>;
  /** Settings of turns. @default {} */
  readonly turn: Partial<TurnSettings>;
  /** Rules that allow, deny or prefer a strategy. @default [] */
  readonly recoveryRules: readonly RecoveryRule[];
}

/** `policy` is set unless a problem is an error; `source` is the text, for `formatProblem`. */
export type PolicyResult =
  | { readonly policy: PolicyFile; readonly problems: readonly Problem[]; readonly source: string }
  | { readonly policy?: undefined; readonly problems: readonly Problem[]; readonly source: string };

export interface NamedPolicy extends ToolPolicy {
  readonly name: string;
}

type GivenPolicy = Partial<Omit<PolicyFile, 'tools'>> & { readonly tools?: readonly NamedPolicy[] };

export function readPolicyFile(tree: Tree, source: SourceFile): PolicyResult {
  const reading = read(tree, policyFileShape, source);
  const value = isRecord(reading.value) ? reading.value : {};
  checkTools(value, reading, source);
  checkRecoveryRules(value['recovery_rules'], undefined, { source, reading, schemas: 'error' });
  const problems = source.problems();
  if (problems.some(({ severity }) => severity === 'error')) return { problems, source: source.text };
  const { profile, memory, defaults = {}, turn = {}, recoveryRules = [], tools = [] } = toCode(value, policyFileShape) as GivenPolicy;
  const policy = { ...(profile && { profile }), ...(memory && { memory }), defaults, turn, recoveryRules, tools: byName(tools) };
  return { policy, problems, source: source.text };
}

export const byName = (tools: readonly NamedPolicy[]): PolicyFile['tools'] =>
  Object.fromEntries(tools.map(({ name, ...policy }) => [name, policy]));

const sources = ['tool', 'mcp_servers', 'openapi', 'gateway'] as const;

/** Whether the file declares tools. */
export function isManifest({ root, resolved }: Tree): boolean {
  const document = resolved(root);
  const tools = isMap(document) ? document.get('tools', true) : undefined;
  const keys = keysOf(document);
  return sources.some((key) => keys.includes(key)) || (isSeq(tools) && tools.items.some((item) => keysOf(item).includes('run')));
}

const keysOf = (node: unknown): readonly string[] =>
  isMap(node) ? node.items.flatMap(({ key }) => (isScalar(key) && typeof key.value === 'string' ? [key.value] : [])) : [];

function checkTools(value: Readonly<Record<string, unknown>>, reading: Reading, source: SourceFile): void {
  if (isRecord(value['defaults'])) checkRate(value['defaults'], ['defaults'], { source, reading, schemas: 'error' });
  const seen = new Map<string, number>();
  for (const [index, tool] of (Array.isArray(value['tools']) ? (value['tools'] as readonly unknown[]) : []).entries()) {
    if (!isRecord(tool)) continue;
    checkRate(tool, ['tools', index], { source, reading, schemas: 'error' });
    const { id } = tool;
    if (typeof id !== 'string') continue;
    const first = seen.get(id);
    if (first === undefined) {
      seen.set(id, index);
      continue;
    }
    const { line } = source.lines.linePos(reading.at('tools', first, 'id')[0]);
    const path = ['tools', index, 'id'];
    const message = `two tools have the id ${quote(id)}; the first is in line ${line}`;
    source.report({ code: 'duplicate_id', at: reading.at(...path), path, message });
  }
}
