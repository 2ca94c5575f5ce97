/**
 * Owns coercing values of the wrong type with an unambiguous meaning: `"5"` to 5, `"[1]"` to [1], `"a"` to ["a"].
 * Does not own the validation of the result as a whole.
 *
 * Invariants
 * 1. A value that matches its schema stays the same object. Only mismatches are coerced, and only to values that match.
 * 2. A string stays a string wherever the schema allows one.
 * 3. The given value is not modified. Never throws: with an unusable schema, nothing is coerced.
 * 4. A value with two possible meanings is returned unchanged.
 * 5. The work is bounded; beyond the limit, the value is returned unchanged.
 */
import { checkRule } from '@holdfast/core/internal/plain';
import { schemaRule } from './schema-rule.ts';
import type { JsonSchema } from '@holdfast/core';
import { isList, isRecord, type JsonObject, sameJson } from '../json.ts';
import { branchesOf, candidatesFor, isNullLike, kindOf, kindsOf } from './coercion-candidates.ts';
import { cleanFor } from './clean-schema.ts';
import { walkable } from './compile-schema.ts';
import { plainCheckOf, type PlainCheck } from './plain-check.ts';
import { type Budget, maxSteps } from './walk/budget.ts';
import { Walker } from './walk/walker.ts';

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
  /** Throws beyond the budget. */
  readonly fits: (value: unknown, schema: unknown, budget: Budget) => boolean;
  readonly resolve: (schema: unknown) => unknown;
  /** Recognizes values that match the whole schema. */
  readonly isPlain: PlainCheck | undefined;
}

interface CoercionContext {
  readonly guide: Guide;
  readonly coercions: Coercion[];
  readonly budget: Budget;
}

type Path = readonly (string | number)[];

const maxDepth = 64;

const guides = new WeakMap<JsonSchema, Guide>();

/** Coerces values of the wrong type that have only one possible meaning. */
export function coerce(value: unknown, schema: JsonSchema): Coerced {
  checkRule(schemaRule, schema, 'coerce: schema');
  const coercions: Coercion[] = [];
  try {
    const guide = guideOf(schema);
    if (guide.isPlain?.(value)) return { value, coercions };
    const repaired = coerceAt(value, guide.root, [], { guide, coercions, budget: { left: maxSteps } });
    return { value: repaired, coercions };
  } catch {
    return { value, coercions: [] };
  }
}

/** Whether a value matches a schema; `undefined` if the schema is unusable. */
export function fitsSchema(value: unknown, schema: JsonSchema): boolean | undefined {
  try {
    const guide = guideOf(schema);
    return guide.fits(value, guide.root, { left: maxSteps });
  } catch {
    return undefined;
  }
}

function guideOf(schema: JsonSchema): Guide {
  const known = guides.get(schema);
  if (known) return known;
  const root = cleanFor(schema, false).schema;
  const walked = walkable(root, schema);
  const guide: Guide = {
    root,
    fits: (value, part, budget) => new Walker(walked, budget, true).start(value, part),
    resolve: (part) => {
      let current = part;
      for (let step = 0; step < maxDepth && isRecord(current) && typeof current['$ref'] === 'string'; step += 1)
        current = walked.lookup[String(current['__absolute_ref__'])];
      return current;
    },
    isPlain: plainCheckOf(root),
  };
  guides.set(schema, guide);
  return guide;
}

const fits = (value: unknown, schema: unknown, { guide, budget }: CoercionContext): boolean => guide.fits(value, schema, budget);

function coerceAt(value: unknown, schema: unknown, path: Path, context: CoercionContext): unknown {
  if (path.length > maxDepth || fits(value, schema, context)) return value;
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
    const next = schema === undefined ? item : coerceItem(item, schema, [...path, index], context);
    changed ||= next !== item;
    return next;
  });
  return changed ? repaired : value;
}

/** An item does not become a list: `[1, 2]` for a list of lists may mean `[[1, 2]]` as well as `[[1], [2]]`. */
function coerceItem(item: unknown, schema: unknown, path: Path, context: CoercionContext): unknown {
  const tried: CoercionContext = { ...context, coercions: [] };
  const repaired = coerceAt(item, schema, path, tried);
  if (tried.coercions.some(({ kind, path: at }) => kind === 'value-to-list' && at.length === path.length)) return item;
  context.coercions.push(...tried.coercions);
  return repaired;
}

function coerceProperties(value: JsonObject, part: JsonObject, path: Path, context: CoercionContext): JsonObject {
  const properties = isRecord(part['properties']) ? part['properties'] : {};
  const required = isList(part['required']) ? part['required'] : [];
  const repaired: (readonly [string, unknown])[] = [];
  let changed = false;
  for (const [name, given] of Object.entries(value)) {
    const schema = Object.hasOwn(properties, name) ? properties[name] : part['additionalProperties'];
    const at = [...path, name];
    const next = schema === undefined ? given : coerceAt(given, schema, at, context);
    const isLeftOut = schema !== undefined && next === given && !required.includes(name) && isAbsent(given, schema, context);
    if (isLeftOut) context.coercions.push({ path: at, kind: 'left-out' });
    else repaired.push([name, next]);
    changed ||= isLeftOut || next !== given;
  }
  return changed ? Object.fromEntries(repaired) : value;
}

/** Whether a value is `null`, or a string meaning null where no string is allowed. */
function isAbsent(value: unknown, schema: unknown, context: CoercionContext): boolean {
  if (!isNullLike(value)) return false;
  const kinds = kindsOf(schema, context.guide.resolve);
  return !kinds.has(kindOf(value) ?? 'null') && !fits(value, schema, context);
}
