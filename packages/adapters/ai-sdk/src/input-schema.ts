/** Owns checking arguments against a tool's schema, and describing mismatches. */
import type { ValidationIssue } from '@holdfast/core';
import { describeIssues } from '@holdfast/adapter-kit';
import { compileLenientSchema } from '@holdfast/wire';
import { asSchema, type FlexibleSchema, jsonSchema, type Schema } from 'ai';

/** Adds validation to a JSON Schema without any, such as an MCP server's: its tool would otherwise run with any arguments. */
export function checkedSchema(given: unknown): unknown {
  if (typeof given !== 'object' || given === null || !('jsonSchema' in given) || (given as Schema).validate) return given;
  const schema = given as Schema;
  return jsonSchema(() => schema.jsonSchema, {
    validate: async (value) => {
      const issues = await issuesOf(schema, value).catch(() => []);
      return issues.length === 0 ? { success: true, value } : { success: false, error: new Error(describeIssues(issues)) };
    },
  });
}

/** Describes the mismatches of arguments; `undefined` if they match. */
export async function mismatchOf(schema: unknown, value: unknown): Promise<string | undefined> {
  const checked = await asSchema(schema as FlexibleSchema).validate?.(value);
  if (!checked || checked.success) return undefined;
  const { cause, message, issues = cause } = checked.error as Error & { readonly issues?: unknown };
  return Array.isArray(issues) && issues.length > 0 ? describeIssues(issues as readonly ValidationIssue[]) : message;
}

/** Throws for an unusable schema. */
const issuesOf = async (schema: Schema, value: unknown): Promise<readonly ValidationIssue[]> =>
  compileLenientSchema((await schema.jsonSchema) as Readonly<Record<string, unknown>>)(value);
