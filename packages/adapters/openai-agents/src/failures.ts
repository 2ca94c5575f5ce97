/** Owns an output that breaks its schema: a failure of the attempt, and in the end what the SDK finds itself. */
import type { RunContext } from '@openai/agents';

type Execute<Details> = (args: unknown, context: RunContext, details: Details) => unknown;

/** Checks the output of a tool as the SDK does, which checks and transforms it again. */
export function withOutputSchema<Details>(execute: Execute<Details>, outputSchema: unknown): Execute<Details> {
  const { parse } = Object(outputSchema) as { readonly parse?: (output: unknown) => unknown };
  if (!parse) return execute;
  return async (args, context, details) => {
    const output = await execute(args, context, details);
    try {
      parse.call(outputSchema, output);
      return output;
    } catch (error) {
      throw new ToolOutputError(output, error);
    }
  };
}

/** The tool has run: an output that breaks its schema must not be told as wrong arguments, and is no reason to repeat the call. */
export class ToolOutputError extends Error {
  override readonly name = 'ToolOutputError';
  readonly ambiguous = true;
  declare readonly output: unknown;

  constructor(output: unknown, cause: unknown) {
    const { issues, message } = Object(cause) as { readonly issues?: unknown; readonly message?: unknown };
    const described = Array.isArray(issues) ? (issues as readonly Issue[]).map(describeIssue) : [String(message)];
    super(`The output of the tool does not match its schema: ${described.join('; ')}`, { cause });
    Object.defineProperty(this, 'output', { value: output, enumerable: false });
  }
}

interface Issue {
  readonly path?: readonly PropertyKey[];
  readonly message?: unknown;
}

const describeIssue = ({ path = [], message }: Issue): string =>
  [path.map(String).join('.'), String(message)].filter((part) => part !== '').join(': ');

export const outputErrorPolicy = { classification: [{ name: 'ToolOutputError', as: 'permanent', category: 'contract' }] } as const;
