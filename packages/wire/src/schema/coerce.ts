/**
 * Owns coercing values of the wrong type with an unambiguous meaning: `"5"` to 5, `"[1]"` to [1], `"a"` to ["a"].
 * Does not own the validation of the result as a whole.
 *
 * Invariants
 * 1. A value that matches its schema stays the same object. Only mismatches are coerced, and only to values that match.
 * 2. A string stays a string wherever the schema allows one.
 * 3. The given value is not modified. Never throws: with an unusable schema, nothing is coerced.
 * 4. A value with two possible meanings is returned unchanged.
 * 5. The number of checks and the size of the value are bounded; beyond them, the value is returned unchanged.
 */
import { dereference, type Schema as LibrarySchema, validate } from '@cfworker/json-schema';
import type { JsonSchema } from '@holdfast/core';
import { isList, isRecord, type JsonObject, sameJson } from '../json.ts';
import { branchesOf, candidatesFor, isNullLike, kindOf, kindsOf } from './coercion-candidates.ts';
import { cleanJsonSchema } from './clean-schema.ts';
import { draftOf } from './compile-schema.ts';

/** A value that was replaced. */
export interface Coercion {
  /** Path in the value: property names and list indices. */
  readonly path: readonly (string | number)[];
  /** Kind of conversion, such as `text-to-number`. */
  readonly kind: string;
}

/** The result of a coercion. */
export interface Coerced {
  /** The coerced value; the same object if nothing was replaced. */
  readonly value: unknown;
  /** The values that were replaced. Empty if none were. */
  readonly coercions: readonly Coercion[];
}

/** A schema against whose parts single values can be checked. */
interface Guide {
  readonly root: JsonObject | boolean;
  readonly fits: (value: unknown, schema: unknown) => boolean;
  readonly resolve: (schema: unknown) => unknown;
}

interface CoercionContext {
  readonly guide: Guide;
  readonly coercions: Coercion[];
  /** Number of remaining checks. */
  readonly left: { checks: number };
}

type Path = readonly (string | number)[];

const maxChecks = 4000;
/** A check takes time in proportion to the size of the value. */
const maxSize = 20_000;
const maxDepth = 64;

const guides = new WeakMap<JsonSchema, Guide>();

/** Coerces values of the wrong type that have only one possible meaning. */
export function coerce(value: unknown, schema: JsonSchema): Coerced {
  const context: Omit<CoercionContext, 'guide'> = { coercions: [], left: { checks: maxChecks } };
  try {
    if (isLarge(value)) return { value, coercions: [] };
    const guide = guideOf(schema);
    const repaired = coerceAt(value, guide.root, [], { ...context, guide });
    return context.left.checks > 0 ? { value: repaired, coercions: context.coercions } : { value, coercions: [] };
  } catch {
    return { value, coercions: [] };
  }
}

/** Whether a value matches a schema; `undefined` if the schema is unusable. */
export function fitsSchema(value: unknown, schema: JsonSchema): boolean | undefined {
  try {
    const guide = guideOf(schema);
    return guide.fits(value, guide.root);
  } catch {
    return undefined;
  }
}

/** Whether a value has more parts than can be checked repeatedly. */
function isLarge(value: unknown): boolean {
  const pending = [value];
  for (let size = 0; pending.length > 0; size += 1) {
    const part = pending.pop();
    if (size + pending.length > maxSize) return true;
    if (typeof part === 'object' && part !== null) pending.push(...(Object.values(part) as readonly unknown[]).slice(0, maxSize + 1));
  }
  return false;
}

function guideOf(schema: JsonSchema): Guide {
  const known = guides.get(schema);
  if (known) return known;
  const root = cleanJsonSchema(schema).schema;
  const lookup = dereference(root as LibrarySchema);
  const guide: Guide = {
    root,
    fits: (value, part) => validate(value, part as LibrarySchema, draftOf(schema), lookup, true).valid,
    resolve: (part) => {
      let current = part;
      for (let step = 0; step < maxDepth && isRecord(current) && typeof current['$ref'] === 'string'; step += 1)
        current = lookup[String(current['__absolute_ref__'])];
      return current;
    },
  };
  guides.set(schema, guide);
  return guide;
}

function fits(value: unknown, schema: unknown, { guide, left }: CoercionContext): boolean {
  left.checks -= 1;
  return left.checks > 0 && guide.fits(value, schema);
}

function coerceAt(value: unknown, schema: unknown, path: Path, context: CoercionContext): unknown {
  if (path.length > maxDepth || context.left.checks <= 0 || fits(value, schema, context)) return value;
  const part = context.guide.resolve(schema);
  if (!isRecord(part)) return value;
  const candidates = candidatesFor(value, part, kindsOf(part, context.guide.resolve));
  const own = onlyMeaning(value, candidates, schema, context, ({ value: candidate, kind }, tried) => {
    const repaired = fits(candidate, schema, tried) ? candidate : coerceInside(candidate, part, path, tried);
    tried.coercions.unshift({ path, kind });
    return repaired;
  });
  return own === value ? coerceInside(value, part, path, context) : own;
}

/** The value that all tries which lead to a matching value agree on; the given one if there is none or they disagree. */
function onlyMeaning<Try>(
  value: unknown,
  tries: readonly Try[],
  schema: unknown,
  context: CoercionContext,
  attempt: (given: Try, tried: CoercionContext) => unknown,
): unknown {
  let found: { readonly value: unknown; readonly coercions: readonly Coercion[] } | undefined;
  for (const given of tries) {
    const tried: CoercionContext = { ...context, coercions: [] };
    const repaired = attempt(given, tried);
    if (repaired === value || !fits(repaired, schema, context)) continue;
    if (found && !sameJson(found.value, repaired)) return value;
    found ??= { value: repaired, coercions: tried.coercions };
  }
  if (!found) return value;
  context.coercions.push(...found.coercions);
  return found.value;
}

/** Coerces the items or properties of a value, each against its own schema. */
function coerceInside(value: unknown, part: JsonObject, path: Path, context: CoercionContext): unknown {
  if (typeof value !== 'object' || value === null) return value;
  let repaired: unknown = isList(value)
    ? coerceItems(value, part, path, context)
    : coerceProperties(value as JsonObject, part, path, context);
  for (const each of isList(part['allOf']) ? part['allOf'] : []) repaired = coerceAt(repaired, each, path, context);
  return onlyMeaning(repaired, branchesOf(part), part, context, (branch, tried) => coerceAt(repaired, branch, path, tried));
}

function coerceItems(value: readonly unknown[], part: JsonObject, path: Path, context: CoercionContext): readonly unknown[] {
  const { items, prefixItems } = part;
  const first = isList(prefixItems) ? prefixItems : isList(items) ? items : [];
  const rest = isList(items) ? part['additionalItems'] : items;
  let changed = false;
  const repaired = value.map((item, index) => {
    const schema = first[index] ?? rest;
    const next = schema === undefined ? item : coerceAt(item, schema, [...path, index], context);
    changed ||= next !== item;
    return next;
  });
  return changed ? repaired : value;
}

function coerceProperties(value: JsonObject, part: JsonObject, path: Path, context: CoercionContext): JsonObject {
  const properties = isRecord(part['properties']) ? part['properties'] : {};
  const required = isList(part['required']) ? part['required'] : [];
  let repaired = value;
  for (const [name, given] of Object.entries(value)) {
    const schema = Object.hasOwn(properties, name) ? properties[name] : part['additionalProperties'];
    if (schema === undefined) continue;
    const at = [...path, name];
    const next = coerceAt(given, schema, at, context);
    if (next !== given) repaired = { ...repaired, [name]: next };
    else if (!required.includes(name) && isAbsent(given, schema, context)) {
      const { [name]: _, ...kept } = repaired;
      context.coercions.push({ path: at, kind: 'left-out' });
      repaired = kept;
    }
  }
  return repaired;
}

/** Whether a value is `null`, or a string meaning null where no string is allowed. */
function isAbsent(value: unknown, schema: unknown, context: CoercionContext): boolean {
  if (!isNullLike(value)) return false;
  const kinds = kindsOf(schema, context.guide.resolve);
  return !kinds.has(kindOf(value) ?? 'null') && !fits(value, schema, context);
}
