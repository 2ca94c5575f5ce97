/** Owns merging policies. */
import { isRecord, refuse } from '@holdfast/core/internal/plain';
import type { ToolPolicy } from '@holdfast/core';

/** Settings that are merged part by part; all others are replaced. */
const nested: ReadonlySet<string> = new Set(['retry', 'breaker', 'concurrency', 'rateLimit', 'retryBudget', 'hedge', 'waitForRecovery']);

/** The later policy wins, part by part. */
export function mergePolicies(...layers: readonly ToolPolicy[]): ToolPolicy {
  const merged: Record<string, unknown> = {};
  for (const [index, layer] of layers.entries()) {
    if (!isRecord(layer) || typeof (layer as { readonly then?: unknown }).then === 'function')
      refuse(`mergePolicies: layer ${index + 1}`, layer, 'a policy object', '');
    for (const [key, value] of Object.entries(layer)) {
      if (value === undefined) continue;
      const before = merged[key];
      merged[key] = nested.has(key) && isRecord(before) && isRecord(value) ? { ...before, ...value } : value;
    }
  }
  return merged;
}
