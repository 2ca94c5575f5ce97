/**
 * Owns parsing a policy file into settings. A manifest is accepted too: everything except its policies is ignored.
 *
 * Invariant: never throws; all problems are reported at once, in the order of their position.
 */
import { checkOptions } from '@holdfast/core/internal/plain';
import { parseManifest } from './parse-manifest.ts';
import { byName, isManifest, type NamedPolicy, type PolicyResult, readPolicyFile } from './policy-file.ts';
import { parseTree } from './source/document.ts';
import { createSourceFile } from './source/source-file.ts';
import { policyShape } from './tables/policy.ts';

/** Options for parsing a policy file. */
export interface PolicyParseOptions {
  /** Name of the file in problems. @default 'policy.yaml' */
  readonly file?: string;
}

/** Reads a policy file, YAML or JSON. */
export function parsePolicy(text: string, options: PolicyParseOptions = {}): PolicyResult {
  checkOptions({ file: 'string' }, options, 'parsePolicy');
  const { file = 'policy.yaml' } = options;
  const source = createSourceFile(file, text);
  const tree = parseTree(source);
  if (!tree) return { problems: source.problems(), source: source.text };
  return isManifest(tree) ? policiesOfManifest(text, file) : readPolicyFile(tree, source);
}

const properties: ReadonlySet<string> = new Set(['name', ...policyShape.fields.map(({ property }) => property)]);

function policiesOfManifest(text: string, file: string): PolicyResult {
  const { manifest, problems, source } = parseManifest(text, { file });
  if (!manifest) return { problems, source };
  const { profile, memory, defaults, turn, recoveryRules } = manifest;
  const tools = manifest.tools.map(
    (tool) => Object.fromEntries(Object.entries(tool).filter(([key]) => properties.has(key))) as unknown as NamedPolicy,
  );
  return { policy: { profile, ...(memory && { memory }), defaults, turn, recoveryRules, tools: byName(tools) }, problems, source };
}
