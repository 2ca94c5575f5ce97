/**
 * Owns reading and copying plain values: type checks, values at paths, and replacing one field without touching the rest.
 *
 * Invariants
 * 1. No function modifies its input.
 * 2. Removing an absent field returns the same object.
 */
import { isRecord, parseJsonOrUndefined } from '@holdfast/core/internal/plain';

export { isRecord, parseJsonOrUndefined };

/** A plain object with string keys. */
export type JsonObject = Readonly<Record<string, unknown>>;

export const isList = (value: unknown): value is readonly unknown[] => Array.isArray(value);

export const isText = (value: unknown): value is string => typeof value === 'string';

/** Whether a value is a string with visible content. */
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

/** The value at a path that may lead through lists, or `undefined`. */
export function itemAt(value: unknown, path: readonly string[]): unknown {
  let current = value;
  for (const step of path) current = isList(current) ? current[Number(step)] : isRecord(current) ? current[step] : undefined;
  return current;
}

/** Returns a copy with another value at the path; `undefined` removes the field. */
export function withValueAt(value: unknown, fields: readonly string[], next: unknown): JsonObject {
  const [field, ...rest] = fields;
  const owner = isRecord(value) ? value : {};
  if (field === undefined) return owner;
  const replaced = rest.length > 0 ? withValueAt(owner[field], rest, next) : next;
  if (replaced !== undefined) return { ...owner, [field]: replaced };
  const { [field]: gone, ...kept } = owner;
  return gone === undefined && !(field in owner) ? owner : kept;
}

/** Serializes any value; returns an empty string if that fails. */
export function jsonText(value: unknown): string {
  try {
    return JSON.stringify(value) ?? '';
  } catch {
    return '';
  }
}

/** Whether two plain values are deeply equal. */
export function sameJson(one: unknown, other: unknown): boolean {
  if (one === other) return true;
  if (isList(one)) return isList(other) && one.length === other.length && one.every((each, index) => sameJson(each, other[index]));
  if (!isRecord(one) || !isRecord(other)) return false;
  const keys = Object.keys(one);
  return keys.length === Object.keys(other).length && keys.every((key) => Object.hasOwn(other, key) && sameJson(one[key], other[key]));
}
