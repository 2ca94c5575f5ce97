/** Owns what a tool is here: one of OpenAI's runnable tools, or a plain function with a name; and reading either into what a service runs. */
import type { AnyTool, AttemptContext } from '@holdfast/core';
import { ToolValidationError } from '@holdfast/core/agent';
import type { FrameworkTool } from '@holdfast/adapter-kit';
import { describeIssues, fieldsOf } from '@holdfast/adapter-kit';

/** JSON Schema of a tool's arguments. */
export type ToolParameters = Readonly<Record<string, unknown>>;

/** A function with a name and a schema. */
export interface ToolFunction {
  /** Name of the tool, unique in the program. */
  readonly name: string;
  /** What the tool does, as the model reads it. */
  readonly description?: string | undefined;
  /** What the model is shown, and what arguments are checked against before the tool runs. */
  readonly parameters?: ToolParameters | undefined;
  /** Whether OpenAI itself holds the model to the schema. */
  readonly strict?: boolean | undefined;
  /** Runs the tool with arguments that fit the schema. Its return value is the output; a thrown error is a failed attempt. */
  readonly run: (args: never, context: AttemptContext) => unknown;
}

/** A tool as `client.chat.completions.runTools` takes it, and as `zodFunction` and `zodResponsesFunction` of the SDK make it. */
export interface RunnableTool {
  /** The kind of tool that `runTools` takes. */
  readonly type: 'function';
  /** Definition and function. Absent in a tool of `zodResponsesFunction`, which has both at the top. */
  readonly function?: RunnableFunction | undefined;
}

/** What is told to the model. */
export interface FunctionDeclaration {
  /** What the tool does, as the model reads it. */
  readonly description?: string | undefined;
  /** JSON Schema of the arguments. */
  readonly parameters?: unknown;
  /** Whether OpenAI holds the model to the schema. */
  readonly strict?: boolean | null | undefined;
}

/** The function of a tool for `runTools`. */
export interface RunnableFunction extends FunctionDeclaration {
  /** Name of the tool. @default the function's name */
  readonly name?: string | undefined;
  /** Runs the tool. Takes the parsed arguments, or their text if there is no `parse`. */
  readonly function?: ((args: never, runner: never, toolContext: never) => unknown) | undefined;
  /** Parses and checks the text of the arguments. An error that it throws goes to the model as feedback. */
  readonly parse?: ((text: string) => unknown) | undefined;
}

/** What the SDK's makers of tools put beside the definition. */
interface ParsedTool {
  readonly $callback?: ((args: never) => unknown) | undefined;
  readonly $parseRaw?: ((text: string) => unknown) | undefined;
}

/** A tool for `reliableTools`. */
export type ReliableTool = ToolFunction | RunnableTool;

/** A tool as it is told to the model. */
export interface Definition {
  readonly name: string;
  readonly description?: string;
  readonly parameters?: ToolParameters;
  readonly strict?: boolean;
}

export interface ReadTool {
  readonly source: FrameworkTool;
  readonly definition: Definition;
  /** Runs it as `runTools` does, with what that hands to functions; absent for a tool that takes an attempt's context. */
  readonly runWith?: (args: unknown, ...rest: readonly unknown[]) => unknown;
}

/** @throws TypeError for a tool without a function. */
export function readTool(tool: ReliableTool): ReadTool {
  if ('run' in tool) return describeTool(tool, tool.name, tool.run as FrameworkTool['run']);
  const { $callback, $parseRaw } = tool as ParsedTool;
  // Tools for Responses have their definition at the top.
  const inner = tool.function ?? (tool as RunnableFunction);
  const call = ($callback ?? inner.function) as ((...args: readonly unknown[]) => unknown) | undefined;
  const name = inner.name ?? call?.name ?? '';
  if (typeof call !== 'function')
    throw new TypeError(`The tool '${name}' has no function to run. Give it one as 'function', or use { name, parameters, run }.`);
  const parse = $parseRaw ?? inner.parse;
  const runWith = async (args: unknown, ...rest: readonly unknown[]): Promise<unknown> => {
    const text = JSON.stringify(args);
    return call(parse ? await parseArguments(parse, text) : text, ...rest);
  };
  return { ...describeTool(inner, name, (args) => runWith(args)), runWith };
}

function describeTool({ description, parameters, strict }: FunctionDeclaration, name: string, run: FrameworkTool['run']): ReadTool {
  const definition = {
    name,
    ...(description === undefined ? {} : { description }),
    ...(parameters === undefined ? {} : { parameters: parameters as ToolParameters }),
    ...(typeof strict === 'boolean' ? { strict } : {}),
  };
  return { source: { name, description, input: parameters as AnyTool['input'], run }, definition };
}

/** What a tool's own parser turns down is a matter for the model, not a failure of the tool. */
async function parseArguments(parse: (text: string) => unknown, text: string): Promise<unknown> {
  try {
    return await parse(text);
  } catch (error) {
    throw new ToolValidationError(describeError(error), { cause: error });
  }
}

function describeError(error: unknown): string {
  const { issues, message } = fieldsOf(error);
  return Array.isArray(issues) ? describeIssues(issues) : `The arguments do not fit: ${String(message)}`;
}
