/**
 * Owns `compileLenientSchema`: a JSON Schema becomes a check whose issues say where, what was expected, what came and what was probably meant.
 * The validating is @cfworker/json-schema's: it generates no code, so it runs where `eval` is forbidden.
 *
 * Invariants
 * 1. The given schema is neither changed nor kept: it may be frozen.
 * 2. Nothing is compiled before the first value.
 * 3. A check never throws for a value; what cannot be checked is an issue. It throws for a schema that cannot be used at all.
 */
import { type OutputUnit, type Schema as LibrarySchema, type SchemaDraft, Validator } from '@cfworker/json-schema';
import type { JsonSchema } from '@holdfast/core';
import { cleanJsonSchema, type SchemaWarning } from './clean-schema.ts';
import { issuesOf, type SchemaIssue } from './schema-issues.ts';

/** The mismatches of a value; none when it fits. */
export interface JsonSchemaCheck {
  /** Checks a value. Returns what does not fit the schema; an empty list if all of it does. */
  (value: unknown): readonly SchemaIssue[];
  /** What in the schema could not be read and is not checked. Compiles the schema. */
  readonly warnings: readonly SchemaWarning[];
}

/** A schema that is ready to check values. */
interface Compiled {
  readonly schema: unknown;
  readonly validator: Validator;
  readonly warnings: readonly SchemaWarning[];
}

/**
 * Makes a check of a JSON Schema (drafts 04 to 2020-12, or a provider's dialect of it). Give it to a service as `jsonSchema`.
 * The schema is tidied first: foreign words are translated; what cannot be read is left out of the check and told in `warnings`.
 *
 * The check throws a TypeError when nothing of the schema can be used, such as a `$ref` in a circle. A service tells that as a warning and runs the tool.
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
    // The library resolves a reference only when it meets one; values of every kind meet most of them.
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

/** A value with `undefined` or the like in it is judged as the JSON it would become. */
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
