/**
 * Owns a tool of the framework as it runs under the service: the same tool in everything but how it is executed, and in what is told of it while it fails.
 *
 * Invariants
 * 1. A tool without `execute` stays the same object: whoever runs it, it is not us.
 * 2. What is not listed here goes through untouched: approvals, input callbacks, contexts, examples, provider options.
 * 3. A failure is thrown, as the framework expects; an abort by the caller is thrown as it is.
 */
import type { AttemptContext } from '@holdfast/core';
import { compileJsonSchema } from '@holdfast/wire';
import type { Seam } from './seam.ts';
import { streamed } from './streamed.ts';
import { ToolCallError } from './tool-call-error.ts';

/** What the framework hands to a tool, as far as it is read here. */
export interface ExecutionOptions {
  readonly toolCallId: string;
  readonly messages: readonly unknown[];
  readonly abortSignal?: AbortSignal | undefined;
}

type ModelOutput = (given: { readonly toolCallId: string; readonly input: unknown; readonly output: unknown }) => unknown;
type Description = string | ((options: unknown) => string | undefined) | undefined;

/** What is read of a tool of the framework, whichever version. */
export interface SourceTool {
  readonly description?: Description;
  readonly inputSchema?: unknown;
  readonly execute?: (input: unknown, options: ExecutionOptions) => unknown;
  readonly toModelOutput?: ModelOutput | undefined;
}

export type SourceTools = Readonly<Record<string, SourceTool>>;

export function wrappedTool(name: string, tools: SourceTools, seam: Seam): SourceTool {
  const tool = tools[name] as SourceTool;
  if (typeof tool.execute !== 'function') return tool;
  /** By call id: what the model is told in place of what the tool itself would make of the output. */
  const told = new Map<string, ModelOutput>();

  const run = async (input: unknown, options: ExecutionOptions, emit?: (value: unknown) => void): Promise<unknown> => {
    const { toolCallId = '', messages, abortSignal: signal } = options;
    const call = { toolName: name, callId: toolCallId, arguments: input };
    const { result, ...answer } = await seam.answer({
      ...call,
      messages,
      signal,
      read: { ok: true, value: input, repairs: seam.takeRepairs(call) },
      execute: (args, context) => outputOf(tool, args, options, context, emit),
    });
    if (result.status !== 'success') {
      signal?.throwIfAborted();
      throw new ToolCallError({ result, ...answer });
    }
    if (result.altered || result.partial) told.set(toolCallId, () => ({ type: 'text', value: answer.text }));
    else if (result.servedBy !== name) told.set(toolCallId, tools[result.servedBy]?.toModelOutput ?? plainOutput);
    return result.output;
  };

  const advertised = (description: string | undefined): string | undefined => {
    const [offered = { description }] = seam.agentRun.advertise([{ name, description }]);
    return offered.description;
  };
  const own = tool.toModelOutput?.bind(tool) ?? plainOutput;
  const changes: PropertyDescriptorMap = {
    execute: {
      value: isGenerator(tool.execute)
        ? (input: unknown, options: ExecutionOptions = noOptions) =>
            streamed((emit, abortSignal) => run(input, { ...options, abortSignal }, emit), options.abortSignal)
        : (input: unknown, options: ExecutionOptions = noOptions) => run(input, options),
    },
    description: {
      get: (): Description => {
        const { description } = tool;
        return typeof description === 'function' ? (options) => advertised(description.call(tool, options)) : advertised(description);
      },
    },
    // Until something has to be told otherwise it is the tool's own, or none.
    toModelOutput: {
      get: () => (told.size === 0 ? tool.toModelOutput : (given: Parameters<ModelOutput>[0]) => (told.get(given.toolCallId) ?? own)(given)),
    },
    inputSchema: { value: checkedSchema(tool.inputSchema) },
  };
  for (const change of Object.values(changes)) Object.assign(change, { enumerable: true, configurable: true });
  return Object.create(Object.getPrototypeOf(tool) as object, { ...Object.getOwnPropertyDescriptors(tool), ...changes }) as SourceTool;
}

const noOptions: ExecutionOptions = { toolCallId: '', messages: [] };

/** Runs the tool itself; of a stream its last value is the output. */
export function outputOf(
  tool: SourceTool,
  args: unknown,
  options: ExecutionOptions,
  context: AttemptContext,
  emit?: (value: unknown) => void,
): unknown {
  const output = tool.execute?.(args, { ...options, abortSignal: context.signal });
  return isAsyncIterable(output) ? lastOf(output, context, emit) : output;
}

async function lastOf(
  values: AsyncIterable<unknown>,
  context: AttemptContext,
  emit: ((value: unknown) => void) | undefined,
): Promise<unknown> {
  let last: unknown;
  for await (const value of values) {
    // An attempt whose time is up has nothing more to say.
    if (context.signal.aborted) break;
    last = value;
    context.reportPartial(value);
    emit?.(value);
  }
  return last;
}

const isAsyncIterable = (value: unknown): value is AsyncIterable<unknown> =>
  typeof value === 'object' && value !== null && typeof (value as Partial<AsyncIterable<unknown>>)[Symbol.asyncIterator] === 'function';

/** The framework decides by what `execute` returns at once whether a tool streams; only a generator tells before it runs. */
const isGenerator = (execute: object): boolean => Object.prototype.toString.call(execute) === '[object AsyncGeneratorFunction]';

/** What the framework makes of outputs by itself. */
const plainOutput: ModelOutput = ({ output }) =>
  typeof output === 'string'
    ? { type: 'text', value: output }
    : { type: 'json', value: JSON.parse(JSON.stringify(output) ?? 'null') as unknown };

interface FrameworkSchema {
  readonly jsonSchema: object | PromiseLike<object>;
  readonly validate?: unknown;
}

/** A JSON Schema without a check of its own, such as an MCP server's, gets one: else its tool would run with anything. */
function checkedSchema(schema: unknown): unknown {
  if (typeof schema !== 'object' || schema === null || !('jsonSchema' in schema) || (schema as FrameworkSchema).validate) return schema;
  const { jsonSchema } = schema as FrameworkSchema;
  const validate = async (value: unknown): Promise<object> => {
    const problem = await problemOf(value, jsonSchema);
    return problem === undefined ? { success: true, value } : { success: false, error: new Error(problem) };
  };
  return Object.defineProperties({}, { ...Object.getOwnPropertyDescriptors(schema), validate: { value: validate, enumerable: true } });
}

async function problemOf(value: unknown, schema: object | PromiseLike<object>): Promise<string | undefined> {
  try {
    const issues = compileJsonSchema((await schema) as Readonly<Record<string, unknown>>)(value);
    return issues.length === 0 ? undefined : sayIssues(issues);
  } catch {
    // A schema that cannot be used checks nothing.
    return undefined;
  }
}

/** One line for each mismatch, whatever found it. */
export function sayIssues(issues: readonly { readonly path?: unknown; readonly message?: unknown }[]): string {
  return issues
    .map(({ path, message }) => `${Array.isArray(path) ? path.join('.') || 'arguments' : 'arguments'}: ${String(message)}`)
    .join('; ');
}
