/** Owns reading what a framework's handler throws. Never throws itself, whatever that is. */
import type { ClientTool } from '@langchain/core/tools';
import { ToolValidationError } from '@holdfast/core/agent';
import { compileJsonSchema } from '@holdfast/wire';
import { schemaOf } from './tools.ts';

/** What LangGraph throws to steer itself; it says so in this field. */
export function isSteering(error: unknown): boolean {
  return fieldOf(error, 'is_bubble_up') === true;
}

/** How LangChain begins when it turns arguments down. */
const turnedDown = 'Received tool input did not match expected schema';

/** What the service is told: arguments that were turned down are a matter for the model, not a failure of the tool. */
export function wordedFailure(error: unknown, tool: ClientTool | undefined, args: unknown): unknown {
  const message = fieldOf(fieldOf(error, 'toolError') ?? error, 'message');
  if (typeof message !== 'string' || !message.startsWith(turnedDown)) return error;
  return new ToolValidationError(sayIssues(tool, args) ?? message, { cause: error });
}

function sayIssues(tool: ClientTool | undefined, args: unknown): string | undefined {
  try {
    const schema = schemaOf(tool);
    const issues = schema ? compileJsonSchema(schema)(args) : [];
    return issues.length === 0 ? undefined : issues.map(({ message }) => message).join('; ');
  } catch {
    return undefined;
  }
}

/** For tools that are not ours. */
export function textOfFailure(error: unknown): string {
  const message = typeof error === 'string' ? error : fieldOf(error, 'message');
  return `Error: ${typeof message === 'string' && message !== '' ? message : 'the tool failed and did not say why'}`;
}

function fieldOf(value: unknown, name: string): unknown {
  try {
    return (Object(value) as Readonly<Record<string, unknown>>)[name];
  } catch {
    return undefined;
  }
}
