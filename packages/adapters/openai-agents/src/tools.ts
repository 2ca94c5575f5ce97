/** Owns the accepted forms of a tool, options for the SDK's `tool()` and finished function tools, and converting them for the service. */
import type { FrameworkTool, RejectedArguments } from '@holdfast/adapter-kit';
import { describeMismatch, withProperties } from '@holdfast/adapter-kit';
import type { FunctionTool, ToolExecuteArgument, ToolInputParameters, ToolOptions, ToolOutputSchema } from '@openai/agents';
import { RunContext, tool } from '@openai/agents';
import { CheckedOutputs, outputErrorPolicy } from './checked-outputs.ts';
import { isAgentTool, originalOf } from './original-tool.ts';
import { errorOf, isSchema, quickSchemaOf, type Watcher, watchedSchema } from './watched-schema.ts';

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

type ParsedArguments = { readonly ok: true; readonly value: unknown } | { readonly ok: false; readonly message: string };

/** Runs a tool with arguments that have been read. */
type Execute = (args: unknown, context: RunContext, details: CallDetails | undefined) => unknown;

/** What a conversation does for a tool that the SDK makes. */
interface ToolCalls extends Watcher {
  readonly execute: Execute;
  readonly errorFunction: ErrorFunction | null | undefined;
}

export type ErrorFunction = (context: RunContext, error: unknown, details?: CallDetails) => unknown;

export interface ReadTool {
  readonly source: FrameworkTool;
  /** The tool as the SDK would offer it. */
  readonly tool: FunctionTool;
  /** The object that has to be offered, because the SDK knows the tool by it. */
  readonly identity?: FunctionTool;
  readonly run: Execute;
  /** Absent: the tool was made by the SDK before. */
  readonly definition?: Definition;
}

/** What can be known of a tool only before the SDK makes it. */
export interface Definition {
  /** Whether the SDK validates the arguments, and may transform them. */
  readonly isChecked: boolean;
  /** Whether the need for approval depends on the arguments. */
  readonly hasApprovalFunction: boolean;
  readonly hasOutputSchema: boolean;
  /** Whether a failure is what the user or the SDK makes of it; otherwise Holdfast describes it. */
  readonly failsItself: boolean;
  readonly errorFunction: ErrorFunction | null | undefined;
  /** Parses and validates the arguments as the SDK does. */
  readonly parse: (text: string, context: RunContext, details: CallDetails | undefined) => Promise<ParsedArguments>;
  /** Describes why arguments do not match. @param hidesValues whether only the schema may be told, and nothing of what was sent */
  readonly describe: (value: unknown, error: unknown, hidesValues: boolean) => string;
  /** The SDK's function that runs the tool for one conversation. The SDK finds the parser of a tool by this function. */
  readonly invokeOf: (calls: ToolCalls) => FunctionTool['invoke'];
}

/** The options of a tool that are used here. */
interface GivenOptions {
  readonly parameters: unknown;
  readonly strict?: boolean;
  readonly outputSchema?: unknown;
  readonly timeoutMs?: number;
  readonly timeoutBehavior?: string;
  readonly timeoutErrorFunction?: unknown;
  readonly errorFunction?: unknown;
  readonly needsApproval?: unknown;
  readonly execute: (args: unknown, context: RunContext, details: CallDetails | undefined) => unknown;
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
  const { parameters, outputSchema, timeoutMs, execute } = options;
  const isLimitedHere = isLimited(options);
  // With all options, because the SDK refuses those that it does not accept.
  const whole = makeTool(options);
  const made = isLimitedHere ? withProperties(whole, { timeoutMs: undefined as never }) : whole;
  const checked = new CheckedOutputs(outputSchema);
  const definition = definitionOf({ ...options, outputSchema: checked.schema }, made);
  const run = checked.after(execute);
  const runAlone: FrameworkTool['run'] = async (args, { signal }) => {
    const details = { signal: signal as AbortSignal };
    const context = new RunContext();
    const parsed = await definition.parse(JSON.stringify(args), context, details);
    if (!parsed.ok) throw new TypeError(parsed.message);
    return run(parsed.value, context, details);
  };
  const source: FrameworkTool = {
    name: made.name,
    description: made.description,
    input: definition.isChecked ? undefined : (parameters as FrameworkTool['input']),
    schema: made.parameters as FrameworkTool['schema'],
    run: runAlone,
    policy: { ...outputErrorPolicy, ...(isLimitedHere ? { timeoutMs } : {}) },
  };
  return { source, tool: made, run, definition };
}

/** A timeout that ends in a result is enforced by Holdfast; one with a consequence of its own, by the SDK. */
const isLimited = ({ timeoutMs, timeoutErrorFunction, timeoutBehavior, outputSchema }: GivenOptions): boolean =>
  timeoutMs !== undefined && timeoutErrorFunction === undefined && timeoutBehavior !== 'raise_exception' && !outputSchema;

const makeTool = (options: object): FunctionTool => tool(options as never) as FunctionTool;

function definitionOf(options: GivenOptions, made: FunctionTool): Definition {
  const { parameters, strict, outputSchema, errorFunction } = options;
  const shown = made.parameters as RejectedArguments['schema'];
  const limits = { timeoutMs: undefined, timeoutBehavior: undefined, timeoutErrorFunction: undefined };
  let parser: FunctionTool | undefined;
  const quickSchema = strict === false ? undefined : quickSchemaOf(parameters, shown);
  const describe: Definition['describe'] = (value, error, hidesValues) => describeMismatch({ value, schema: shown, error, hidesValues });
  return {
    isChecked: isSchema(parameters),
    hasApprovalFunction: typeof options.needsApproval === 'function',
    hasOutputSchema: outputSchema !== undefined,
    failsItself: errorFunction !== undefined || outputSchema !== undefined,
    errorFunction: errorFunction as Definition['errorFunction'],
    parse: async (text, context, details) => {
      const execute = (args: unknown): unknown => args;
      parser ??= makeTool({ ...options, ...limits, outputSchema: undefined, errorFunction: null, execute });
      try {
        return { ok: true, value: await parser.invoke(context, text, details as never) };
      } catch {
        return { ok: false, message: describe(JSON.parse(text), await errorOf(parameters, text), false) };
      }
    },
    describe,
    invokeOf: (calls) => {
      const { execute, errorFunction: own } = calls;
      const timeoutMs = isLimited(options) ? undefined : options.timeoutMs;
      return makeTool({
        ...options,
        timeoutMs,
        parameters: quickSchema?.(calls) ?? watchedSchema(parameters, calls),
        execute,
        errorFunction: own,
      }).invoke;
    },
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
  const identity = isAgentTool(given) ? { identity: given } : {};
  return { source, tool: made, ...identity, run };
}
