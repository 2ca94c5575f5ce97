/** Reads what somebody else sent: nothing is believed, nothing throws. */

/** An object of JSON. */
export type JsonObject = Readonly<Record<string, unknown>>;

export const isRecord = (value: unknown): value is JsonObject => typeof value === 'object' && value !== null && !Array.isArray(value);

export const isText = (value: unknown): value is string => typeof value === 'string';

/** The fields of an object, each of them still unknown; of anything else: no fields. */
export const fieldsOf = <Shape extends object>(value: unknown): Shape => (isRecord(value) ? value : {}) as Shape;

/** The elements of a list; of anything else: none. */
export const listOf = (value: unknown): readonly unknown[] => (Array.isArray(value) ? (value as readonly unknown[]) : []);

export const textOf = (value: unknown): string => (isText(value) ? value : '');

/** What occurs more than once, each named once, in order of its second occurrence. */
export const findRepeated = (values: readonly string[]): readonly string[] => {
  const seen = new Set<string>();
  const twice = new Set<string>();
  for (const value of values) (seen.has(value) ? twice : seen).add(value);
  return [...twice];
};

/** As it is said in a message. An object may have a `toString` of its own that is no function. */
export const wordOf = (value: unknown): string => (isRecord(value) || Array.isArray(value) ? JSON.stringify(value) : String(value));
