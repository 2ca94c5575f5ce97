/**
 * Owns reading values nobody vouches for. Does not own what is read.
 *
 * 1. Nothing here throws: a getter, proxy trap or method that does reads as `undefined`.
 * 2. No text leaves longer than its limit.
 */

/** How much of one text is looked at, in characters: the beginning, and the end where tracebacks say what happened. */
const headLength = 1536;
const tailLength = 512;

export function read(value: object, key: PropertyKey): unknown {
  try {
    return (value as Record<PropertyKey, unknown>)[key];
  } catch {
    return undefined;
  }
}

export function isObject(value: unknown): value is object {
  return typeof value === 'object' && value !== null;
}

export function isList(value: unknown): value is readonly unknown[] {
  try {
    return Array.isArray(value);
  } catch {
    return false; // a revoked proxy
  }
}

/** The first elements of a list, holes and throwing elements as `undefined`. */
export function firstOf(list: readonly unknown[], limit: number): readonly unknown[] {
  const length = read(list, 'length');
  const count = typeof length === 'number' ? Math.min(length, limit) : 0;
  return Array.from({ length: count }, (_unused, index) => read(list, index));
}

/** Calls a method of a foreign object. */
export function call(value: object, method: string, argument: unknown): unknown {
  try {
    const member = (value as Record<string, unknown>)[method];
    return typeof member === 'function' ? Reflect.apply(member, value, [argument]) : undefined;
  } catch {
    return undefined;
  }
}

export function hasField(value: object, key: PropertyKey): boolean {
  try {
    return key in value;
  } catch {
    return false;
  }
}

export function hasMethod(value: object, method: string): boolean {
  return typeof read(value, method) === 'function';
}

export function bounded(text: string): string {
  return text.length <= headLength + tailLength ? text : `${text.slice(0, headLength)}\n${text.slice(-tailLength)}`;
}

/** A number from a number or from its digits. */
export function numeric(value: unknown): number | undefined {
  if (typeof value === 'number') return Number.isFinite(value) ? value : undefined;
  if (typeof value !== 'string' || value.length > 32 || !/^-?\d+(?:\.\d+)?$/.test(value.trim())) return undefined;
  return Number(value);
}

export function parsedJson(text: string): unknown {
  if (text.length > 16_384) return undefined;
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return undefined;
  }
}
