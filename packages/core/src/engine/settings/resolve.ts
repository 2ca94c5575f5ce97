/**
 * Owns the merging of settings: profile → global → tool → call, the most specific wins, part by part (docs/specification.md#s2).
 */
import { circuitBreakerDefaults, hedgeDefaults, retryBudgetDefaults, waitForRecoveryDefaults } from './defaults.ts';
import type { ToolPolicy, ToolSettings } from './settings.ts';
import { withoutUndefined } from '../plain/without-undefined.ts';
import { isObject } from '../plain/is-object.ts';

/** Which settings are merged part by part; all others are replaced whole. */
const nested: ReadonlySet<string> = new Set(['retry', 'breaker', 'concurrency', 'rateLimit', 'retryBudget', 'hedge', 'waitForRecovery']);

/** What a part of a switched-off setting starts from when a more specific layer switches it on with only some of its parts. */
const whenSwitchedOn: Readonly<Record<string, object>> = {
  breaker: circuitBreakerDefaults,
  concurrency: { limit: 1, queue: Infinity },
  retryBudget: retryBudgetDefaults,
  hedge: hedgeDefaults,
  waitForRecovery: waitForRecoveryDefaults,
};

/** A policy that sets the order or the adaptive limit, but no `limit`, leaves the number of calls unlimited. */
const unlimited = { limit: Infinity, queue: Infinity };

function startOf(key: string, { adaptive, order }: { readonly adaptive?: unknown; readonly order?: unknown }): object | undefined {
  const isLimit = adaptive === undefined && order === undefined;
  return key === 'concurrency' && !isLimit ? unlimited : whenSwitchedOn[key];
}

/** Lays `policy` over `base`. Neither is changed; `base` itself comes back when there is nothing to lay over it. */
export function resolveSettings(base: ToolSettings, policy: ToolPolicy | undefined): ToolSettings {
  if (!policy) return base;
  let merged: Record<string, unknown> | undefined;
  for (const [key, value] of Object.entries(policy)) {
    if (value === undefined) continue;
    merged ??= { ...base };
    merged[key] =
      nested.has(key) && isObject(value)
        ? { ...(isObject(merged[key]) ? merged[key] : startOf(key, value)), ...withoutUndefined(value) }
        : value;
  }
  return (merged as ToolSettings | undefined) ?? base;
}
