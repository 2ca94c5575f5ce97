/** Owns the accepted forms of a tool, OpenAI's runnable tools and named functions, and converting them for the service. */
import type { AnyTool, AttemptContext, JsonSchema, StandardResult, StandardSchema } from '@holdfast/core';
import { ToolValidationError } from '@holdfast/core/agent';
import type { FrameworkTool } from '@holdfast/adapter-kit';
import { describeMismatch, fieldOf, fieldsOf } from '@holdfast/adapter-kit';
import { compileLenientSchema } from '@holdfast/wire';

/** JSON Schema of a tool's arguments. */
export type ToolParameters = Readonly<Record<string, unknown>>;

/** A function with a name and a schema. */
export interface ToolFunction {
  /** Name of the tool, unique in the program. */
  readonly name: string;
  /** What the tool does, as the model reads it. */
  readonly description?: string | undefined;
  /** The schema shown to the model, against which arguments are validated before the tool runs. */
  readonly parameters?: ToolParameters | undefined;
  /** Whether OpenAI enforces the schema in the model's output. */
  readonly strict?: boolean | undefined;
  /** Runs the tool with arguments that fit the schema. Its return value is the output; a thrown error is a failed attempt. */
  readonly run: (args: never, context: AttemptContext) => unknown;
}

/** A tool for `client.chat.completions.runTools`, such as one made by `zodFunction` or `zodResponsesFunction` of the SDK. */
export interface RunnableTool {
  /** The kind of tool that `runTools` takes. */
  readonly type: 'function';
  /** Definition and function. Absent in a tool of `zodResponsesFunction`, which has both at the top. */
  readonly function?: RunnableFunction | undefined;
}

/** The declaration sent to the model. */
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

/** Properties the SDK's helper functions add to a tool. */
interface ParsedTool {
  readonly $callback?: ((args: never) => unknown) | undefined;
  readonly $parseRaw?: ((text: string) => unknown) | undefined;
}

/** A tool for `reliableTools`. */
export type ReliableTool = ToolFunction | RunnableTool;

/** A tool definition for the model. */
export interface Definition {
  readonly name: string;
  readonly description?: string;
  readonly parameters?: ToolParameters;
  readonly strict?: boolean | null;
}

export interface ReadTool {
  readonly source: FrameworkTool;
  readonly definition: Definition;
  /** Whether the function takes text of any form: it has no parser, and no parameters are declared. */
  readonly takesText?: boolean;
  /**
   * Runs the tool with what `runTools` passes to functions; absent for a tool that receives the attempt's context.
   * @param written the arguments as the model wrote them, which a function or parser of text receives unless they were repaired
   */
  readonly runWith?: (args: unknown, written: string | undefined, ...rest: readonly unknown[]) => unknown;
  /** The words with which a parser of the user's own rejects the text; `undefined` if it does not, or has none of its own. */
  readonly rejection?: ((text: string) => Promise<string | undefined>) | undefined;
}

/** @throws TypeError for a tool without a function. */
export function readTool(tool: ReliableTool): ReadTool {
  // Functions run on the tool that they belong to: it may be an instance of a class.
  if ('run' in tool) return describeTool(tool, tool.name, (args, context) => tool.run(args, context));
  const { $callback, $parseRaw } = tool as ParsedTool;
  // Tools for Responses have their definition at the top level.
  const inner = tool.function ?? (tool as RunnableFunction);
  const own = ($callback ?? inner.function) as ((...args: readonly unknown[]) => unknown) | undefined;
  const name = inner.name ?? own?.name ?? '';
  if (typeof own !== 'function')
    throw new TypeError(`The tool '${name}' has no function to run. Set 'function', or use { name, parameters, run }.`);
  const call = own.bind(inner);
  const parse = $parseRaw ?? inner.parse?.bind(inner);
  const takesText = !parse && Object.keys(fieldsOf(fieldsOf(inner.parameters)['properties'])).length === 0;
  const runWith: NonNullable<ReadTool['runWith']> = async (args, written, ...rest) => {
    const text = typeof args === 'string' && takesText ? args : textOf(args, written);
    return call(parse ? await parseArguments(parse, { text, value: args, schema: inner.parameters as ToolParameters }) : text, ...rest);
  };
  const { source, definition } = describeTool(inner, name, (args) => runWith(args, undefined));
  const input = takesText ? undefined : parse ? schemaOfParser(parse, source.input as ToolParameters | undefined) : source.input;
  const schema = takesText ? undefined : (source.input as JsonSchema | undefined);
  const rejection = parse && !$parseRaw ? rejectionBy(parse) : undefined;
  return { source: { ...source, input, schema }, definition, takesText, runWith, rejection };
}

function describeTool({ description, parameters, strict }: FunctionDeclaration, name: string, run: FrameworkTool['run']): ReadTool {
  const definition = {
    name,
    ...(description === undefined ? {} : { description }),
    ...(parameters === undefined ? {} : { parameters: parameters as ToolParameters }),
    ...(strict === undefined ? {} : { strict }),
  };
  return { source: { name, description, input: parameters as AnyTool['input'], run }, definition };
}

/** Arguments that break the schema are accepted if the tool's parser accepts them: it may fill in defaults. Unknown properties are not, since it would drop them. */
function schemaOfParser(parse: (text: string) => unknown, schema: ToolParameters | undefined): StandardSchema | undefined {
  if (schema === undefined) return undefined;
  const check = compileLenientSchema(schema);
  const validate = async (value: unknown): Promise<StandardResult<unknown>> => {
    const issues = check(value).map((issue) => ({ ...issue, values: issue.allowed }));
    const refused = issues.filter(({ keyword }) => keyword === 'additionalProperties');
    if (issues.length === 0 || refused.length > 0) return issues.length === 0 ? { value } : { issues };
    try {
      // A parser that changes nothing, such as `JSON.parse`, has checked nothing.
      const text = JSON.stringify(value);
      return JSON.stringify(await parse(text)) === text ? { issues } : { value };
    } catch {
      return { issues };
    }
  };
  return { '~standard': { version: 1, vendor: 'openai-sdk', validate } };
}

/** A parser that throws what `JSON.parse` or the schema of a library throws has no words of its own. */
function rejectionBy(parse: (text: string) => unknown): NonNullable<ReadTool['rejection']> {
  return async (text) => {
    try {
      await parse(text);
      return undefined;
    } catch (error) {
      const isOwn = error instanceof Error && !(error instanceof SyntaxError) && !Array.isArray(fieldOf(error, 'issues'));
      return isOwn ? error.message : undefined;
    }
  };
}

/** The arguments as text: as the model wrote them, if that text means the same. */
function textOf(args: unknown, written: string | undefined): string {
  const text = JSON.stringify(args);
  if (written === undefined) return text;
  try {
    return JSON.stringify(JSON.parse(written)) === text ? written : text;
  } catch {
    return text;
  }
}

interface WrittenArguments {
  readonly text: string;
  readonly value: unknown;
  readonly schema: ToolParameters | undefined;
}

/** Rejections by a tool's own parser are reported to the model and not counted as failures of the tool. */
async function parseArguments(parse: (text: string) => unknown, { text, value, schema }: WrittenArguments): Promise<unknown> {
  try {
    return await parse(text);
  } catch (error) {
    throw new ToolValidationError(describeMismatch({ value, schema, error }), { cause: error });
  }
}
