/**
 * Owns `compileLenientSchema`: compiles a JSON Schema to a check whose issues contain the path, the expected and received value, and a suggestion.
 * Validation uses @cfworker/json-schema, which generates no code and therefore runs where `eval` is forbidden.
 *
 * Invariants
 * 1. The given schema is neither modified nor retained: it may be frozen.
 * 2. Nothing is compiled before the first check.
 * 3. A check never throws for a value; a value that cannot be checked is an issue. It throws for an unusable schema.
 */
import { type OutputUnit, type Schema as LibrarySchema, type SchemaDraft, Validator } from '@cfworker/json-schema';
import type { JsonSchema } from '@holdfast/core';
import { cleanJsonSchema, type SchemaWarning } from './clean-schema.ts';
import { issuesOf, type SchemaIssue } from './schema-issues.ts';

/** A compiled check of values against a JSON Schema. */
export interface JsonSchemaCheck {
  /** Checks a value. Returns its mismatches with the schema; an empty list if there are none. */
  (value: unknown): readonly SchemaIssue[];
  /** Parts of the schema that could not be read and are not checked. Compiles the schema. */
  readonly warnings: readonly SchemaWarning[];
}

/** A compiled schema. */
interface Compiled {
  readonly schema: unknown;
  readonly validator: Validator;
  readonly warnings: readonly SchemaWarning[];
}

/**
 * Compiles a JSON Schema (drafts 04 to 2020-12, or a provider's dialect of it) to a check. Pass it to a service as `jsonSchema`.
 * The schema is cleaned first: keywords of other dialects are translated; unreadable parts are not checked and are listed in `warnings`.
 *
 * The check throws a TypeError if the schema is unusable, such as one with a circular `$ref`. A service reports that as a warning and runs the tool.
 */
export function compileLenientSchema(schema: JsonSchema): JsonSchemaCheck {
  let compiled: Compiled | undefined;
  const ready = (): Compiled => (compiled ??= compile(schema));
  const check = (value: unknown): readonly SchemaIssue[] => {
    const { validator, schema: clean } = ready();
    return issuesOf(mismatches(validator, value), clean, value);
  };
  return Object.defineProperty(check, 'warnings', { get: () => ready().warnings }) as JsonSchemaCheck;
}

function compile(given: JsonSchema): Compiled {
  const { schema, warnings } = cleanJsonSchema(given);
  try {
    const validator = new Validator(cleanJsonSchema(given).schema as LibrarySchema, draftOf(given), false);
    // The library resolves references lazily; checking one value of each kind resolves most of them.
    for (const value of [{}, [], '', 0]) validator.validate(value);
    return { schema, validator, warnings };
  } catch (error) {
    throw new TypeError(`the schema does not compile: ${firstLine(error)}`);
  }
}

export function draftOf(schema: JsonSchema): SchemaDraft {
  const dialect = schema['$schema'];
  const named = typeof dialect === 'string' ? dialect : '';
  if (named.includes('draft-04')) return '4';
  if (named.includes('draft-07') || named.includes('draft-06')) return '7';
  return named.includes('2019-09') ? '2019-09' : '2020-12';
}

function mismatches(validator: Validator, value: unknown): readonly OutputUnit[] {
  try {
    return validator.validate(value).errors;
  } catch (error) {
    return validateAsJson(validator, value) ?? [failure(error)];
  }
}

/** Checks a value that contains `undefined` or the like as the JSON it would become. */
function validateAsJson(validator: Validator, value: unknown): readonly OutputUnit[] | undefined {
  try {
    const plain: unknown = JSON.parse(JSON.stringify(value) ?? 'null');
    return validator.validate(plain).errors;
  } catch {
    return undefined;
  }
}

const failure = (error: unknown): OutputUnit => ({
  keyword: 'unchecked',
  keywordLocation: '#',
  instanceLocation: '#',
  error: firstLine(error),
});

function firstLine(error: unknown): string {
  const message = typeof error === 'object' && error !== null ? (error as { readonly message?: unknown }).message : error;
  return String(message).split('\n')[0] ?? '';
}
