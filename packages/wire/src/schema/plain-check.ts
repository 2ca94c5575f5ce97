/**
 * Owns recognizing values that match a schema of the usual form, without the walk that finds out where a value does not match.
 *
 * Invariant: what is recognized matches the schema. All else is left to the walker.
 */
import { isList, isRecord, isText, type JsonObject } from '../json.ts';

/** Whether a value is recognized. `false` says nothing. */
export type PlainCheck = (value: unknown) => boolean;

/** Keywords that are understood here, and annotations. */
const keywords: ReadonlySet<string> = new Set([
  '$schema',
  'title',
  'description',
  'default',
  'examples',
  'type',
  'enum',
  'properties',
  'required',
  'additionalProperties',
  'items',
]);

const maxDepth = 8;

/** The check of a schema; `undefined` if it has other keywords, or a form that is rare. */
export function plainCheckOf(schema: unknown, depth = 0): PlainCheck | undefined {
  if (!isRecord(schema) || depth > maxDepth || !Object.keys(schema).every((keyword) => keywords.has(keyword))) return undefined;
  const { type, enum: allowed } = schema;
  if (allowed !== undefined) return type === 'string' && isList(allowed) ? (value) => isText(value) && allowed.includes(value) : undefined;
  switch (type) {
    case 'string':
    case 'number':
    case 'boolean':
      return (value) => typeof value === type;
    case 'integer':
      return Number.isInteger;
    case 'array':
      return listCheckOf(schema, depth);
    case 'object':
      return objectCheckOf(schema, depth);
    default:
      return undefined;
  }
}

function listCheckOf({ items }: JsonObject, depth: number): PlainCheck | undefined {
  const check = plainCheckOf(items, depth + 1);
  return check && ((value) => isList(value) && value.every(check));
}

function objectCheckOf(
  { properties = {}, required = [], additionalProperties: others = true }: JsonObject,
  depth: number,
): PlainCheck | undefined {
  if (!isRecord(properties) || !isList(required) || !required.every(isText) || typeof others !== 'boolean') return undefined;
  const checks = new Map<string, PlainCheck>();
  for (const [name, part] of Object.entries(properties)) {
    const check = plainCheckOf(part, depth + 1);
    if (!check) return undefined;
    checks.set(name, check);
  }
  return (value) => {
    if (!isRecord(value)) return false;
    for (const name of required) if (!Object.hasOwn(value, name)) return false;
    for (const name of Object.keys(value)) {
      const check = checks.get(name);
      if (check ? !check(value[name]) : !others) return false;
    }
    return true;
  };
}
