/** Owns the laying of one policy over another. */
import type { ToolPolicy } from '@holdfast/core';
import { isPlain } from '../shape/convert.ts';

/** Which settings are merged part by part; all others are replaced whole. */
const nested: ReadonlySet<string> = new Set(['retry', 'breaker', 'concurrency', 'rateLimit', 'retryBudget', 'hedge', 'waitForRecovery']);

/** The later wins, part by part. */
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
