/** Owns what a tool is here: what the SDK's `tool()` takes, or a finished function tool; and reading either. */
import type { DescribedIssue, FrameworkTool } from '@holdfast/adapter-kit';
import { describeIssues } from '@holdfast/adapter-kit';
import type { FunctionTool, ToolExecuteArgument, ToolInputParameters, ToolOptions, ToolOutputSchema } from '@openai/agents';
import { RunContext, tool } from '@openai/agents';

/** What the SDK's `tool()` takes, or what it makes. */
export type AgentToolDefinition<Parameters extends ToolInputParameters = ToolInputParameters> = AgentToolOptions<Parameters> | FinishedTool;

/** The options of the SDK, whatever they say together. */
export interface AgentToolOptions<Parameters extends ToolInputParameters> extends Omit<
  ToolOptions<Parameters, never>,
  'customDataExtractor' | 'errorFunction' | 'execute' | 'outputSchema' | 'parameters' | 'strict'
> {
  /** Schema of the arguments: Zod, another Standard Schema or JSON Schema. */
  readonly parameters: Parameters;
  /** Whether OpenAI holds the model to the schema, as in the SDK. */
  readonly strict?: boolean;
  /** Schema of the output. Absent: the output is sent as text. */
  readonly outputSchema?: ToolOutputSchema;
  /** Runs the tool with parsed arguments. Its return value is the output; a thrown error is a failed attempt. */
  readonly execute: (input: ToolExecuteArgument<Parameters>, context?: RunContext<never>, details?: CallDetails) => unknown;
  /** Of a tool with an output schema: what it answers with when it fails. Others are told in our words. */
  readonly errorFunction?: ((context: RunContext<never>, error: unknown, details?: CallDetails) => unknown) | null;
  /** As in the SDK: attaches data of the SDK's own to the output item. */
  readonly customDataExtractor?: (context: never) => unknown;
}

/** What the SDK's `tool()`, `agent.asTool()` and others make. */
export interface FinishedTool {
  /** Distinguishes function tools from hosted ones. */
  readonly type: 'function';
  /** Name of the tool. */
  readonly name: string;
  /** Runs the tool with the text of its arguments. */
  readonly invoke: (context: never, text: string, details?: never) => unknown;
}

/** A list in which each tool's `execute` gets what its own `parameters` say. */
export type AgentToolDefinitions<Parameters extends readonly ToolInputParameters[]> = readonly [
  ...{ [Index in keyof Parameters]: AgentToolDefinition<Parameters[Index]> },
];

/** What the SDK hands to a tool beside its arguments. */
export interface CallDetails {
  /** The call as the model made it, with its arguments as text. */
  readonly toolCall?: { readonly callId: string; readonly arguments: string };
  /** Aborted at the time limit and when the caller cancels. */
  readonly signal?: AbortSignal;
}

export type ParsedArguments = { readonly ok: true; readonly value: unknown } | { readonly ok: false; readonly message: string };

export interface ReadTool {
  readonly source: FrameworkTool;
  /** As the SDK would offer it. */
  readonly tool: FunctionTool;
  /** The SDK checks arguments itself, and may transform them. */
  readonly checked: boolean;
  /** Whether a call needs an approval depends on its arguments. */
  readonly decidesApproval: boolean;
  /** What the SDK makes of the text of arguments. */
  readonly parse: (text: string, context: RunContext, details: CallDetails) => Promise<ParsedArguments>;
  readonly run: (args: unknown, context: RunContext, details: CallDetails) => unknown;
  /** What a tool with an output schema answers with when it fails. */
  readonly fallback: ((context: RunContext, error: Error, details: CallDetails) => unknown) | undefined;
}

/** What is read of the options of a tool. */
interface GivenOptions {
  readonly parameters: unknown;
  readonly outputSchema?: unknown;
  readonly timeoutMs?: number;
  readonly timeoutBehavior?: string;
  readonly timeoutErrorFunction?: unknown;
  readonly errorFunction?: ReadTool['fallback'] | null;
  readonly needsApproval?: unknown;
  readonly execute: (args: unknown, context: RunContext, details: CallDetails) => unknown;
}

interface Schema {
  readonly parse?: (value: unknown) => unknown;
  readonly '~standard'?: { readonly validate: (value: unknown) => unknown };
}

/** What the SDK says of every failure of a tool that was not told what else to say. */
const hiddenFailure = 'An error occurred while running the tool. Please try again.';

/** @throws TypeError for what is no tool; UserError of the SDK for options that it does not take. */
export function readTool(given: AgentToolDefinition): ReadTool {
  if ('invoke' in given) return finishedTool(given as unknown as FunctionTool);
  const options = given as unknown as GivenOptions;
  if (typeof options.execute !== 'function')
    throw new TypeError(
      'A tool has no function to run. Give reliableTools what the tool() of the SDK takes, with its execute, or a function tool.',
    );
  const { parameters, outputSchema, timeoutMs, timeoutBehavior, timeoutErrorFunction, errorFunction, execute } = options;
  // A time limit that ends in a result is ours to keep; one that ends the run stays with the SDK.
  const limited = timeoutMs !== undefined && timeoutErrorFunction === undefined && timeoutBehavior !== 'raise_exception' && !outputSchema;
  const made = tool({ ...options, ...(limited ? { timeoutMs: undefined } : {}) } as never) as FunctionTool;
  const { name, description } = made;
  const plain = { outputSchema: undefined, timeoutMs: undefined, timeoutBehavior: undefined, timeoutErrorFunction: undefined };
  const parser = tool({ ...options, ...plain, errorFunction: null, execute: (args: unknown) => args } as never) as FunctionTool;
  const schema = parameters as Schema;
  const checked = typeof schema.parse === 'function' || schema['~standard'] !== undefined;
  const parse: ReadTool['parse'] = async (text, context, details) => {
    try {
      return { ok: true, value: await parser.invoke(context, text, details as never) };
    } catch {
      return { ok: false, message: await describeMismatch(schema, text) };
    }
  };
  const { parse: parseOutput } = (outputSchema ?? {}) as Schema;
  const run: ReadTool['run'] = async (args, context, details) => {
    const output = await execute(args, context, details);
    return parseOutput ? parseOutput.call(outputSchema, output) : output;
  };
  const runAlone: FrameworkTool['run'] = async (args, { signal }) => {
    const details = { signal: signal as AbortSignal };
    const context = new RunContext();
    const parsed = await parse(JSON.stringify(args), context, details);
    if (!parsed.ok) throw new TypeError(parsed.message);
    return run(parsed.value, context, details);
  };
  const input = checked ? undefined : (parameters as FrameworkTool['input']);
  const source = { name, description, input, run: runAlone, policy: limited ? { timeoutMs } : undefined };
  const decidesApproval = typeof options.needsApproval === 'function';
  return { source, tool: made, checked, decidesApproval, parse, run, fallback: outputSchema ? (errorFunction ?? undefined) : undefined };
}

/** Of a finished tool only its text is seen; the SDK's own text for failures is known. */
function finishedTool(made: FunctionTool): ReadTool {
  const run: ReadTool['run'] = async (args, context, details) => {
    const output = await made.invoke(context, JSON.stringify(args), details as never);
    if (output === hiddenFailure) throw new Error('The tool failed, and its errorFunction hides why');
    return output;
  };
  const { name, description } = made;
  const source: FrameworkTool = {
    name,
    description,
    run: (args, { signal }) => run(args, new RunContext(), { signal: signal as AbortSignal }),
  };
  const parse: ReadTool['parse'] = (text) => Promise.resolve({ ok: true, value: JSON.parse(text) as unknown });
  return { source, tool: made, checked: false, decidesApproval: false, parse, run, fallback: undefined };
}

/** The SDK hides what its check found; the schema is asked again. */
async function describeMismatch(schema: Schema, text: string): Promise<string> {
  try {
    const { issues = [] } = Object(await schema['~standard']?.validate(JSON.parse(text))) as {
      readonly issues?: readonly DescribedIssue[];
    };
    return describeIssues(issues) || unknownMismatch;
  } catch {
    return unknownMismatch;
  }
}

const unknownMismatch = 'the schema turns them down';
