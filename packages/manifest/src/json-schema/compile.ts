/**
 * Owns `compileJsonSchema` and `checkJsonSchema` for handwritten schemas: mistakes are reported, while `@holdfast/wire` repairs them.
 * Does not own the validation of values (`@holdfast/wire`).
 */
import type { JsonSchema } from '@holdfast/core';
import { compileLenientSchema, type SchemaIssue } from '@holdfast/wire';
import { pathText } from '../problem.ts';
import { type SchemaFlaw, schemaFlaws } from './check.ts';

/** The issues of a value; empty if it is valid. */
export type JsonSchemaValidator = (value: unknown) => readonly SchemaIssue[];

/**
 * Compiles a JSON Schema (drafts 04 to 2020-12; 2020-12 without `$schema`). Pass it to a service as `jsonSchema`.
 * For schemas of servers and providers, which you cannot fix, use `compileLenientSchema` of `@holdfast/wire`.
 *
 * @throws TypeError for an invalid schema; the message has the path, the value and what is allowed.
 */
export function compileJsonSchema(schema: JsonSchema): JsonSchemaValidator {
  const [flaw] = checkJsonSchema(schema);
  if (flaw) throw new TypeError(describeFlaw(flaw));
  return compileLenientSchema(schema);
}

/** All problems of a schema; empty if it compiles. Never throws. */
export function checkJsonSchema(schema: unknown): readonly SchemaFlaw[] {
  const flaws = schemaFlaws(schema);
  if (flaws.length > 0 || typeof schema === 'boolean') return flaws;
  try {
    const [warning] = compileLenientSchema(schema as JsonSchema).warnings;
    return warning ? [{ path: warning.path.split('/').slice(1), message: warning.message }] : [];
  } catch (error) {
    return [{ path: [], message: String((error as Error).message) }];
  }
}

function describeFlaw({ path, message, allowed, suggestion }: SchemaFlaw): string {
  const place = path.length === 0 ? 'JSON Schema' : `JSON Schema at ${pathText(path)}`;
  const hint = allowed === undefined ? '' : ` Allowed: ${allowed}.`;
  return `${place}: ${message}.${suggestion === undefined ? '' : ` Did you mean '${suggestion}'?`}${hint}`;
}
