/** Owns the accepted forms of a tool, the SDK's runnable tools and definitions with a function, and converting them for the service. */
import type { BetaRunnableTool, BetaToolRunContext } from '@anthropic-ai/sdk/lib/tools/BetaRunnableTool';
import type { Tool, ToolUnion } from '@anthropic-ai/sdk/resources/messages/messages';
import type { AttemptContext, JsonSchema, StandardIssue, StandardSchema } from '@holdfast/core';
import type { FrameworkTool } from '@holdfast/adapter-kit';
import { compileLenientSchema } from '@holdfast/wire';

/** The context of a tool's function: that of the SDK's runner, and details of the attempt. */
export interface RunContext extends BetaToolRunContext, Omit<AttemptContext, 'signal'> {
  /** Aborted at the timeout and when the caller cancels. */
  readonly signal: AbortSignal;
}

/** A tool definition for `messages.create`, with the function that runs it. */
export interface ToolFunction extends Omit<Tool, 'input_schema'> {
  /** JSON Schema of the arguments object. */
  readonly input_schema: Readonly<Record<string, unknown>>;
  /** Runs the tool with arguments that fit the schema. Its return value is the output; a thrown error is a failed attempt. */
  readonly run: (args: never, context: RunContext) => unknown;
}

/** A tool of the SDK's runner. Its function is declared as that of a `ToolFunction`, so that the compiler infers the parameters of either. */
export type RunnableTool<Given = BetaRunnableTool> = Given extends unknown ? Omit<Given, 'run'> & Pick<ToolFunction, 'run'> : never;

/** A tool with a function, or one run by Anthropic, which is offered unchanged. */
export type ReliableTool = RunnableTool | ToolFunction | ToolUnion;

/** What the SDK's runner passes for a call. */
interface RunnerCall {
  /** The block that called the tool, if there is one. */
  readonly toolUse: BetaToolRunContext['toolUse'] | undefined;
  readonly signal: AbortSignal | undefined;
}

/** Runs a tool, with what the SDK's runner passes in place of what is made for the attempt. */
type Run = (args: unknown, context: AttemptContext, call?: RunnerCall) => unknown;

export interface ReadTool {
  readonly source: FrameworkTool;
  readonly given: BetaRunnableTool;
  readonly run: Run;
}

/** A `ToolError` is a message for the model, so retrying would not help. */
const toolErrorPolicy = { classification: [{ name: 'ToolError', as: 'permanent' }] } as const;

/** `undefined` for a tool that is not run here. @throws TypeError for a function without a name */
export function readTool(tool: ReliableTool): ReadTool | undefined {
  const given = tool as BetaRunnableTool;
  // Members of a toolset are called by their own names and run by the SDK.
  if (typeof given.run !== 'function' || given.type?.includes('_toolset_')) return undefined;
  const { name, description, input_schema: schema } = given as ToolFunction;
  if (typeof name !== 'string' || name === '')
    throw new TypeError(`A tool must have a name, got ${JSON.stringify(name)}. Set 'name' to a non-empty string.`);
  const run: Run = (args, context, call) => {
    const toolUse = call?.toolUse ?? toolUseOf(args, context);
    const signal = (call ?? context).signal as AbortSignal;
    return given.run(args, { ...context, signal, toolUse, toolUseBlock: toolUse } as RunContext);
  };
  const source: FrameworkTool = {
    name,
    description,
    input: typeof given.parse === 'function' ? schemaOfParser(given, schema) : (schema as JsonSchema | undefined),
    schema: schema as JsonSchema | undefined,
    run: (args: unknown, context) => run(args, context),
    policy: toolErrorPolicy,
  };
  return { source, given, run };
}

/** Creates the block for a call without one: a call of an alternative, or from a custom loop. */
const toolUseOf = (input: unknown, { callId, toolName }: AttemptContext): BetaToolRunContext['toolUse'] => ({
  type: 'tool_use',
  id: callId,
  name: toolName,
  input: input as never,
});

/**
 * Validates with the tool's own parser. If it returns its input, it has checked nothing (`betaTool`), and the arguments are validated
 * against the schema. Unknown properties are reported even if the parser would drop them, since the model sent them on purpose.
 */
function schemaOfParser(tool: BetaRunnableTool, schema: object | undefined): StandardSchema {
  const check = schema && compileLenientSchema(schema as JsonSchema);
  const validate = (
    raw: unknown,
  ): { readonly value: unknown; readonly issues?: undefined } | { readonly issues: readonly StandardIssue[] } => {
    const issues = check?.(raw) ?? [];
    try {
      const value: unknown = tool.parse(raw);
      const refused = value === raw ? issues : issues.filter(({ keyword }) => keyword === 'additionalProperties');
      return refused.length > 0 ? { issues: refused } : { value };
    } catch (error) {
      return { issues: issues.length > 0 ? issues : issuesOf(error) };
    }
  };
  return { '~standard': { version: 1, vendor: 'anthropic-sdk', validate } };
}

function issuesOf(error: unknown): readonly StandardIssue[] {
  const { issues, message } = Object(error) as { readonly issues?: unknown; readonly message?: unknown };
  return Array.isArray(issues) && issues.length > 0
    ? (issues as StandardIssue[])
    : [{ message: `The arguments do not match the schema: ${String(message)}` }];
}
