/** Reads untrusted input: nothing is assumed, nothing throws. */

/** A JSON object. */
export type JsonObject = Readonly<Record<string, unknown>>;

export const isRecord = (value: unknown): value is JsonObject => typeof value === 'object' && value !== null && !Array.isArray(value);

export const isText = (value: unknown): value is string => typeof value === 'string';

/** The fields of an object, each of them still unknown; no fields for anything else. */
export const fieldsOf = <Shape extends object>(value: unknown): Shape => (isRecord(value) ? value : {}) as Shape;

/** The elements of a list; none for anything else. */
export const listOf = (value: unknown): readonly unknown[] => (Array.isArray(value) ? (value as readonly unknown[]) : []);

export const textOf = (value: unknown): string => (isText(value) ? value : '');

/** Values that occur more than once, each listed once, in order of the second occurrence. */
export const findRepeated = (values: readonly string[]): readonly string[] => {
  const seen = new Set<string>();
  const twice = new Set<string>();
  for (const value of values) (seen.has(value) ? twice : seen).add(value);
  return [...twice];
};

/** A value as it appears in a message. An object may have a `toString` that is not a function. */
export const wordOf = (value: unknown): string => (isRecord(value) || Array.isArray(value) ? JSON.stringify(value) : String(value));
