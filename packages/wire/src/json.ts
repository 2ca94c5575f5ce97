/**
 * Owns reading and copying of plain values: what is an object, what is at a path, one field replaced without touching the rest.
 *
 * Invariants
 * 1. Nothing here writes to a value it was given.
 * 2. A field that already has the wanted value gives the same object back.
 */
import { isRecord } from '@holdfast/core/internal/plain';

export { isRecord };

/** A plain object with string keys. */
export type JsonObject = Readonly<Record<string, unknown>>;

export const isList = (value: unknown): value is readonly unknown[] => Array.isArray(value);

export const isText = (value: unknown): value is string => typeof value === 'string';

/** A string with something to read in it. */
export const isFilled = (value: unknown): value is string => typeof value === 'string' && value.trim() !== '';

export const textOf = (value: unknown): string | undefined => (typeof value === 'string' ? value : undefined);

/** The value at a path of fields, or `undefined`. */
export function valueAt(value: unknown, fields: readonly string[]): unknown {
  let current = value;
  for (const field of fields) {
    if (!isRecord(current)) return undefined;
    current = current[field];
  }
  return current;
}

/** The value at a path that may lead through lists. */
export function itemAt(value: unknown, path: readonly string[]): unknown {
  let current = value;
  for (const step of path) current = isList(current) ? current[Number(step)] : isRecord(current) ? current[step] : undefined;
  return current;
}

/** A copy in which the field at the path has another value; `undefined` takes the field away. */
export function withValueAt(value: unknown, fields: readonly string[], next: unknown): JsonObject {
  const [field, ...rest] = fields;
  const owner = isRecord(value) ? value : {};
  if (field === undefined) return owner;
  const replaced = rest.length > 0 ? withValueAt(owner[field], rest, next) : next;
  if (replaced !== undefined) return { ...owner, [field]: replaced };
  const { [field]: gone, ...kept } = owner;
  return gone === undefined && !(field in owner) ? owner : kept;
}

/** The value of a JSON text, or `undefined` when it is none. */
export function tryParse(text: string): { readonly value: unknown } | undefined {
  try {
    return { value: JSON.parse(text) };
  } catch {
    return undefined;
  }
}

/** The JSON text of a value, whatever it is. */
export function jsonText(value: unknown): string {
  try {
    return JSON.stringify(value) ?? '';
  } catch {
    return '';
  }
}

/** Whether two plain values say the same. */
export function sameJson(one: unknown, other: unknown): boolean {
  if (one === other) return true;
  if (isList(one)) return isList(other) && one.length === other.length && one.every((each, index) => sameJson(each, other[index]));
  if (!isRecord(one) || !isRecord(other)) return false;
  const keys = Object.keys(one);
  return keys.length === Object.keys(other).length && keys.every((key) => Object.hasOwn(other, key) && sameJson(one[key], other[key]));
}
