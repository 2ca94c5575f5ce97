/** Owns checking arguments by a tool's schema, and saying what does not fit. */
import type { ValidationIssue } from '@holdfast/core';
import { describeIssues } from '@holdfast/adapter-kit';
import { compileLenientSchema } from '@holdfast/wire';
import { asSchema, type FlexibleSchema, jsonSchema, type Schema } from 'ai';

/** A JSON Schema without a check of its own, such as an MCP server's, gets one: else its tool would run with anything. */
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

/** What is wrong with arguments, in words; `undefined` when they fit. */
export async function mismatchOf(schema: unknown, value: unknown): Promise<string | undefined> {
  const checked = await asSchema(schema as FlexibleSchema).validate?.(value);
  if (!checked || checked.success) return undefined;
  const { cause, message, issues = cause } = checked.error as Error & { readonly issues?: unknown };
  return Array.isArray(issues) && issues.length > 0 ? describeIssues(issues as readonly ValidationIssue[]) : message;
}

/** A schema that cannot be used at all throws. */
const issuesOf = async (schema: Schema, value: unknown): Promise<readonly ValidationIssue[]> =>
  compileLenientSchema((await schema.jsonSchema) as Readonly<Record<string, unknown>>)(value);
