/**
 * Owns checking arguments against schemas that servers wrote.
 *
 * Invariants
 * 1. A schema that cannot be used checks nothing: its mistakes are not the client's.
 * 2. Arguments that fit stay the same object. Those that only have another form (`"5"` for 5, `null` for what is not given) are mended, if they fit then.
 */
import type { StandardSchema } from '@holdfast/core';
import type { JsonObject } from '@holdfast/mcp-wire/server';
import { coerce, compileJsonSchema, type SchemaIssue } from '@holdfast/wire';

type Result = ReturnType<StandardSchema['~standard']['validate']>;

/** Compiled when first used. */
export function argumentsSchema(schema: JsonObject): StandardSchema {
  const check = compileJsonSchema(schema);
  let isUsable = true;
  const validate = (value: unknown): Result => {
    if (!isUsable) return { value };
    try {
      const issues = check(value);
      if (issues.length === 0) return { value };
      const mended = coerce(value, schema);
      if (mended.coercions.length > 0 && check(mended.value).length === 0) return { value: mended.value };
      return { issues: issues.map(told) };
    } catch {
      isUsable = false;
      return { value };
    }
  };
  return { '~standard': { version: 1, vendor: 'holdfast', validate } };
}

/** With the allowed values, which a name that was meant is looked for among. */
function told({ path, message, allowed }: SchemaIssue): {
  readonly path: readonly (string | number)[];
  readonly message: string;
  readonly values?: readonly unknown[];
} {
  return { path, message, ...(allowed === undefined ? {} : { values: allowed }) };
}
