/** Owns the words for arguments that a framework or a parser has rejected, by its own issues: field by field, with what was sent. */
import type { StandardIssue } from '@holdfast/core';
import { describeIssues, issuesOfStandard } from '@holdfast/core/internal';
import { attempt } from './attempt.ts';

export const noMatch = 'The arguments do not match the schema';

/**
 * Describes why arguments were rejected in the words of the framework's own issues, or of its error. Never throws.
 * @param value the arguments, as far as they could be read
 * @param error what the framework threw; its `issues`, or those of its cause, are of a Standard Schema
 */
export function describeRejection(value: unknown, error: unknown): string {
  const issues = attempt(() => issuesOfStandard(issuesIn(error), value)) ?? [];
  return describeIssues(issues, value, 'parameter').join('; ') || `${noMatch}: ${messageOf(error)}`;
}

function issuesIn(error: unknown): readonly StandardIssue[] {
  const { issues, cause } = Object(error) as { readonly issues?: unknown; readonly cause?: unknown };
  const { issues: inside } = Object(cause) as { readonly issues?: unknown };
  return [issues, inside].find((list): list is readonly StandardIssue[] => Array.isArray(list)) ?? [];
}

function messageOf(error: unknown): string {
  const message = attempt(() => (Object(error) as { readonly message?: unknown }).message);
  return typeof message === 'string' ? message : 'validation failed';
}
