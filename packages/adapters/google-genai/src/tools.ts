/** Owns the accepted forms of a tool, functions with a declaration and tools that Google runs, and converting them for the service. */
import type { FunctionDeclaration, Schema, Tool } from '@google/genai';
import type { AttemptContext } from '@holdfast/core';
import type { ArgumentsOf, FrameworkTool } from '@holdfast/adapter-kit';
import { readDeclaredSchema } from '@holdfast/adapter-kit';

/** A function declaration of the SDK, with the function that runs it. */
export interface ToolFunction<Arguments = never, Name extends string = string> extends Omit<
  FunctionDeclaration,
  'name' | 'parameters' | 'parametersJsonSchema'
> {
  /** Name of the tool, unique in the program. */
  readonly name: Name;
  /** Schema of the arguments: a JSON Schema, or a Standard Schema that can be written as one, such as zod's. */
  readonly parametersJsonSchema?: unknown;
  /** Schema of the arguments in Gemini's own form, instead of `parametersJsonSchema`. */
  readonly parameters?: DeepReadonly<Schema> | undefined;
  /** Runs the tool with arguments that fit the schema. Its return value is the output; a thrown error is a failed attempt. */
  readonly run: (args: Arguments, context: AttemptContext) => unknown;
}

/** A value whose lists and fields are not changed. */
export type DeepReadonly<Value> = Value extends object ? { readonly [Key in keyof Value]: DeepReadonly<Value[Key]> } : Value;

/** A tool that Google runs, such as `{ googleSearch: {} }`. It is offered unchanged. */
export type HostedTool = Omit<Tool, 'functionDeclarations'> & { readonly functionDeclarations?: never; readonly run?: never };

/** A tool for `reliableTools`. */
export type ReliableTool = ToolFunction | HostedTool;

/** Returns the definition as it is; what `run` receives is typed by its schema, and its name is known to the compiler. */
export function tool<const Declared, const Parameters extends DeepReadonly<Schema>, const Name extends string>(
  definition: Omit<
    ToolFunction<ArgumentsOf<NoInfer<unknown extends Declared ? Parameters : Declared>>, Name>,
    'parameters' | 'parametersJsonSchema'
  > & {
    readonly parametersJsonSchema?: Declared;
    readonly parameters?: Parameters;
  },
): ToolFunction<ArgumentsOf<unknown extends Declared ? Parameters : Declared>, Name> {
  return definition;
}

export interface ReadTool {
  readonly source: FrameworkTool;
  readonly declaration: FunctionDeclaration;
}

/** `undefined` for a tool that Google runs. @throws TypeError for a function that cannot be called, or has no name */
export function readTool(given: ReliableTool): ReadTool | undefined {
  if ('callTool' in given)
    throw new TypeError(
      'A CallableTool declares its functions asynchronously. Use its functions: reliableTools(await functionsOf(callable)).',
    );
  if ('functionDeclarations' in given)
    throw new TypeError("'functionDeclarations' have no functions to run. Use { name, parametersJsonSchema, run } for each of them.");
  if (!('name' in given) && !('run' in given)) return undefined;
  const { run, ...declared } = given as ToolFunction;
  const { name, description, parameters, parametersJsonSchema } = declared;
  if (typeof name !== 'string' || name === '')
    throw new TypeError(`A tool must have a name, got ${JSON.stringify(name)}. Set 'name' to a non-empty string.`);
  if (typeof run !== 'function') throw new TypeError(`The tool '${name}' has no function to run. Set 'run'.`);
  const { input, shown } = readDeclaredSchema(parametersJsonSchema ?? parameters, name);
  const declaration = parametersJsonSchema === undefined ? declared : { ...declared, parametersJsonSchema: shown };
  return {
    source: { name, description, input, schema: shown, run: (args, context) => run.call(given, args, context) },
    declaration: declaration as FunctionDeclaration,
  };
}
