/** Owns what a tool is here: one of the SDK's runnable tools, or a definition with a function; and reading either into what a service runs. */
import type { BetaRunnableTool, BetaToolRunContext } from '@anthropic-ai/sdk/lib/tools/BetaRunnableTool';
import type { Tool, ToolUnion } from '@anthropic-ai/sdk/resources/messages/messages';
import type { AttemptContext, JsonSchema, StandardIssue, StandardSchema } from '@holdfast/core';
import type { FrameworkTool } from '@holdfast/adapter-kit';
import { compileLenientSchema } from '@holdfast/wire';

/** What a tool's function is handed: what the SDK's runner hands to tools, and what it should know of the attempt. */
export interface RunContext extends BetaToolRunContext, Omit<AttemptContext, 'signal'> {
  /** Aborted at the time limit and when the caller cancels. */
  readonly signal: AbortSignal;
}

/** A definition as `messages.create` takes it, with the function that runs it. */
export interface ToolFunction extends Omit<Tool, 'input_schema'> {
  /** JSON Schema of its arguments: an object. */
  readonly input_schema: Readonly<Record<string, unknown>>;
  /** Runs the tool with arguments that fit the schema. Its return value is the output; a thrown error is a failed attempt. */
  readonly run: (args: never, context: RunContext) => unknown;
}

/** A tool with a function; or one that Anthropic runs, which is offered as it is. */
export type ReliableTool = BetaRunnableTool | ToolFunction | ToolUnion;

/** Runs a tool; `toolUse` is the block that called it, where there is one. */
type Run = (args: unknown, context: AttemptContext, toolUse?: BetaToolRunContext['toolUse']) => unknown;

export interface ReadTool {
  readonly source: FrameworkTool;
  readonly given: BetaRunnableTool;
  readonly schema: JsonSchema | undefined;
  readonly run: Run;
}

/** What a tool throws to tell the model something is no failure that passes by itself. */
const toolErrorPolicy = { classification: [{ name: 'ToolError', as: 'permanent' }] } as const;

/** `undefined` for a tool that is not run here. @throws TypeError for a function without a name */
export function readTool(tool: ReliableTool): ReadTool | undefined {
  const given = tool as BetaRunnableTool;
  // Members of a toolset are called by names of their own, and run by the SDK alone.
  if (typeof given.run !== 'function' || given.type?.includes('_toolset_')) return undefined;
  const { name, description, input_schema: schema } = given as ToolFunction;
  if (typeof name !== 'string' || name === '')
    throw new TypeError(`A tool has no name, got ${JSON.stringify(name)}. Give it one as 'name'.`);
  const run: Run = (args, context, toolUse = toolUseOf(args, context)) =>
    given.run(args, { ...context, signal: context.signal as AbortSignal, toolUse, toolUseBlock: toolUse } as RunContext);
  const source: FrameworkTool = {
    name,
    description,
    input: typeof given.parse === 'function' ? schemaOfParser(given, schema) : (schema as JsonSchema | undefined),
    run: (args: unknown, context) => run(args, context),
    policy: toolErrorPolicy,
  };
  return { source, given, schema: schema as JsonSchema | undefined, run };
}

/** For a call that comes without the SDK's block: by an alternative, or from a loop of one's own. */
const toolUseOf = (input: unknown, { callId, toolName }: AttemptContext): BetaToolRunContext['toolUse'] => ({
  type: 'tool_use',
  id: callId,
  name: toolName,
  input: input as never,
});

/**
 * What the tool's own parser makes of the arguments. Where that changes nothing it has checked nothing (`betaTool`), and the schema is what they are held
 * against. Names that the schema forbids are told even where the parser would drop them: the model meant something by them.
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
    : [{ message: `The arguments do not fit: ${String(message)}` }];
}
