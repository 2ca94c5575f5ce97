/** Owns the words for arguments that do not match their schema, the same in all adapters: field by field, with what was sent. */
import type { JsonSchema, ValidationIssue } from '@holdfast/core';
import { describeIssues } from '@holdfast/core/internal';
import { checkRule } from '@holdfast/core/internal/plain';
import type { SchemaIssue } from '@holdfast/wire';
import { compileLenientSchema } from '@holdfast/wire';
import { attempt } from './attempt.ts';
import { describeRejection, noMatch } from './describe-rejection.ts';

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
export function describeMismatch(rejected: RejectedArguments): string {
  checkRule('object', rejected, 'describeMismatch: rejected');
  const { value, schema, error, hidesValues = false } = rejected;
  const own = (schema && attempt(() => compileLenientSchema(schema)(value))) ?? [];
  if (hidesValues) return describeIssues(own.flatMap(withoutValue), undefined, 'parameter').join('; ') || noMatch;
  return describeIssues(own, value, 'parameter').join('; ') || describeRejection(value, error);
}

/** An issue in the words of the schema. A name that the schema does not know was made up by the model. */
function withoutValue({ path, keyword, expected, missing }: SchemaIssue): readonly ValidationIssue[] {
  if (missing) return [{ path, message: 'is required', missing }];
  return isAboutName(keyword) ? [] : [{ path, message: `must be ${expected}` }];
}

const isAboutName = (keyword: string): boolean => /propert/i.test(keyword);
