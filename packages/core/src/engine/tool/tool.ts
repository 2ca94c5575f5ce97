/**
 * Owns the definition of a tool: a name, schemas, a runner and a policy; and `defineTool`, which checks a definition once.
 * Does not own which tools exist (`../../runtime/service/tool-set.ts`) or their default settings (`../settings`).
 */
import { checkOptions } from '../settings/check-options.ts';
import type { ClassificationRule } from '../classify/classification.ts';
import { compileRules } from '../classify/rules.ts';
import type { InputOf, JsonSchema, OutputOf, Schema, StandardSchema } from '../schema/standard-schema.ts';
import type { ToolPolicy } from '../settings/settings.ts';
import { suggest } from '../plain/suggest.ts';
import { checkRule, isPlain, listOf, refuse, show, type Fields, type Rule } from '../settings/check.ts';
import { toolFields } from '../settings/fields.ts';
import { checkRetryPolicy, type RetryPolicyLayer } from '../settings/validation-retries.ts';
import type { Runner } from './runner.ts';
import { isObjectOrFunction, isRecord } from '../plain/is-object.ts';

/** The options of `defineTool` besides schema and runner: everything but `name` is optional. */
export interface ToolDefinitionBase<Name extends string, Output extends Schema> extends ToolPolicy {
  /** Unique within a service. */
  readonly name: Name;
  /** Description for the model. */
  readonly description?: string | undefined;
  /** The tool's output is checked against it; an invalid output is a permanent failure (docs/specification.md#s0-1-2). */
  readonly output?: Output | undefined;
  /** A disabled tool answers every call with `TOOL_DISABLED`. @default true */
  readonly enabled?: boolean | undefined;
  /** Overrides of the error classification (docs/specification.md#s1-1-5); the first match wins. */
  readonly classification?: readonly ClassificationRule[] | undefined;
  /** How often and when a model may correct invalid arguments of this tool, in an `AgentRun` (docs/specification.md#s2-policy). @default as in the run */
  readonly validationRetries?: RetryPolicyLayer | undefined;
}

/** A tool whose arguments are typed by its schema. */
export interface ToolDefinition<
  Name extends string,
  Input extends StandardSchema,
  Output extends Schema,
  Result,
> extends ToolDefinitionBase<Name, Output> {
  /** Arguments are checked against it before the tool runs; `run` receives the checked value. */
  readonly input: Input;
  /** Runs the tool once: a function, or a runner from `@holdfast/runners`. */
  readonly run: Runner<OutputOf<Input>, Result>;
}

/** A tool whose arguments are typed by its function: without a schema, or with a JSON Schema, which TypeScript cannot infer from. */
export interface PlainToolDefinition<Name extends string, Arguments, Output extends Schema, Result> extends ToolDefinitionBase<
  Name,
  Output
> {
  /** Arguments are checked against it before the tool runs. */
  readonly input?: JsonSchema | undefined;
  /** Runs the tool once: a function, or a runner from `@holdfast/runners`. */
  readonly run: Runner<Arguments, Result>;
}

/** A checked tool. `Arguments` is what a call passes in, `Result` the output of a successful call. */
export interface Tool<Name extends string = string, Arguments = never, Result = unknown> {
  /** Unique within a service. */
  readonly name: Name;
  /** Description for the model. */
  readonly description: string | undefined;
  /** Schema that arguments are checked against; `undefined`: no check. */
  readonly input: Schema | undefined;
  /** Schema that outputs are checked against; `undefined`: no check. */
  readonly output: Schema | undefined;
  /** Runs the tool once. */
  readonly run: Runner<never, unknown>;
  /** False: every call is answered with `TOOL_DISABLED`. */
  readonly enabled: boolean;
  /** Overrides of the error classification; the first match wins. */
  readonly classification: readonly ClassificationRule[];
  /** How a model may correct invalid arguments of this tool; `undefined`: as in the agent run. */
  readonly validationRetries?: RetryPolicyLayer | undefined;
  /** Settings of this tool, over those of the service and the profile. */
  readonly policy: ToolPolicy;
  /** Only for the compiler: ties a tool's name to its types. Never set. */
  readonly '~types'?: { readonly arguments: (value: Arguments) => void; readonly result: Result };
}

/** Any tool, whatever its types. */
export type AnyTool = Tool<string, never, unknown>;

/** The type of a successful call's output: from its schema, otherwise from its function. */
export type ResultOf<Output, Result> = [unknown] extends [OutputOf<Output>] ? Awaited<Result> : OutputOf<Output>;

/**
 * Defines a tool. Arguments and output are inferred from the schemas and from `run`.
 *
 * @throws TypeError | RangeError naming the field, its value and the fix.
 */
export function defineTool<const Name extends string, Input extends StandardSchema, Output extends Schema = Schema, Result = unknown>(
  definition: ToolDefinition<Name, Input, Output, Result>,
): Tool<Name, InputOf<Input>, ResultOf<Output, Result>>;
/**
 * Defines a tool without a schema, or with a JSON Schema: its arguments are typed by `run`.
 *
 * @throws TypeError | RangeError naming the field, its value and the fix.
 */
export function defineTool<const Name extends string, Arguments = unknown, Output extends Schema = Schema, Result = unknown>(
  definition: PlainToolDefinition<Name, Arguments, Output, Result>,
): Tool<Name, NoInfer<Arguments>, ResultOf<Output, Result>>;
export function defineTool(
  definition: ToolDefinitionBase<string, Schema> & { readonly input?: Schema | undefined; readonly run: unknown },
): AnyTool {
  const name = isRecord(definition) ? definition.name : undefined;
  checkOptions(definitionFields, definition, isToolName(name) ? `Tool '${name}'` : 'Tool', ['name', 'run']);
  const { name: _name, description, input, output, run, enabled = true, classification = [], validationRetries, ...policy } = definition;
  return Object.freeze({
    name: definition.name,
    description,
    input,
    output,
    run: run as unknown as Runner<never, unknown>,
    enabled,
    classification,
    ...(validationRetries === undefined ? {} : { validationRetries }),
    policy,
  });
}

/** What a definition has besides settings. */
export const ownFields: Fields = {
  name: (value, field) => {
    if (!isToolName(value)) refuse(field, value, 'a non-empty string: the name by which the model calls the tool', '');
  },
  description: 'string',
  input: schemaRule,
  output: schemaRule,
  run: (value, field) => {
    if (typeof value !== 'function') refuse(field, value, 'a function (args, context) => output, or a runner', '');
  },
  enabled: 'boolean',
  classification: (value, field) => void compileRules(value as readonly ClassificationRule[], field),
  validationRetries: (value, field) => checkRetryPolicy(value as RetryPolicyLayer, field),
};

const definitionFields: Fields = { ...ownFields, ...toolFields };

const toolShape: Fields = { ...ownFields, policy: toolFields, '~types': 'object' };

/**
 * Checks what a service was given as a tool. A changed copy of a tool is checked like a definition.
 * @throws TypeError | RangeError naming the field (with `where` in front), the value and the fix.
 */
export function checkTool(tool: unknown, where: string): asserts tool is AnyTool {
  if (!isRecord(tool) || !isRecord(tool['policy']) || !Array.isArray(tool['classification']))
    throw new TypeError(`${where} must be created with defineTool(), got ${show(tool)}.`);
  checkOptions(toolShape, tool, where, ['name', 'run', 'enabled']);
}

function isToolName(name: unknown): name is string {
  return typeof name === 'string' && name.trim() !== '';
}

/** A Standard Schema or a JSON Schema. */
export function schemaRule(value: unknown, field: string): void {
  if (isObjectOrFunction(value) && '~standard' in value) return;
  if (!isPlain(value)) return refuse(field, value, 'a Standard Schema (zod, valibot, arktype …) or a JSON Schema object', '');
  const names = Object.keys(value);
  // Properties without the object around them would check nothing.
  if (names.length > 0 && !names.some((name) => keywords.test(name)))
    throw new TypeError(`${field} has no JSON Schema keyword. Write { type: 'object', properties: { ${names[0]}: … } }.`);
  const { type, required } = value;
  // Gemini writes types in capitals.
  if (typeof type === 'string' && !/^[A-Z_]+$/.test(type)) checkRule(types, type, `${field}.type`, suggest);
  // Some generators write null for an empty list.
  if (required !== undefined && required !== null) checkRule(listOf('string', 'an array of names'), required, `${field}.required`);
}

const types: Rule = ['object', 'string', 'number', 'integer', 'boolean', 'array', 'null'];

const keywords = /^(?:\$|x-|min|max|additional|pattern|(?:type|properties|required|enum|const|items|not|title|description|format)$)|Of$/;
