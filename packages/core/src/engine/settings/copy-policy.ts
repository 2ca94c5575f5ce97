/** Owns taking a call's settings out of the caller's hands: each field is read once, and what the caller changes later changes nothing. */
import type { CallPolicy } from './settings.ts';

/** Not of the fallback's value: it is handed over as it is. */
export function copyPolicy(policy: CallPolicy): CallPolicy {
  // Not a policy at all: the check that follows reports it.
  if (Array.isArray(policy)) return policy;
  return Object.fromEntries(Object.entries(policy).map(([name, value]) => [name, copyOf(value)]));
}

function copyOf(value: unknown): unknown {
  if (Array.isArray(value)) return [...(value as readonly unknown[])];
  return typeof value === 'object' && value !== null ? { ...value } : value;
}
