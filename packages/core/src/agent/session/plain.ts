/**
 * Owns making data that nobody can change: a plain copy of an event, a copy of arguments, and frozen state.
 *
 * Invariant: none of them throws, whatever the value is.
 */
import { deliverOutput } from '../../engine/call/output.ts';

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

/** A copy of the plain objects and arrays in a value, at every depth; other objects are the same ones. The value itself where it cannot be copied. */
export function plainCopy(value: unknown): unknown {
  const copies = new Map<object, object>();
  const copy = (part: unknown): unknown => {
    if (typeof part !== 'object' || part === null || !isPlain(part)) return part;
    const known = copies.get(part);
    if (known) return known;
    const made = (Array.isArray(part) ? [] : {}) as Record<string, unknown>;
    copies.set(part, made);
    for (const key of Object.keys(part))
      Object.defineProperty(made, key, {
        value: copy((part as Record<string, unknown>)[key]),
        writable: true,
        enumerable: true,
        configurable: true,
      });
    return made;
  };
  try {
    return copy(value);
  } catch {
    return value;
  }
}

function isPlain(value: object): boolean {
  if (Array.isArray(value)) return true;
  const prototype: unknown = Object.getPrototypeOf(value);
  return prototype === Object.prototype || prototype === null;
}
