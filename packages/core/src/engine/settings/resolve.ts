/**
 * Owns the merging of settings: profile → global → tool → call; the most specific wins, field by field (docs/specification.md#s2).
 */
import { circuitBreakerDefaults, hedgeDefaults, retryBudgetDefaults, waitForRecoveryDefaults } from './defaults.ts';
import type { ToolPolicy, ToolSettings } from './settings.ts';
import { withoutUndefined } from '../plain/without-undefined.ts';
import { isObject } from '../plain/is-object.ts';

/** Which settings are merged field by field; all others are replaced as a whole. */
const nested: ReadonlySet<string> = new Set(['retry', 'breaker', 'concurrency', 'rateLimit', 'retryBudget', 'hedge', 'waitForRecovery']);

/** The defaults of a disabled setting when a more specific layer enables it with only some of its fields. */
const whenSwitchedOn: Readonly<Record<string, object>> = {
  breaker: circuitBreakerDefaults,
  concurrency: { limit: 1, queue: Infinity },
  retryBudget: retryBudgetDefaults,
  hedge: hedgeDefaults,
  waitForRecovery: waitForRecoveryDefaults,
};

/** Merges `policy` over `base`. Changes neither; returns `base` itself when there is nothing to merge. */
export function resolveSettings(base: ToolSettings, policy: ToolPolicy | undefined): ToolSettings {
  if (!policy) return base;
  let merged: Record<string, unknown> | undefined;
  for (const [key, value] of Object.entries(policy)) {
    if (value === undefined) continue;
    merged ??= { ...base };
    merged[key] =
      nested.has(key) && isObject(value)
        ? { ...(isObject(merged[key]) ? merged[key] : whenSwitchedOn[key]), ...withoutUndefined(value) }
        : value;
  }
  return (merged as ToolSettings | undefined) ?? base;
}
