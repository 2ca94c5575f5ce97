/** Owns checking structured results against the output schema of their tool. */
import type { JsonObject } from '@holdfast/mcp-wire/server';
import { boundedCheck } from '../patterns/bounded-check.ts';

/** Returns the problems of a value as text; `undefined` if there are none, or if it cannot be checked. */
export type OutputCheck = (value: unknown, onUnchecked?: (reason: string) => void) => string | undefined;

/** At most this many issues are reported. */
const issuesLimit = 5;

/** The schema is compiled on first use. */
export function outputCheck(schema: JsonObject): OutputCheck {
  const check = boundedCheck(schema);
  return (value, onUnchecked) => {
    const { issues, unchecked } = check(value);
    if (issues.length > 0) return issues.slice(0, issuesLimit).map(describeIssue).join('; ');
    if (unchecked !== undefined) onUnchecked?.(unchecked);
    return undefined;
  };
}

function describeIssue({ path, message }: { readonly path: readonly (string | number)[]; readonly message: string }): string {
  return path.length === 0 ? message : `Field '${path.join('.')}': ${message}`;
}

/** Permanent: the tool has run, and a retry would run it again. */
export function contractError(tool: string, problem: string): Error {
  const error = new Error(`The structured content of ${tool} does not match its output schema: ${problem}`);
  return Object.assign(error, { name: 'ContractError', code: 'INVALID_RESPONSE', retryable: false });
}
