/** Owns the words for arguments that do not match their schema, the same in all adapters: field by field, with what was sent. */
import type { JsonSchema, StandardIssue, ValidationIssue } from '@holdfast/core';
import { describeIssues, issuesOfStandard } from '@holdfast/core/internal';
import type { SchemaIssue } from '@holdfast/wire';
import { compileLenientSchema } from '@holdfast/wire';
import { attempt } from './attempt.ts';

/** Arguments that a framework, or the parser of a tool, has rejected. */
export interface RejectedArguments {
  /** The arguments, as far as they could be read. */
  readonly value: unknown;
  /** The JSON Schema that the model was shown. */
  readonly schema: JsonSchema | undefined;
  /** What the framework threw; its `issues`, or those of its cause, are of a Standard Schema. */
  readonly error?: unknown;
  /** Whether only the schema may be told, and nothing of what was sent. @default false */
  readonly hidesValues?: boolean | undefined;
}

/**
 * Describes why arguments were rejected: in the words of the JSON Schema if they break it, otherwise in those of the framework's own issues, or of its error. Never
 * throws.
 */
export function describeMismatch({ value, schema, error, hidesValues = false }: RejectedArguments): string {
  const own = (schema && attempt(() => compileLenientSchema(schema)(value))) ?? [];
  if (hidesValues) return describeIssues(own.flatMap(withoutValue), undefined, 'parameter').join('; ') || noMatch;
  const issues = own.length > 0 ? own : (attempt(() => issuesOfStandard(issuesIn(error), value)) ?? []);
  return describeIssues(issues, value, 'parameter').join('; ') || `${noMatch}: ${messageOf(error)}`;
}

const noMatch = 'The arguments do not match the schema';

/** An issue in the words of the schema. A name that the schema does not know was made up by the model. */
function withoutValue({ path, keyword, expected, missing }: SchemaIssue): readonly ValidationIssue[] {
  if (missing) return [{ path, message: 'is required', missing }];
  return isAboutName(keyword) ? [] : [{ path, message: `must be ${expected}` }];
}

const isAboutName = (keyword: string): boolean => /propert/i.test(keyword);

function issuesIn(error: unknown): readonly StandardIssue[] {
  const { issues, cause } = Object(error) as { readonly issues?: unknown; readonly cause?: unknown };
  const { issues: inside } = Object(cause) as { readonly issues?: unknown };
  return [issues, inside].find((list): list is readonly StandardIssue[] => Array.isArray(list)) ?? [];
}

function messageOf(error: unknown): string {
  const message = attempt(() => (Object(error) as { readonly message?: unknown }).message);
  return typeof message === 'string' ? message : 'validation failed';
}
