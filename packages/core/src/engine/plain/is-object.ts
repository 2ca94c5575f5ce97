/** Owns what counts as an object. The three questions differ in arrays and functions. */

/** An object that is not an array: what JSON calls an object. */
export function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** An object or an array. */
export function isObject(value: unknown): value is object {
  return typeof value === 'object' && value !== null;
}

/** The fields of an object or array; none of anything else. */
export function fieldsOf(value: unknown): Readonly<Record<string, unknown>> {
  return isObject(value) ? (value as Readonly<Record<string, unknown>>) : {};
}

/** What can be the key of a `WeakMap` or have methods: an object, an array or a function. */
export function isObjectOrFunction(value: unknown): value is object {
  return isObject(value) || typeof value === 'function';
}
