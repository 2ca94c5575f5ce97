/** Owns parsing a policy file where there are no tools to run: a manifest is refused with what to leave out. */
import { checkOptions } from '@holdfast/core/internal/plain';
import { isManifest, type PolicyResult, readPolicyFile } from '../policy-file.ts';
import type { PolicyParseOptions } from '../parse-policy.ts';
import { parseTree } from '../source/document.ts';
import { createSourceFile } from '../source/source-file.ts';

/** Reads a policy file, YAML or JSON. Unlike `parsePolicy`, it takes no manifest. */
export function parsePolicySettings(text: string, options: PolicyParseOptions = {}): PolicyResult {
  checkOptions({ file: 'string' }, options, 'parsePolicySettings');
  const source = createSourceFile(options.file ?? 'policy.yaml', text);
  const tree = parseTree(source);
  if (tree && !isManifest(tree)) return readPolicyFile(tree, source);
  if (tree) {
    const message = 'this is a manifest, and a policy has no tools to run';
    source.report({
      code: 'not_allowed',
      at: [0, 0],
      message,
      allowed: 'profile, defaults, tools with an id and settings, turn, recovery_rules',
    });
  }
  return { problems: source.problems(), source: source.text };
}
