/**
 * Owns checking arguments against schemas that servers wrote.
 *
 * Invariants
 * 1. A schema that cannot be used checks nothing: its mistakes are not the client's.
 * 2. Arguments that fit stay the same object. Where they do not, a `null` in the place of an optional argument means that it is not given.
 */
import type { StandardSchema } from '@holdfast/core';
import { isJsonObject, type JsonObject } from '@holdfast/mcp-wire/server';
import { compileLenientSchema, type SchemaIssue } from '@holdfast/wire';

type Result = ReturnType<StandardSchema['~standard']['validate']>;

/** Compiled when first used. */
export function argumentsSchema(schema: JsonObject): StandardSchema {
  const check = compileLenientSchema(schema);
  let isUsable = true;
  const validate = (value: unknown): Result => {
    if (!isUsable) return { value };
    try {
      const issues = check(value);
      if (issues.length === 0) return { value };
      const given = withoutNulls(value, issues, schema['required']);
      if (given !== value && check(given).length === 0) return { value: given };
      return { issues: issues.map(toIssue) };
    } catch {
      isUsable = false;
      return { value };
    }
  };
  return { '~standard': { version: 1, vendor: 'holdfast', validate } };
}

/** As models write what they do not give; a `null` that the schema takes stays. */
function withoutNulls(value: unknown, issues: readonly SchemaIssue[], required: unknown): unknown {
  if (!isJsonObject(value)) return value;
  const needed: readonly unknown[] = Array.isArray(required) ? required : [];
  const wrong = new Set(issues.flatMap(({ path }) => (path.length === 1 && value[String(path[0])] === null ? [String(path[0])] : [])));
  const given = Object.entries(value).filter(([name]) => !wrong.has(name) || needed.includes(name));
  return given.length === Object.keys(value).length ? value : Object.fromEntries(given);
}

/** With the allowed values, which a name that was meant is looked for among. */
function toIssue({ path, message, allowed }: SchemaIssue): {
  readonly path: readonly (string | number)[];
  readonly message: string;
  readonly values?: readonly unknown[];
} {
  return { path, message, ...(allowed === undefined ? {} : { values: allowed }) };
}
