/**
 * Owns validating JSON Schemas: values of keywords, patterns, references. Unknown keywords are annotations and pass. Covers the vocabulary that tools use
 * (drafts 07 to 2020-12). Fetches nothing.
 */
import { hasSchemaIds, isRecord, leadsToSchema, suggest } from '@holdfast/core/internal/plain';
import type { PathStep } from '../problem.ts';
import { describeValue, quote } from '../shape/describe.ts';

/** One thing that is wrong in a JSON Schema. */
export interface SchemaFlaw {
  /** Path from the root of the schema to the value that is wrong. */
  readonly path: readonly PathStep[];
  /** The problem is the key, not its value. */
  readonly key?: boolean;
  /** The problem and the value. One sentence, no full stop. */
  readonly message: string;
  /** What is allowed. */
  readonly allowed?: string | undefined;
  /** A suggestion. */
  readonly suggestion?: string | undefined;
}

type Path = readonly PathStep[];
type Check = (value: unknown, path: Path, found: SchemaFlaw[], root: unknown) => void;

const types: readonly string[] = ['string', 'number', 'integer', 'boolean', 'object', 'array', 'null'];

const must =
  (fits: (value: unknown) => boolean, allowed: string): Check =>
  (value, path, found) => {
    if (!fits(value)) found.push({ path, message: `${quote(String(path.at(-1)))} is ${describeValue(value)}`, allowed });
  };

const finite = must((value) => typeof value === 'number' && Number.isFinite(value), 'a number');
const size = must((value) => Number.isInteger(value) && (value as number) >= 0, 'a whole number, 0 or more');
const flag = must((value) => typeof value === 'boolean', 'true or false');
const word = must((value) => typeof value === 'string', 'text');
const wordList = must((value) => Array.isArray(value) && value.every((entry) => typeof entry === 'string'), 'a list of strings');

const one: Check = (value, path, found, root) => {
  if (typeof value === 'boolean') return;
  if (isRecord(value)) return walk(value, path, found, root);
  found.push({
    path,
    message: `${quote(String(path.at(-1) ?? 'schema'))} is ${describeValue(value)}`,
    allowed: 'a schema: an object, true or false',
  });
};

const checkItems: Check = (value, path, found, root) => {
  if (!Array.isArray(value) || value.length === 0) return must(() => false, 'a non-empty list of schemas')(value, path, found, root);
  value.forEach((entry, index) => {
    one(entry, [...path, index], found, root);
  });
};

const oneOrMany: Check = (value, path, found, root) => (Array.isArray(value) ? checkItems : one)(value, path, found, root);

const checkProperties: Check = (value, path, found, root) => {
  if (!isRecord(value)) return must(() => false, 'an object of schemas')(value, path, found, root);
  for (const [name, entry] of Object.entries(value)) one(entry, [...path, name], found, root);
};

const pattern: Check = (value, path, found, root) => {
  if (typeof value !== 'string') return word(value, path, found, root);
  const flaw = regexFlaw(value);
  if (flaw) found.push({ path, message: `${describeValue(value)} is not a regular expression`, allowed: `a regular expression (${flaw})` });
};

const patterns: Check = (value, path, found, root) => {
  if (isRecord(value)) for (const name of Object.keys(value)) pattern(name, [...path, name], found, root);
  checkProperties(value, path, found, root);
};

const type: Check = (value, path, found) => {
  for (const entry of Array.isArray(value) ? value : [value]) {
    if (types.includes(entry as string)) continue;
    const suggestion = typeof entry === 'string' ? suggest(entry, types) : undefined;
    found.push({ path, message: `'type' is ${describeValue(entry)}`, allowed: types.join(', '), suggestion });
  }
};

const reference: Check = (value, path, found, root) => {
  if (typeof value !== 'string') return word(value, path, found, root);
  if (value.startsWith('#') && !leadsToSchema(value, root) && (isPointer(value) || !hasIds(root)))
    found.push({ path, message: `'$ref' ${describeValue(value)} does not resolve` });
  else if (!value.startsWith('#') && !hasIds(root)) {
    found.push({
      path,
      message: `'$ref' ${describeValue(value)} points outside the schema`,
      allowed: "a reference inside it, such as '#/$defs/name'",
    });
  }
};

/** Keywords that hold one schema. */
const holdingOne: readonly string[] = [
  'additionalProperties',
  'unevaluatedProperties',
  'additionalItems',
  'unevaluatedItems',
  'contains',
  'propertyNames',
  'not',
  'if',
  'then',
  'else',
];

const checks: Readonly<Record<string, Check>> = {
  type,
  $ref: reference,
  pattern,
  patternProperties: patterns,
  enum: must((value) => Array.isArray(value) && value.length > 0, 'a non-empty list of values'),
  required: wordList,
  format: word,
  description: word,
  title: word,
  uniqueItems: flag,
  minimum: finite,
  maximum: finite,
  exclusiveMinimum: must((value) => typeof value === 'number' || typeof value === 'boolean', 'a number'),
  exclusiveMaximum: must((value) => typeof value === 'number' || typeof value === 'boolean', 'a number'),
  multipleOf: must((value) => typeof value === 'number' && value > 0, 'a number above 0'),
  minLength: size,
  maxLength: size,
  minItems: size,
  maxItems: size,
  minContains: size,
  maxContains: size,
  minProperties: size,
  maxProperties: size,
  properties: checkProperties,
  $defs: checkProperties,
  definitions: checkProperties,
  dependentSchemas: checkProperties,
  items: oneOrMany,
  prefixItems: checkItems,
  allOf: checkItems,
  anyOf: checkItems,
  oneOf: checkItems,
  ...Object.fromEntries(holdingOne.map((keyword) => [keyword, one])),
};

/** The problems of a schema; empty if it is valid. */
export function schemaFlaws(schema: unknown): readonly SchemaFlaw[] {
  const found: SchemaFlaw[] = [];
  one(schema, [], found, schema);
  return found;
}

const deepest = 200;

function walk(schema: Readonly<Record<string, unknown>>, path: Path, found: SchemaFlaw[], root: unknown): void {
  if (path.length > deepest) {
    found.push({ path: [], message: 'the schema is nested too deeply' });
    return;
  }
  for (const [keyword, value] of Object.entries(schema)) {
    const check = Object.hasOwn(checks, keyword) ? checks[keyword] : undefined;
    if (check) check(value, [...path, keyword], found, root);
    else {
      const near = suggest(keyword, Object.keys(checks));
      const slip = near !== undefined && !keyword.startsWith('x-') && !annotations.has(keyword);
      if (slip)
        found.push({ path: [...path, keyword], key: true, message: `${quote(keyword)} is not a JSON Schema keyword`, suggestion: near });
    }
  }
}

/** Valid keywords that are similar to checked ones. */
const annotations: ReadonlySet<string> = new Set([
  '$id',
  'id',
  'const',
  'default',
  '$schema',
  '$anchor',
  '$comment',
  'example',
  'examples',
  'deprecated',
  'readOnly',
  'writeOnly',
  'dependencies',
  'dependentRequired',
  '$dynamicRef',
  '$dynamicAnchor',
  '$recursiveRef',
  '$recursiveAnchor',
  '$vocabulary',
  'nullable',
  'discriminator',
  'contentEncoding',
  'contentMediaType',
  'contentSchema',
  'markdownDescription',
]);

export function regexFlaw(source: string): string | undefined {
  try {
    void new RegExp(source, 'u');
    return undefined;
  } catch (error) {
    return (
      String((error as Error).message)
        .split(': ')
        .at(-1) ?? 'it does not compile'
    );
  }
}

/** References to names are resolved by the validator, in a schema with ids and anchors. */
const isPointer = (reference: string): boolean => reference === '#' || reference.startsWith('#/');
const hasIds = (root: unknown): boolean => hasSchemaIds(root, deepest);
