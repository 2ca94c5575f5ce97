/**
 * Owns checking values against schemas of servers, in bounded time. Does not own what follows from the result.
 *
 * Invariant: a schema that is not usable checks nothing.
 */
import type { JsonObject } from '@holdfast/mcp-wire/server';
import { compileLenientSchema, type SchemaIssue } from '@holdfast/wire';
import { linearPatterns } from './linear-patterns.ts';

export interface BoundedCheck {
  readonly issues: readonly SchemaIssue[];
  /** Why the value, or a part of it, was not checked. */
  readonly unchecked: string | undefined;
}

/** The schema is compiled on first use. */
export function boundedCheck(schema: JsonObject): (value: unknown) => BoundedCheck {
  let reasons: readonly string[] = [];
  let isUsable = true;
  const check = compileLenientSchema(schema, { patterns: linearPatterns, onUnchecked: (given) => (reasons = given) });
  return (value) => {
    if (!isUsable) return { issues: [], unchecked: undefined };
    reasons = [];
    try {
      const issues = check(value);
      return { issues, unchecked: reasons.length === 0 ? undefined : `not checked entirely: ${reasons.join('; ')}` };
    } catch {
      isUsable = false;
      return { issues: [], unchecked: 'the schema cannot be used' };
    }
  };
}
