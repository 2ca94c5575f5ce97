/** Owns how a tool fails: as the SDK does, with its own `errorFunction`, and with an output that breaks its schema. */
import type { FunctionTool, RunContext } from '@openai/agents';
import { tool } from '@openai/agents';

type Execute<Details> = (args: unknown, context: RunContext, details: Details) => unknown;

/** Checks the output of a tool as the SDK does. */
export function withOutputSchema<Details>(execute: Execute<Details>, outputSchema: unknown): Execute<Details> {
  const { parse } = Object(outputSchema) as { readonly parse?: (output: unknown) => unknown };
  if (!parse) return execute;
  return async (args, context, details) => {
    const output = await execute(args, context, details);
    try {
      return parse.call(outputSchema, output);
    } catch (error) {
      throw new ToolOutputError(output, error);
    }
  };
}

/** The same tool, but it only fails. The SDK finds itself what is wrong with an output. */
export function failingTool(options: object, error: unknown): FunctionTool {
  const execute = (): unknown => (error instanceof ToolOutputError ? error.output : Promise.reject(error as Error));
  return tool({ ...options, execute } as never) as FunctionTool;
}

/** The tool has run: an output that breaks its schema must not be told as wrong arguments, and is no reason to repeat the call. */
class ToolOutputError extends Error {
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
