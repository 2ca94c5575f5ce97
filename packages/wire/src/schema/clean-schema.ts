/**
 * Owns cleaning a third-party JSON Schema so that it compiles: keywords of other dialects are translated, and unreadable parts are left out with a warning.
 * Does not own the strict validation of schemas written for Holdfast.
 *
 * Invariants
 * 1. The given schema is neither modified nor retained: the result is a copy without any `undefined`.
 * 2. A valid JSON Schema keeps its meaning; leaving out a keyword only ever allows more values.
 * 3. Never throws.
 * 4. With `limitsPatterns`, a validator tries no pattern on a string that is long enough for the pattern to take long.
 * 5. The work is bounded: a schema with very many parts checks nothing.
 */
import { hasSchemaIds, leadsToSchema } from '@holdfast/core/internal/plain';
import type { JsonSchema } from '@holdfast/core';
import { isList, isRecord, type JsonObject } from '../json.ts';
import { cleanPattern } from './clean-pattern.ts';
import { limitPatterns } from './limit-patterns.ts';

/** A part of a schema that could not be read and was left out. */
export interface SchemaWarning {
  /** Path in the schema, such as `/properties/a/pattern`. */
  readonly path: string;
  /** Why it was left out. */
  readonly message: string;
}

/** A schema that compiles, and what was left out. */
export interface CleanSchema {
  /** The cleaned copy. It never rejects a value that the given schema accepts. */
  readonly schema: JsonSchema | boolean;
  /** What was left out. Empty if nothing was. */
  readonly warnings: readonly SchemaWarning[];
}

interface CleaningContext {
  readonly root: unknown;
  readonly warnings: SchemaWarning[];
  /** The schema has ids, so references are resolved by the validator. */
  readonly identified: boolean;
  readonly limitsPatterns: boolean;
}

const maxDepth = 100;
/** Cleaning and compiling take about 4 µs for each object. */
const maxObjects = 10_000;
const maxParts = 200_000;

/**
 * Returns a copy of a schema of any dialect that a JSON Schema compiler accepts. Unreadable keywords are left out, each with a warning.
 * Never throws.
 */
export function cleanJsonSchema(schema: unknown): CleanSchema {
  return cleanFor(schema, true);
}

/** For a validator that limits patterns itself, or not. */
export function cleanFor(schema: unknown, limitsPatterns: boolean): CleanSchema {
  const warnings: SchemaWarning[] = [];
  if (isTooLarge(schema)) return { schema: true, warnings: [{ path: '', message: 'too large: nothing is checked' }] };
  const context: CleaningContext = { root: schema, warnings, identified: hasSchemaIds(schema, maxDepth), limitsPatterns };
  return { schema: cleanAt(schema, '', 0, context), warnings };
}

function isTooLarge(schema: unknown): boolean {
  const pending = [schema];
  let parts = 0;
  for (let objects = 0; pending.length > 0;) {
    const part = pending.pop();
    if (typeof part !== 'object' || part === null) continue;
    const inside: readonly unknown[] = Array.isArray(part) ? part : Object.values(part);
    objects += Array.isArray(part) ? 0 : 1;
    parts += inside.length;
    if (objects > maxObjects || parts > maxParts) return true;
    for (const each of inside) if (typeof each === 'object') pending.push(each);
  }
  return false;
}

function cleanAt(schema: unknown, path: string, depth: number, context: CleaningContext): JsonObject | boolean {
  if (typeof schema === 'boolean') return schema;
  if (!isRecord(schema)) return leaveOut(context, path, 'not a schema', true);
  if (depth > maxDepth) return leaveOut(context, path, 'nested too deeply', true);
  const clean: Record<string, unknown> = {};
  for (const [keyword, value] of Object.entries(schema)) {
    if (ignored.has(keyword) || value === undefined || (keyword === '$schema' && path !== '')) continue;
    if (value === null && !annotations.has(keyword)) continue;
    const kept = cleanKeyword(keyword, value, `${path}/${keyword}`, depth, context);
    if (kept !== undefined) clean[keyword] = kept;
  }
  const translated = translate(clean, schema);
  return context.limitsPatterns ? limitPatterns(translated) : translated;
}

function leaveOut<T>(context: CleaningContext, path: string, message: string, instead: T): T {
  context.warnings.push({ path, message });
  return instead;
}

type Clean = (value: unknown, path: string, depth: number, context: CleaningContext) => unknown;

const cleanSchemaValue: Clean = (value, path, depth, context) => cleanAt(value, path, depth + 1, context);

const cleanSchemaList: Clean = (value, path, depth, context) =>
  isList(value) && value.length > 0
    ? value.map((entry, index) => cleanAt(entry, `${path}/${index}`, depth + 1, context))
    : leaveOut(context, path, 'not a list of schemas', undefined);

const cleanSchemaOrList: Clean = (value, path, depth, context) =>
  isList(value) && value.length === 0 ? undefined : (isList(value) ? cleanSchemaList : cleanSchemaValue)(value, path, depth, context);

const cleanSchemaMap: Clean = (value, path, depth, context) => {
  if (isList(value) && value.length === 0) return {};
  if (!isRecord(value)) return leaveOut(context, path, 'not an object of schemas', undefined);
  const entries = Object.entries(value).filter(([name, entry]) => name !== '__proto__' && entry !== null && entry !== undefined);
  return Object.fromEntries(entries.map(([name, entry]) => [name, cleanAt(entry, `${path}/${name}`, depth + 1, context)]));
};

const cleanNames: Clean = (value, path, _depth, context) =>
  isList(value)
    ? value.filter((entry) => typeof entry === 'string')
    : typeof value === 'boolean'
      ? undefined
      : leaveOut(context, path, 'not a list of names', undefined);

const cleanDependencies: Clean = (value, path, depth, context) => {
  if (!isRecord(value)) return leaveOut(context, path, 'not an object', undefined);
  const entries = Object.entries(value).filter(([name, entry]) => name !== '__proto__' && entry !== null);
  const kept = entries.map(([name, entry]) => [
    name,
    (isList(entry) ? cleanNames : cleanSchemaValue)(entry, `${path}/${name}`, depth, context),
  ]);
  return Object.fromEntries(kept) as JsonObject;
};

const cleanPatternMap: Clean = (value, path, depth, context) => {
  const entries = Object.entries((cleanSchemaMap(value, path, depth, context) as JsonObject | undefined) ?? {});
  const kept = entries.flatMap(([pattern, schema]) => {
    const source = cleanPattern(pattern);
    return source === undefined ? leaveOut(context, `${path}/${pattern}`, 'not a regular expression', []) : [[source, schema] as const];
  });
  return Object.fromEntries(kept);
};

const pattern: Clean = (value, path, _depth, context) => {
  const source = typeof value === 'string' ? cleanPattern(value) : undefined;
  return source ?? leaveOut(context, path, 'not a regular expression', undefined);
};

const keepIf =
  (fits: (value: unknown) => boolean, wanted: string): Clean =>
  (value, path, _depth, context) =>
    fits(value) ? value : leaveOut(context, path, `not ${wanted}`, undefined);

const finite = keepIf((value) => typeof value === 'number' && Number.isFinite(value), 'a number');
const bound = keepIf((value) => typeof value === 'boolean' || (typeof value === 'number' && Number.isFinite(value)), 'a number');
const size: Clean = (value, path, depth, context) =>
  keepIf((given) => Number.isInteger(given) && Number(given) >= 0, 'a whole number')(
    typeof value === 'string' && /^\d+$/.test(value) ? Number(value) : value,
    path,
    depth,
    context,
  );

/** Type names of other languages. */
const foreignTypes: Readonly<Record<string, string>> = {
  int: 'integer',
  long: 'integer',
  float: 'number',
  double: 'number',
  str: 'string',
  bool: 'boolean',
  dict: 'object',
  map: 'object',
  list: 'array',
  none: 'null',
};
const types: ReadonlySet<string> = new Set(['string', 'number', 'integer', 'boolean', 'object', 'array', 'null']);

const type: Clean = (value, path, _depth, context) => {
  const known = (isList(value) ? value : [value]).map((entry) => {
    const word = typeof entry === 'string' ? entry.toLowerCase() : '';
    return types.has(word) ? word : Object.hasOwn(foreignTypes, word) ? foreignTypes[word] : undefined;
  });
  // An unknown type could be any type, so the keyword is dropped.
  if (known.includes(undefined) || known.length === 0) {
    const meant = typeof value === 'string' && ['any', 'type_unspecified'].includes(value.toLowerCase());
    return meant ? undefined : leaveOut(context, path, 'an unknown type', undefined);
  }
  return isList(value) ? [...new Set(known)] : known[0];
};

const reference: Clean = (value, path, _depth, context) => {
  const found = typeof value === 'string' && (context.identified || leadsToSchema(value, context.root));
  return found ? value : leaveOut(context, path, 'an unresolved reference', undefined);
};

const keywords: Readonly<Record<string, Clean>> = {
  type,
  $ref: reference,
  pattern,
  patternProperties: cleanPatternMap,
  required: cleanNames,
  cleanDependencies,
  dependentRequired: cleanDependencies,
  enum: keepIf((value) => isList(value) && value.length > 0, 'a list of values'),
  minimum: finite,
  maximum: finite,
  exclusiveMinimum: bound,
  exclusiveMaximum: bound,
  multipleOf: keepIf((value) => typeof value === 'number' && value > 0 && Number.isFinite(value), 'a number above 0'),
  items: cleanSchemaOrList,
  ...Object.fromEntries(
    ['minLength', 'maxLength', 'minItems', 'maxItems', 'minContains', 'maxContains', 'minProperties', 'maxProperties'].map((word) => [
      word,
      size,
    ]),
  ),
  ...Object.fromEntries(['prefixItems', 'allOf', 'anyOf', 'oneOf'].map((word) => [word, cleanSchemaList])),
  ...Object.fromEntries(['properties', '$defs', 'definitions', 'dependentSchemas'].map((word) => [word, cleanSchemaMap])),
  ...Object.fromEntries(
    ['additionalProperties', 'unevaluatedProperties', 'additionalItems', 'unevaluatedItems', 'contains', 'propertyNames']
      .concat('not', 'if', 'then', 'else')
      .map((word) => [word, cleanSchemaValue]),
  ),
};

/** Keywords that contain values, not schemas, so `null` is meaningful. */
const annotations: ReadonlySet<string> = new Set(['const', 'default']);
const ignored: ReadonlySet<string> = new Set(['__proto__', 'example', 'examples']);

/** Unknown keywords are kept, since a reference may point into them. */
function cleanKeyword(keyword: string, value: unknown, path: string, depth: number, context: CleaningContext): unknown {
  const clean = Object.hasOwn(keywords, keyword) ? keywords[keyword] : undefined;
  if (clean) return clean(value, path, depth, context);
  return isRecord(value) && !annotations.has(keyword) ? cleanAt(value, path, depth + 1, context) : value;
}

/** Translates keywords of OpenAPI and earlier drafts to the current draft. */
function translate(clean: Record<string, unknown>, given: JsonObject): JsonObject {
  if (given['nullable'] === true) {
    const own = clean['type'];
    if (typeof own === 'string') clean['type'] = [own, 'null'];
    if (isList(clean['enum']) && !clean['enum'].includes(null)) clean['enum'] = [...clean['enum'], null];
  }
  for (const [exclusive, inclusive] of [
    ['exclusiveMinimum', 'minimum'],
    ['exclusiveMaximum', 'maximum'],
  ] as const) {
    if (typeof clean[exclusive] !== 'boolean') continue;
    const limit = clean[inclusive];
    const strict = clean[exclusive] === true && limit !== undefined;
    delete clean[exclusive];
    if (strict) {
      delete clean[inclusive];
      clean[exclusive] = limit;
    }
  }
  return clean;
}

/** The path of an issue: a step of digits is an index of a list. */
export function issuePath(steps: readonly string[]): readonly (string | number)[] {
  return steps.map((step) => (/^\d+$/.test(step) ? Number(step) : step));
}
