/**
 * Owns `compileJsonSchema` and `checkJsonSchema` for schemas that are written by hand: a mistake in one is told, where `@holdfast/wire` would tidy it away.
 * Does not own the checking of values: that is `@holdfast/wire`'s.
 */
import type { JsonSchema } from '@holdfast/core';
import { compileLenientSchema, type SchemaIssue } from '@holdfast/wire';
import { pathText } from '../problem.ts';
import { type SchemaFlaw, schemaFlaws } from './check.ts';

/** The mismatches of a value; none when it fits. */
export type JsonSchemaValidator = (value: unknown) => readonly SchemaIssue[];

/**
 * Compiles a JSON Schema (drafts 04 to 2020-12, 2020-12 unless `$schema` says otherwise). Give it to a service as `jsonSchema`.
 * For schemas of servers and providers, which you cannot fix, take `compileLenientSchema` of `@holdfast/wire`.
 *
 * @throws TypeError when the schema is none, naming the place, the value and what is allowed.
 */
export function compileJsonSchema(schema: JsonSchema): JsonSchemaValidator {
  const [flaw] = checkJsonSchema(schema);
  if (flaw) throw new TypeError(describeFlaw(flaw));
  return compileLenientSchema(schema);
}

/** What keeps a schema from compiling, all of it. Empty: it compiles. Never throws. */
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
