/**
 * Owns the merging of settings: profile → global → tool → call, the most specific wins, part by part (S2).
 */
import type { ToolPolicy, ToolSettings } from './settings.ts';

type Plain = Readonly<Record<string, unknown>>;

/** Which settings are merged part by part; all others are replaced whole. */
const nested: ReadonlySet<string> = new Set(['retry', 'breaker', 'concurrency', 'rateLimit', 'retryBudget', 'hedge']);

/** What a part of a switched-off setting starts from when a more specific layer switches it on with only some of its parts. */
const whenSwitchedOn: Readonly<Record<string, Plain>> = {
  breaker: { count: 'attempt', failureThreshold: 5, successThreshold: 1, openMs: 30_000, probeLeaseMs: 60_000, permanentProbeLimit: 3 },
  concurrency: { limit: 1, queue: Number.POSITIVE_INFINITY },
  retryBudget: { ratio: 0.2, floor: 10, windowMs: 10_000 },
  hedge: { afterMs: 'p95', maxHedges: 1 },
};

function isPlain(value: unknown): value is Plain {
  return typeof value === 'object' && value !== null;
}

/** Lays `policy` over `base`. Neither is changed; `base` itself comes back when there is nothing to lay over it. */
export function resolveSettings(base: ToolSettings, policy: ToolPolicy | undefined): ToolSettings {
  if (!policy) return base;
  let merged: Record<string, unknown> | undefined;
  for (const [key, value] of Object.entries(policy)) {
    if (value === undefined) continue;
    merged ??= { ...base };
    merged[key] =
      nested.has(key) && isPlain(value) ? { ...(isPlain(merged[key]) ? merged[key] : whenSwitchedOn[key]), ...defined(value) } : value;
  }
  return (merged as ToolSettings | undefined) ?? base;
}

function defined(part: Plain): Plain {
  return Object.fromEntries(Object.entries(part).filter(([, value]) => value !== undefined));
}
