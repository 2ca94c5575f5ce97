/**
 * Owns that no pattern of a schema is tried on a string that is long enough for it to take long: such strings are not checked by it.
 *
 * Invariant: the schema never rejects a value that it accepted before.
 */
import { isList, isRecord, isText, type JsonObject } from '../json.ts';
import { lengthLimit } from './pattern-limit.ts';

/** Moves patterns that may take long under a condition about lengths. Returns the same object if there are none. */
export function limitPatterns(schema: JsonObject): JsonObject {
  const { pattern, patternProperties, additionalProperties, properties, allOf, ...rest } = schema;
  const text = isText(pattern) ? lengthLimit(pattern) : Infinity;
  const names = isRecord(patternProperties) ? Math.min(...Object.keys(patternProperties).map(lengthLimit)) : Infinity;
  const isLimited = text < Infinity;
  if (!isLimited && names === Infinity) return schema;
  const conditions = [
    ...(isLimited ? [{ if: { minLength: text + 1 }, else: { pattern } }] : []),
    ...(names < Infinity
      ? [
          {
            if: { not: { propertyNames: { maxLength: names } } },
            else: withoutUndefined({ properties: namesOf(properties), patternProperties, additionalProperties }),
          },
        ]
      : []),
  ];
  return withoutUndefined({
    ...rest,
    ...(!isLimited && { pattern }),
    ...(names === Infinity && { patternProperties, additionalProperties }),
    properties,
    allOf: [...(isList(allOf) ? allOf : []), ...conditions],
  });
}

/** The names only: which of them are additional depends on them. */
const namesOf = (properties: unknown): unknown =>
  isRecord(properties) ? Object.fromEntries(Object.keys(properties).map((name) => [name, true])) : undefined;

const withoutUndefined = (schema: JsonObject): JsonObject =>
  Object.fromEntries(Object.entries(schema).filter(([, value]) => value !== undefined));
