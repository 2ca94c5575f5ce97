/** Owns the checks of policy rules that look at more than one value. */
import { nearest } from './nearest.ts';
import { isPlain } from '../shape/convert.ts';
import { nameList, quote } from '../shape/describe.ts';
import type { Checking, ToolPlace } from './tools.ts';

export function checkPolicies(policies: unknown, places: readonly ToolPlace[], { source, reading }: Checking): void {
  if (!Array.isArray(policies)) return;
  const ids = places.map(({ tool }) => tool['id']).filter((id) => typeof id === 'string');
  for (const [index, rule] of (policies as readonly unknown[]).entries()) {
    if (!isPlain(rule)) continue;
    const path = ['policies', index];
    if (['allow', 'deny', 'prefer'].every((key) => !reading.has(...path, key))) {
      source.report({
        code: 'missing_key',
        at: reading.at(...path),
        path,
        message: 'this rule allows, denies and prefers nothing',
        allowed: 'allow, deny or prefer',
      });
    }
    const named = isPlain(rule['when']) && Array.isArray(rule['when']['tool']) ? (rule['when']['tool'] as readonly unknown[]) : [];
    for (const [at, name] of named.entries()) {
      if (typeof name !== 'string' || ids.includes(name)) continue;
      const where = [...path, 'when', 'tool', at];
      source.report({
        code: 'unknown_tool',
        at: reading.at(...where),
        path: where,
        message: `there is no tool ${quote(name)}`,
        allowed: () => nameList(ids),
        suggestion: () => nearest(name, ids),
      });
    }
  }
}
