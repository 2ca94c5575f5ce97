/** Owns the accepted forms of a tool, definitions with a function and those that Bedrock reads or runs, and converting them for the service. */
import type { Tool, ToolSpecification } from '@aws-sdk/client-bedrock-runtime';
import type { AttemptContext } from '@holdfast/core';
import type { ArgumentsOf, FrameworkTool } from '@holdfast/adapter-kit';
import { fieldOf, fieldsOf, readDeclaredSchema } from '@holdfast/adapter-kit';

/** The definition of a tool, as in `toolConfig`. */
export interface ToolSpec<Name extends string = string, Declared = unknown> extends Omit<ToolSpecification, 'name' | 'inputSchema'> {
  /** Name of the tool, unique in the program. */
  readonly name: Name;
  /** Schema of the arguments: a JSON Schema, or a Standard Schema that can be written as one, such as zod's. */
  readonly inputSchema: { readonly json: Declared };
}

/** A tool definition for `toolConfig`, with the function that runs it. */
export interface ToolFunction<Arguments = never, Name extends string = string> {
  /** The definition, as in `toolConfig`. */
  readonly toolSpec: ToolSpec<Name>;
  /** Runs the tool with arguments that fit the schema. Its return value is the output; a thrown error is a failed attempt. */
  readonly run: (args: Arguments, context: AttemptContext) => unknown;
}

/** An entry without a function, such as `{ cachePoint: { type: 'default' } }` or `{ systemTool: { name } }`. It is offered unchanged. */
export type OtherTool = (Tool.CachePointMember | Tool.SystemToolMember) & { readonly run?: never };

/** A tool for `reliableTools`. */
export type ReliableTool = ToolFunction | OtherTool;

/** Returns the definition as it is; what `run` receives is typed by its schema, and its name is known to the compiler. */
export const tool = <const Declared, const Name extends string>(definition: {
  readonly toolSpec: ToolSpec<Name, Declared>;
  readonly run: ToolFunction<ArgumentsOf<NoInfer<Declared>>>['run'];
}): ToolFunction<ArgumentsOf<Declared>, Name> => definition;

export interface ReadTool {
  readonly source: FrameworkTool;
  readonly spec: ToolSpec;
}

/** `undefined` for an entry without a function. @throws TypeError for a tool that cannot be called, or has no name */
export function readTool(given: ReliableTool): ReadTool | undefined {
  if ('cachePoint' in given || 'systemTool' in given) return undefined;
  const { toolSpec, run } = given as ToolFunction;
  const { name, description, inputSchema } = fieldsOf(toolSpec) as Partial<ToolSpec>;
  if (typeof name !== 'string' || name === '')
    throw new TypeError(`A tool must have a name, got ${JSON.stringify(name)}. Use { toolSpec: { name, inputSchema: { json } }, run }.`);
  if (typeof run !== 'function') throw new TypeError(`The tool '${name}' has no function to run. Set 'run' beside 'toolSpec'.`);
  const json = fieldOf(inputSchema, 'json');
  const { input, shown } = readDeclaredSchema(json, name);
  return {
    source: { name, description, input, schema: shown, run: (args, context) => run.call(given, args, context) },
    spec: shown === json ? toolSpec : { ...toolSpec, inputSchema: { json: shown } },
  };
}
