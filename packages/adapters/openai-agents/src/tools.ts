/** Owns the accepted forms of a tool, options for the SDK's `tool()` and finished function tools, and converting them for the service. */
import type { FrameworkTool, RejectedArguments } from '@holdfast/adapter-kit';
import { describeMismatch } from '@holdfast/adapter-kit';
import type { FunctionTool, ToolExecuteArgument, ToolInputParameters, ToolOptions, ToolOutputSchema } from '@openai/agents';
import { RunContext, tool } from '@openai/agents';
import { failingTool, outputErrorPolicy, withOutputSchema } from './failures.ts';
import { isAgentTool, originalOf } from './original-tool.ts';

/** Options for the SDK's `tool()`, or a tool it has made. */
export type AgentToolDefinition<Parameters extends ToolInputParameters = ToolInputParameters> = AgentToolOptions<Parameters> | FinishedTool;

/** The options of the SDK's `tool()`, without its dependencies between options. */
export interface AgentToolOptions<Parameters extends ToolInputParameters> extends Omit<
  ToolOptions<Parameters, never>,
  'customDataExtractor' | 'errorFunction' | 'execute' | 'needsApproval' | 'outputSchema' | 'parameters' | 'strict'
> {
  /** Schema of the arguments: Zod, another Standard Schema or JSON Schema. */
  readonly parameters: Parameters;
  /** Whether OpenAI holds the model to the schema, as in the SDK. */
  readonly strict?: boolean;
  /** Schema of the output. Absent: the output is sent as text. */
  readonly outputSchema?: ToolOutputSchema;
  /** Whether a call needs an approval before it runs, as in the SDK. */
  readonly needsApproval?:
    | boolean
    | ((context: RunContext<never>, input: ToolExecuteArgument<Parameters>, callId?: string) => Promise<boolean>);
  /** Runs the tool with parsed arguments. Its return value is the output; a thrown error is a failed attempt. */
  readonly execute: (input: ToolExecuteArgument<Parameters>, context?: RunContext<never>, details?: CallDetails) => unknown;
  /** Creates the output of a call that finally failed; `null`: its error is thrown. As in the SDK. Absent: Holdfast describes the failure. */
  readonly errorFunction?: ((context: RunContext<never>, error: unknown, details?: CallDetails) => unknown) | null;
  /** As in the SDK: attaches data of the SDK's own to the output item. */
  readonly customDataExtractor?: (context: never) => unknown;
}

/** A tool made by the SDK's `tool()`, `agent.asTool()` or similar functions. */
export interface FinishedTool {
  /** Distinguishes function tools from hosted ones. */
  readonly type: 'function';
  /** Name of the tool. */
  readonly name: string;
  /** Runs the tool with the text of its arguments. */
  readonly invoke: (context: never, text: string, details?: never) => unknown;
}

/** The name of a tool, where it is a literal; its other fields are of no interest here. */
export type NamedTool<Name extends string> = { readonly name?: Name } & {
  readonly [Field in Exclude<keyof AgentToolOptions<ToolInputParameters> | keyof FinishedTool, 'name'>]?: unknown;
};

/** A list in which each tool's `execute` is typed by its own `parameters`. */
export type AgentToolDefinitions<Parameters extends readonly ToolInputParameters[]> = {
  readonly [Index in keyof Parameters]: AgentToolDefinition<Parameters[Index]>;
};

/** The details the SDK passes to a tool with its arguments. */
export interface CallDetails {
  /** The call as the model made it, with its arguments as text. */
  readonly toolCall?: { readonly callId: string; readonly arguments: string };
  /** Aborted at the time limit and when the caller cancels. */
  readonly signal?: AbortSignal;
}

export type ParsedArguments = { readonly ok: true; readonly value: unknown } | { readonly ok: false; readonly message: string };

export interface ReadTool {
  readonly source: FrameworkTool;
  /** The tool as the SDK would offer it. */
  readonly tool: FunctionTool;
  /** The object that has to be offered, because the SDK knows the tool by it. */
  readonly identity?: FunctionTool;
  /** Whether the SDK validates the arguments itself, and may transform them. */
  readonly checked: boolean;
  /** Whether the need for approval depends on the arguments. */
  readonly hasApprovalFunction: boolean;
  /** Parses and validates the arguments as the SDK does. */
  readonly parse: (text: string, context: RunContext, details: CallDetails | undefined) => Promise<ParsedArguments>;
  readonly run: (args: unknown, context: RunContext, details: CallDetails | undefined) => unknown;
  /**
   * Ends a call that finally failed as the SDK does, with the tool's own `errorFunction`, or by throwing if that is `null`. The error is the tool's own; arguments
   * that cannot be read fail again. Absent: Holdfast describes failures.
   */
  readonly fail?: ((error: unknown, text: string, context: RunContext, details: CallDetails | undefined) => unknown) | undefined;
}

/** The options of a tool that are used here. */
interface GivenOptions {
  readonly parameters: unknown;
  readonly outputSchema?: unknown;
  readonly timeoutMs?: number;
  readonly timeoutBehavior?: string;
  readonly timeoutErrorFunction?: unknown;
  readonly errorFunction?: unknown;
  readonly needsApproval?: unknown;
  readonly execute: (args: unknown, context: RunContext, details: CallDetails | undefined) => unknown;
}

interface Schema {
  readonly parse?: (value: unknown) => unknown;
  readonly '~standard'?: { readonly validate: (value: unknown) => unknown };
}

/** The SDK's default text for failures of a tool. */
const defaultFailureText = 'An error occurred while running the tool. Please try again.';

/** @throws TypeError if the value is not a tool; the SDK's UserError for options it does not accept. */
export function readTool(given: AgentToolDefinition): ReadTool {
  if ('invoke' in given) return finishedTool(given as unknown as FunctionTool);
  const options = given as unknown as GivenOptions;
  if (typeof options.execute !== 'function')
    throw new TypeError(
      'A tool has no function to run. Pass reliableTools the options for tool() of the SDK, including execute, or a function tool.',
    );
  const { parameters, outputSchema, timeoutMs, timeoutBehavior, timeoutErrorFunction, errorFunction, execute } = options;
  // A timeout that ends in a result is enforced by Holdfast; one that ends the run, by the SDK.
  const isLimitedHere =
    timeoutMs !== undefined && timeoutErrorFunction === undefined && timeoutBehavior !== 'raise_exception' && !outputSchema;
  const made = tool({ ...options, ...(isLimitedHere ? { timeoutMs: undefined } : {}) } as never) as FunctionTool;
  const { name, description } = made;
  const limits = { timeoutMs: undefined, timeoutBehavior: undefined, timeoutErrorFunction: undefined };
  const parser = tool({
    ...options,
    ...limits,
    outputSchema: undefined,
    errorFunction: null,
    execute: (args: unknown) => args,
  } as never) as FunctionTool;
  const schema = parameters as Schema;
  const checked = typeof schema.parse === 'function' || schema['~standard'] !== undefined;
  const parse: ReadTool['parse'] = async (text, context, details) => {
    try {
      return { ok: true, value: await parser.invoke(context, text, details as never) };
    } catch {
      return { ok: false, message: await mismatchOf(schema, made.parameters, text) };
    }
  };
  const fail: ReadTool['fail'] = (error, text, context, details) =>
    failingTool({ ...options, ...limits }, error).invoke(context, text, details as never);
  const run = withOutputSchema(execute, outputSchema);
  const runAlone: FrameworkTool['run'] = async (args, { signal }) => {
    const details = { signal: signal as AbortSignal };
    const context = new RunContext();
    const parsed = await parse(JSON.stringify(args), context, details);
    if (!parsed.ok) throw new TypeError(parsed.message);
    return run(parsed.value, context, details);
  };
  const input = checked ? undefined : (parameters as FrameworkTool['input']);
  const shown = { schema: made.parameters as FrameworkTool['schema'] };
  const source = {
    name,
    description,
    input,
    ...shown,
    run: runAlone,
    policy: { ...outputErrorPolicy, ...(isLimitedHere ? { timeoutMs } : {}) },
  };
  const hasApprovalFunction = typeof options.needsApproval === 'function';
  return {
    source,
    tool: made,
    checked,
    hasApprovalFunction,
    parse,
    run,
    fail: errorFunction === undefined ? undefined : fail,
  };
}

/** Reads a finished tool. Only its output text is visible, but the SDK's default text for failures is recognized. */
function finishedTool(given: FunctionTool): ReadTool {
  const made = originalOf(given);
  const run: ReadTool['run'] = async (args, context, details) => {
    const output = await made.invoke(context, JSON.stringify(args), details as never);
    if (output === defaultFailureText) throw new Error('The tool failed, and its errorFunction hides the reason');
    return output;
  };
  const { name, description } = made;
  const source: FrameworkTool = {
    name,
    description,
    run: (args, { signal }) => run(args, new RunContext(), { signal: signal as AbortSignal }),
  };
  const parse: ReadTool['parse'] = (text) => Promise.resolve({ ok: true, value: JSON.parse(text) as unknown });
  const identity = isAgentTool(given) ? { identity: given } : {};
  return { source, tool: made, ...identity, checked: false, hasApprovalFunction: false, parse, run };
}

/** Validates again to describe the mismatch, which the SDK hides. */
async function mismatchOf(schema: Schema, shown: FunctionTool['parameters'], text: string): Promise<string> {
  let value: unknown;
  let error: unknown;
  try {
    value = JSON.parse(text);
    error = await schema['~standard']?.validate(value);
  } catch (thrown) {
    error = thrown;
  }
  return describeMismatch({ value, schema: shown as RejectedArguments['schema'], error });
}
