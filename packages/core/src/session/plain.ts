/**
 * Owns making data that nobody can change: a plain copy of an event, and frozen state.
 *
 * Invariant: neither throws, whatever the value is.
 */
import { deliverOutput } from '../call/output.ts';

/** A JSON copy at most about `maxChars` characters long, frozen at every depth. */
export function frozenCopy(value: unknown, maxChars: number): unknown {
  if (value === undefined || value === null || typeof value !== 'object') {
    return typeof value === 'bigint' || typeof value === 'function' || typeof value === 'symbol' || typeof value === 'string'
      ? deliverOutput(value, maxChars).output
      : value;
  }
  try {
    return freezeDeep(JSON.parse(JSON.stringify(deliverOutput(value, maxChars).output)) as unknown);
  } catch {
    return '[unreadable]';
  }
}

/** What this room has frozen at every depth already. */
const frozen = new WeakSet<object>();

/** Freezes plain objects and arrays at every depth. Other objects cannot be frozen in earnest and are left alone. */
export function freezeDeep<T>(value: T): T {
  const open: unknown[] = [value];
  while (open.length > 0) {
    const part = open.pop();
    if (typeof part !== 'object' || part === null || frozen.has(part) || !isPlain(part)) continue;
    frozen.add(part);
    Object.freeze(part);
    // A spread of all at once overflows the stack for a long list.
    for (const inner of Object.values(part)) if (typeof inner === 'object') open.push(inner);
  }
  return value;
}

function isPlain(value: object): boolean {
  if (Array.isArray(value)) return true;
  const prototype: unknown = Object.getPrototypeOf(value);
  return prototype === Object.prototype || prototype === null;
}
