/**
 * Owns `compileJsonSchema`: a JSON Schema becomes a validator whose issues say where, what was expected and what was probably meant.
 * The validating is @cfworker/json-schema's: it generates no code, so it runs where `eval` is forbidden.
 *
 * Invariants
 * 1. The given schema is neither changed nor kept: it may be frozen.
 * 2. Validation never throws; what cannot be checked is an issue.
 */
import { type OutputUnit, type Schema as LibrarySchema, type SchemaDraft, Validator } from '@cfworker/json-schema';
import type { JsonSchema } from '@holdfast/core';
import { pathText } from '../problem.ts';
import { type SchemaFlaw, schemaFlaws } from './check.ts';
import { issuesOf, type SchemaIssue } from './issues.ts';

/** The mismatches of a value; none when it fits. */
export type JsonSchemaValidator = (value: unknown) => readonly SchemaIssue[];

/**
 * Compiles a JSON Schema (drafts 04 to 2020-12, 2020-12 unless `$schema` says otherwise). Give it to a service as `jsonSchema`.
 *
 * @throws TypeError when the schema is none, naming the place, the value and what is allowed.
 */
export function compileJsonSchema(schema: JsonSchema): JsonSchemaValidator {
  const [flaw] = checkJsonSchema(schema);
  if (flaw) throw new TypeError(sayFlaw(flaw));
  const own = structuredClone(schema);
  const validator = validatorOf(own);
  return (value) => issuesOf(mismatches(validator, value), own, value);
}

/** What keeps a schema from compiling, all of it. Empty: it compiles. Never throws. */
export function checkJsonSchema(schema: unknown): readonly SchemaFlaw[] {
  const flaws = schemaFlaws(schema);
  if (flaws.length > 0) return flaws;
  try {
    const validator = validatorOf(schema as JsonSchema);
    // The library resolves a reference only when it meets one; values of every kind meet most of them.
    for (const value of [{}, [], '', 0]) validator.validate(value);
    return [];
  } catch (error) {
    return [{ path: [], message: `the schema does not compile: ${firstLine(error)}` }];
  }
}

const validatorOf = (schema: JsonSchema): Validator => new Validator(structuredClone(schema) as LibrarySchema, draftOf(schema), false);

function sayFlaw({ path, message, allowed, suggestion }: SchemaFlaw): string {
  const place = path.length === 0 ? 'JSON Schema' : `JSON Schema at ${pathText(path)}`;
  const mend = allowed === undefined ? '' : ` Allowed: ${allowed}.`;
  return `${place}: ${message}.${suggestion === undefined ? '' : ` Did you mean '${suggestion}'?`}${mend}`;
}

function draftOf(schema: JsonSchema | boolean): SchemaDraft {
  const dialect = typeof schema === 'object' ? schema['$schema'] : undefined;
  const named = typeof dialect === 'string' ? dialect : '';
  if (named.includes('draft-04')) return '4';
  if (named.includes('draft-07') || named.includes('draft-06')) return '7';
  return named.includes('2019-09') ? '2019-09' : '2020-12';
}

function mismatches(validator: Validator, value: unknown): readonly OutputUnit[] {
  try {
    return validator.validate(value).errors;
  } catch (error) {
    return again(validator, value) ?? [failure(error)];
  }
}

/** A value with `undefined` or the like in it is judged as the JSON it would become. */
function again(validator: Validator, value: unknown): readonly OutputUnit[] | undefined {
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
