/** Owns checking structured results against the output schema of their tool. */
import type { JsonObject } from '@holdfast/mcp-wire/server';
import { compileLenientSchema } from '@holdfast/wire';

/** Returns the problems of a value as text; `undefined` if there are none, or if the schema is not usable. */
export type OutputCheck = (value: unknown) => string | undefined;

/** At most this many issues are reported. */
const issuesLimit = 5;

/** The schema is compiled on first use. */
export function outputCheck(schema: JsonObject): OutputCheck {
  let check: ReturnType<typeof compileLenientSchema> | undefined;
  let isUsable = true;
  return (value) => {
    if (!isUsable) return undefined;
    try {
      check ??= compileLenientSchema(schema);
      const issues = check(value);
      return issues.length === 0 ? undefined : issues.slice(0, issuesLimit).map(describeIssue).join('; ');
    } catch {
      isUsable = false;
      return undefined;
    }
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
