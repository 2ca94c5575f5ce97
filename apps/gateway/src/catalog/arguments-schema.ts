/**
 * Owns checking arguments against the schemas of servers.
 *
 * Invariants
 * 1. A schema that is not usable, or that takes too long, checks nothing: its mistakes are not the client's. The trace says so.
 * 2. Valid arguments stay the same object. Otherwise, a `null` for an optional argument is treated as absent.
 */
import type { StandardSchema } from '@holdfast/core';
import { isJsonObject, type JsonObject } from '@holdfast/mcp-wire/server';
import type { SchemaIssue } from '@holdfast/wire';
import { boundedCheck } from '../patterns/bounded-check.ts';

type Result = ReturnType<StandardSchema['~standard']['validate']>;

/** The schema is compiled on first use. */
export function argumentsSchema(schema: JsonObject): StandardSchema {
  const check = boundedCheck(schema);
  const validate = (value: unknown): Result => {
    const { issues, unchecked } = check(value);
    if (issues.length === 0) {
      // The service notes a schema that throws in the trace, and runs the tool.
      if (unchecked !== undefined) throw new Error(unchecked);
      return { value };
    }
    const given = withoutNulls(value, issues, schema['required']);
    if (given !== value && check(given).issues.length === 0) return { value: given };
    return { issues: issues.map(toIssue) };
  };
  return { '~standard': { version: 1, vendor: 'holdfast', validate } };
}

/** Removes the `null`s with which models mark absent arguments; a `null` that the schema allows stays. */
function withoutNulls(value: unknown, issues: readonly SchemaIssue[], required: unknown): unknown {
  if (!isJsonObject(value)) return value;
  const needed: readonly unknown[] = Array.isArray(required) ? required : [];
  const wrong = new Set(issues.flatMap(({ path }) => (path.length === 1 && value[String(path[0])] === null ? [String(path[0])] : [])));
  const given = Object.entries(value).filter(([name]) => !wrong.has(name) || needed.includes(name));
  return given.length === Object.keys(value).length ? value : Object.fromEntries(given);
}

/** Includes the allowed values, among which a suggestion is searched. */
function toIssue({ path, message, allowed }: SchemaIssue): {
  readonly path: readonly (string | number)[];
  readonly message: string;
  readonly values?: readonly unknown[];
} {
  return { path, message, ...(allowed === undefined ? {} : { values: allowed }) };
}
