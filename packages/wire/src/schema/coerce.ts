/**
 * Owns repairing values that have the wrong type and say the right thing: `"5"` for 5, `"[1]"` for [1], `"a"` for ["a"].
 * Does not own the check of the outcome as a whole.
 *
 * Invariants
 * 1. What fits its schema stays the same object. Only a place that does not fit is looked at, and only a value that fits takes its place.
 * 2. A string stays a string wherever the schema allows one there.
 * 3. The given value is not changed. Never throws: with a schema that cannot be used, nothing is repaired.
 * 4. The work is bounded: beyond it, the value stays as it is.
 */
import { dereference, type Schema as LibrarySchema, validate } from '@cfworker/json-schema';
import type { JsonSchema } from '@holdfast/core';
import { isList, isRecord, type JsonObject } from '../json.ts';
import { branchesOf, candidatesFor, isNothing, kindOf, kindsOf } from './coercion-candidates.ts';
import { cleanJsonSchema } from './clean-schema.ts';
import { draftOf } from './compile-schema.ts';

/** A value that took the place of another one. */
export interface Coercion {
  /** Where in the value: names of properties and positions in lists. */
  readonly path: readonly (string | number)[];
  /** What was done, such as `text-to-number`. */
  readonly kind: string;
}

/** A value after its types were repaired. */
export interface Coerced {
  /** The repaired value; the same object if nothing was replaced. */
  readonly value: unknown;
  /** What was replaced. Empty if nothing was. */
  readonly coercions: readonly Coercion[];
}

/** A schema that single places of a value can be held against. */
interface Guide {
  readonly root: JsonObject | boolean;
  readonly fits: (value: unknown, schema: unknown) => boolean;
  readonly resolve: (schema: unknown) => unknown;
}

interface Scene {
  readonly guide: Guide;
  readonly coercions: Coercion[];
  /** Checks that may still be made. */
  readonly left: { checks: number };
}

type Path = readonly (string | number)[];

const mostChecks = 4000;
const deepest = 64;

const guides = new WeakMap<JsonSchema, Guide>();

/** Repairs what has the wrong type and only one meaning. */
export function coerce(value: unknown, schema: JsonSchema): Coerced {
  const scene: Omit<Scene, 'guide'> = { coercions: [], left: { checks: mostChecks } };
  try {
    const guide = guideOf(schema);
    const repaired = coerceAt(value, guide.root, [], { ...scene, guide });
    return scene.left.checks > 0 ? { value: repaired, coercions: scene.coercions } : { value, coercions: [] };
  } catch {
    return { value, coercions: [] };
  }
}

/** Whether a value fits; `undefined` when the schema cannot say. */
export function fitsSchema(value: unknown, schema: JsonSchema): boolean | undefined {
  try {
    const guide = guideOf(schema);
    return guide.fits(value, guide.root);
  } catch {
    return undefined;
  }
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
      for (let step = 0; step < deepest && isRecord(current) && typeof current['$ref'] === 'string'; step += 1)
        current = lookup[String(current['__absolute_ref__'])];
      return current;
    },
  };
  guides.set(schema, guide);
  return guide;
}

function fits(value: unknown, schema: unknown, { guide, left }: Scene): boolean {
  left.checks -= 1;
  return left.checks > 0 && guide.fits(value, schema);
}

function coerceAt(value: unknown, schema: unknown, path: Path, scene: Scene): unknown {
  if (path.length > deepest || scene.left.checks <= 0 || fits(value, schema, scene)) return value;
  const part = scene.guide.resolve(schema);
  if (!isRecord(part)) return value;
  for (const { value: candidate, kind } of candidatesFor(value, part, kindsOf(part, scene.guide.resolve))) {
    const tried: Scene = { ...scene, coercions: [] };
    const repaired = fits(candidate, schema, tried) ? candidate : coerceInside(candidate, part, path, tried);
    if (!fits(repaired, schema, scene)) continue;
    scene.coercions.push({ path, kind }, ...tried.coercions);
    return repaired;
  }
  return coerceInside(value, part, path, scene);
}

/** The parts of an object or list, each against its own schema. */
function coerceInside(value: unknown, part: JsonObject, path: Path, scene: Scene): unknown {
  if (typeof value !== 'object' || value === null) return value;
  let repaired: unknown = isList(value) ? coerceItems(value, part, path, scene) : coerceProperties(value as JsonObject, part, path, scene);
  for (const each of isList(part['allOf']) ? part['allOf'] : []) repaired = coerceAt(repaired, each, path, scene);
  for (const branch of branchesOf(part)) {
    const tried: Scene = { ...scene, coercions: [] };
    const other = coerceAt(repaired, branch, path, tried);
    if (other === repaired || !fits(other, part, scene)) continue;
    scene.coercions.push(...tried.coercions);
    return other;
  }
  return repaired;
}

function coerceItems(value: readonly unknown[], part: JsonObject, path: Path, scene: Scene): readonly unknown[] {
  const { items, prefixItems } = part;
  const first = isList(prefixItems) ? prefixItems : isList(items) ? items : [];
  const rest = isList(items) ? part['additionalItems'] : items;
  let changed = false;
  const repaired = value.map((item, index) => {
    const schema = first[index] ?? rest;
    const next = schema === undefined ? item : coerceAt(item, schema, [...path, index], scene);
    changed ||= next !== item;
    return next;
  });
  return changed ? repaired : value;
}

function coerceProperties(value: JsonObject, part: JsonObject, path: Path, scene: Scene): JsonObject {
  const properties = isRecord(part['properties']) ? part['properties'] : {};
  const required = isList(part['required']) ? part['required'] : [];
  let repaired = value;
  for (const [name, given] of Object.entries(value)) {
    const schema = Object.hasOwn(properties, name) ? properties[name] : part['additionalProperties'];
    if (schema === undefined) continue;
    const at = [...path, name];
    const next = coerceAt(given, schema, at, scene);
    if (next !== given) repaired = { ...repaired, [name]: next };
    else if (!required.includes(name) && meansNothing(given, schema, scene)) {
      const { [name]: _, ...kept } = repaired;
      scene.coercions.push({ path: at, kind: 'left-out' });
      repaired = kept;
    }
  }
  return repaired;
}

/** `null`, or a string that says so where no text is allowed. */
function meansNothing(value: unknown, schema: unknown, scene: Scene): boolean {
  if (!isNothing(value)) return false;
  const kinds = kindsOf(schema, scene.guide.resolve);
  return !kinds.has(kindOf(value) ?? 'null') && !fits(value, schema, scene);
}
