/** Owns copying a call's settings: each field is read once, and later changes by the caller have no effect. */
import type { CallPolicy } from './settings.ts';

/** Does not copy the fallback's value, which is passed on as it is. */
export function copyPolicy(policy: CallPolicy): CallPolicy {
  // Not a policy at all: the check that follows reports it.
  if (Array.isArray(policy)) return policy;
  return Object.fromEntries(Object.entries(policy).map(([name, value]) => [name, copyOf(value)]));
}

function copyOf(value: unknown): unknown {
  if (Array.isArray(value)) return [...(value as readonly unknown[])];
  return typeof value === 'object' && value !== null ? { ...value } : value;
}
