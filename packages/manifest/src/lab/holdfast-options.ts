/** Owns what a policy file means for a simulation. */
import { arrayRule, checkRule, checkShape } from '@holdfast/core/internal/plain';
import type { HoldfastOptions } from '@holdfast/simulate';
import type { PolicyFile } from '../policy-file.ts';

/** The options of `holdfast()` of `@holdfast/simulate` for a policy file. Without a profile it is `spec`. */
export function holdfastOptions(policy: PolicyFile, name: string): HoldfastOptions {
  checkShape({ defaults: 'object', tools: 'object', turn: 'object', recoveryRules: arrayRule }, policy, 'holdfastOptions: policy');
  checkRule('string', name, 'holdfastOptions: name');
  const { profile = 'spec', memory, defaults, tools, turn, recoveryRules } = policy;
  return { name, profile, policy: defaults, tools, turn, recoveryRules, ...(memory && { useMemory: memory === 'on' }) };
}
