/** Owns checking structured answers against the schema their tool has promised. */
import type { JsonObject } from '@holdfast/mcp-wire/server';
import { compileLenientSchema } from '@holdfast/wire';

/** What is wrong with a value, in words; `undefined` where nothing is, or where the schema is none. */
export type OutputCheck = (value: unknown) => string | undefined;

/** Issues beyond these tell nothing new. */
const issuesLimit = 5;

/** Compiled when first used. */
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

/** Permanent: the tool has run, and asking again would run it again. */
export function contractError(tool: string, problem: string): Error {
  const error = new Error(`The structured content of ${tool} breaks its output schema: ${problem}`);
  return Object.assign(error, { name: 'ContractError', code: 'INVALID_RESPONSE', retryable: false });
}
