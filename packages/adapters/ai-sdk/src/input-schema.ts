/** Owns checking arguments against a tool's schema, and describing mismatches. */
import type { JsonSchema, ValidationIssue } from '@holdfast/core';
import { describeMismatch, describeRejection } from '@holdfast/adapter-kit';
import { compileLenientSchema } from '@holdfast/wire';
import { asSchema, type FlexibleSchema, jsonSchema, type Schema } from 'ai';

/** Adds validation to a JSON Schema without any, such as an MCP server's: its tool would otherwise run with any arguments. */
export function checkedSchema(given: unknown): unknown {
  if (typeof given !== 'object' || given === null || !('jsonSchema' in given) || (given as Schema).validate) return given;
  const schema = given as Schema;
  return jsonSchema(() => schema.jsonSchema, {
    validate: async (value) => {
      const issues = await issuesOf(schema, value).catch(() => []);
      if (issues.length === 0) return { success: true, value };
      return { success: false, error: new Error(describeRejection(value, { issues })) };
    },
  });
}

/** Describes the mismatches of arguments; `undefined` if they match. */
export async function mismatchOf(schema: unknown, shown: JsonSchema, value: unknown): Promise<string | undefined> {
  const checked = await asSchema(schema as FlexibleSchema).validate?.(value);
  return !checked || checked.success ? undefined : describeMismatch({ value, schema: shown, error: checked.error });
}

/** The JSON Schema that the model is shown, where it is known without waiting. */
export function shownSchema(schema: unknown): JsonSchema | undefined {
  try {
    const shown = asSchema(schema as FlexibleSchema).jsonSchema as JsonSchema;
    return 'then' in shown ? undefined : shown;
  } catch {
    return undefined;
  }
}

/** Throws for an unusable schema. */
const issuesOf = async (schema: Schema, value: unknown): Promise<readonly ValidationIssue[]> =>
  compileLenientSchema((await schema.jsonSchema) as Readonly<Record<string, unknown>>)(value);
