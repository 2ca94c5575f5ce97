/** Owns merging policies. */
import type { ToolPolicy } from '@holdfast/core';
import { isPlain } from '../shape/convert.ts';

/** Settings that are merged part by part; all others are replaced. */
const nested: ReadonlySet<string> = new Set(['retry', 'breaker', 'concurrency', 'rateLimit', 'retryBudget', 'hedge', 'waitForRecovery']);

/** The later policy wins, part by part. */
export function mergePolicies(...layers: readonly ToolPolicy[]): ToolPolicy {
  const merged: Record<string, unknown> = {};
  for (const layer of layers) {
    for (const [key, value] of Object.entries(layer)) {
      if (value === undefined) continue;
      const before = merged[key];
      merged[key] = nested.has(key) && isPlain(before) && isPlain(value) ? { ...before, ...value } : value;
    }
  }
  return merged;
}
