/**
 * Owns safe access to untrusted values. Does not own which values are read.
 *
 * 1. Nothing here throws: a getter, proxy trap or method that does reads as `undefined`.
 * 2. No text is longer than its limit.
 */
import { parseJsonOrUndefined } from '../plain/parse-json.ts';

/** How much of one text is read, in characters: the beginning, and the end, where tracebacks state the error. */
const headLength = 1536;
const tailLength = 512;
/** How many of an object's fields are read. */
export const keysLimit = 256;

/** The result of `ask`, or undefined if it throws. */
function safely<Answer>(ask: () => Answer): Answer | undefined {
  try {
    return ask();
  } catch {
    return undefined;
  }
}

export function read(value: object, key: PropertyKey): unknown {
  try {
    return (value as Record<PropertyKey, unknown>)[key];
  } catch {
    return undefined;
  }
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
  return typeof length === 'number' ? Array.from({ length: Math.min(length, limit) }, (_unused, index) => read(list, index)) : [];
}

/** Checking whether there is a stack does not make the engine format one. */
export function hasStack(value: object): boolean {
  return safely(() => 'stack' in value) ?? false;
}

/** Calls a method of a foreign object. */
export function call(value: object, method: string, ...given: readonly unknown[]): unknown {
  const member = read(value, method);
  return typeof member === 'function' ? safely(() => Reflect.apply(member, value, given) as unknown) : undefined;
}

/** The names of an object's own fields; none for byte arrays, which have one per byte. */
export function keysOf(value: object): readonly PropertyKey[] {
  try {
    return ArrayBuffer.isView(value) ? [] : Reflect.ownKeys(value);
  } catch {
    return [];
  }
}

export function prototypeOf(value: object): object | null {
  try {
    return Object.getPrototypeOf(value) as object | null;
  } catch {
    return null;
  }
}

export function truncateText(text: string): string {
  return text.length <= headLength + tailLength ? text : `${text.slice(0, headLength)}\n${text.slice(-tailLength)}`;
}

/** A number from a number or from its digits. */
export function numeric(value: unknown): number | undefined {
  if (typeof value === 'number') return Number.isFinite(value) ? value : undefined;
  return typeof value === 'string' && value.length <= 32 && value < 'A' && /^\s*-?\d+(?:\.\d+)?\s*$/.test(value)
    ? Number(value)
    : undefined;
}

export function parsedJson(text: string): unknown {
  return text.length > 16_384 ? undefined : parseJsonOrUndefined(text);
}
