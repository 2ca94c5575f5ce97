/**
 * Owns immutable data: frozen copies of events, copies of arguments, and frozen state.
 *
 * Invariant: none of them throws, for any value.
 */
import { deliverOutput } from '../../engine/call/output.ts';

/** Returns a JSON copy of about `maxChars` characters at most, frozen at every depth. */
export function frozenCopy(value: unknown, maxChars: number): unknown {
  if (value === undefined || value === null || typeof value !== 'object') {
    return typeof value === 'bigint' || typeof value === 'function' || typeof value === 'symbol' || typeof value === 'string'
      ? deliverOutput(value, maxChars).output
      : value;
  }
  const text = jsonCopy(value, maxChars);
  return text === undefined ? '[unreadable]' : frozenFrom(text);
}

/** An object as JSON text of about `maxChars` characters at most, which can be kept until it is read. Returns `undefined` for one that cannot be read. */
export function jsonCopy(value: object, maxChars: number): string | undefined {
  try {
    return JSON.stringify(deliverOutput(value, maxChars).output);
  } catch {
    return undefined;
  }
}

/** What a text of `jsonCopy` stands for, frozen at every depth. */
export const frozenFrom = (text: string): unknown => freezeParsed(JSON.parse(text) as unknown);

/** Freezes what `JSON.parse` has made: a tree of plain values that nothing else refers to. */
function freezeParsed(value: unknown): unknown {
  if (typeof value !== 'object' || value === null) return value;
  for (const inner of Object.values(value)) freezeParsed(inner);
  return Object.freeze(value);
}

/** Freezes an object whose parts are frozen at every depth. */
export function freezeOuter<T extends object>(value: T): T {
  frozen.add(value);
  return Object.freeze(value);
}

/** Objects that are already frozen at every depth. */
const frozen = new WeakSet<object>();

/** Freezes plain objects and arrays at every depth. Other objects cannot be frozen reliably and stay unchanged. */
export function freezeDeep<T>(value: T): T {
  const open: unknown[] = [value];
  while (open.length > 0) {
    const part = open.pop();
    if (typeof part !== 'object' || part === null || frozen.has(part) || !isPlain(part)) continue;
    frozen.add(part);
    Object.freeze(part);
    // Not `push(...values)`, which overflows the stack for a long list.
    for (const inner of Object.values(part)) if (typeof inner === 'object') open.push(inner);
  }
  return value;
}

/** Returns a copy of the plain objects and arrays in a value, at every depth; other objects are shared. Returns the value itself if it cannot be copied. */
export function plainCopy(value: unknown): unknown {
  let whole: object | undefined;
  let copies: Map<object, object> | undefined;
  const copy = (part: unknown): unknown => {
    if (typeof part !== 'object' || part === null || !isPlain(part)) return part;
    const known = part === value ? whole : copies?.get(part);
    if (known) return known;
    const created = (Array.isArray(part) ? [] : {}) as Record<string, unknown>;
    if (part === value) whole = created;
    else (copies ??= new Map()).set(part, created);
    for (const key of Object.keys(part)) {
      const inner = copy((part as Record<string, unknown>)[key]);
      // An assignment would set the prototype.
      if (key === '__proto__') Object.defineProperty(created, key, { value: inner, writable: true, enumerable: true, configurable: true });
      else created[key] = inner;
    }
    return created;
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
