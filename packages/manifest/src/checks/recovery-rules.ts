/** Owns the checks of recovery rules that look at more than one value. */
import { isRecord } from '@holdfast/core/internal/plain';
import { type OfferedNames, reportUnknown } from './offered-names.ts';
import type { Checking } from './checking.ts';

/** @param names of the tools; `undefined` where they are not known */
export function checkRecoveryRules(rules: unknown, names: OfferedNames | undefined, checking: Checking): void {
  if (!Array.isArray(rules)) return;
  const { source, reading } = checking;
  for (const [index, rule] of (rules as readonly unknown[]).entries()) {
    if (!isRecord(rule)) continue;
    const path = ['recovery_rules', index];
    if (['allow', 'deny', 'prefer'].every((key) => !reading.has(...path, key))) {
      source.report({
        code: 'missing_key',
        at: reading.at(...path),
        path,
        message: 'this rule has no allow, deny or prefer',
        allowed: 'allow, deny or prefer',
      });
    }
    const named = isRecord(rule['when']) && Array.isArray(rule['when']['tool']) ? (rule['when']['tool'] as readonly unknown[]) : [];
    for (const [at, name] of named.entries()) {
      if (typeof name === 'string' && names?.has(name) === false) reportUnknown(name, [...path, 'when', 'tool', at], names, checking);
    }
  }
}
