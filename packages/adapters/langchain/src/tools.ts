/** Owns LangChain's tools: converting them for the service, running one for an attempt, offering them while a circuit is open. */
import { isDirectToolOutput, ToolMessage } from '@langchain/core/messages/tool';
import type { ClientTool } from '@langchain/core/tools';
import { convertToOpenAITool } from '@langchain/core/utils/function_calling';
import { toJsonSchema } from '@langchain/core/utils/json_schema';
import type { JsonSchema } from '@holdfast/core';
import { outputText, type AgentRun } from '@holdfast/core/agent';
import { fieldOf, membersOf } from '@holdfast/adapter-kit';
import type { FrameworkTool } from '@holdfast/adapter-kit';
import type { LangChainTool } from './adapter-context.ts';

export interface Invocable {
  invoke(input: unknown, config?: { readonly signal?: AbortSignal | undefined }): Promise<unknown>;
}

export function isClientTool(tool: LangChainTool | undefined): tool is ClientTool {
  return typeof fieldOf(tool, 'invoke') === 'function';
}

export function sourceOf(tool: ClientTool): FrameworkTool {
  const { name, description } = tool;
  // Set by LangChain's MCP adapters.
  const isReadOnly = fieldOf(fieldOf(fieldOf(tool, 'metadata'), 'annotations'), 'readOnlyHint') === true;
  return {
    name,
    description,
    schema: () => schemaOf(tool),
    policy: isReadOnly ? { effect: 'read' } : undefined,
    run: async (args: never, { signal, callId: id }) =>
      contentOf(await toolForAttempt(tool, signal).invoke({ type: 'tool_call', id, name, args })),
  };
}

/** The schema shown to the model. */
export function schemaOf({ schema }: ClientTool): JsonSchema | undefined {
  try {
    return toJsonSchema(schema as JsonSchema) as JsonSchema;
  } catch {
    return undefined;
  }
}

/** The content of a tool's message. @throws Error for a message with the status `error`, which is not retried */
export function contentOf(output: unknown): unknown {
  if (fieldOf(output, 'lg_name') === 'Command') return { lg_name: 'Command' };
  if (!ToolMessage.isInstance(output)) return output;
  if (output.status !== 'error') return output.content;
  const error = Object.assign(new Error(output.text || 'The tool reported a failure.'), { retryable: false });
  errorMessages.set(error, output);
  throw error;
}

/** Messages with the status `error`, by the errors created from them. */
const errorMessages = new WeakMap<object, ToolMessage>();

/** The message that a tool returned with the status `error`, if it failed so. */
export const errorMessageOf = (cause: unknown): ToolMessage | undefined => errorMessages.get(Object(cause) as object);

/**
 * The tool for one attempt, with its signal if it needs one of its own, and with output that can always be serialized. A class of the user's own runs as it is, since its methods may use private
 * fields, which an object derived from it does not have.
 */
export function toolForAttempt(tool: ClientTool, signal: AbortSignal | undefined): Invocable {
  const wrapped = serializing(tool);
  if (!signal) return wrapped;
  return {
    invoke: (input, config) =>
      wrapped.invoke(input, { ...config, signal: config?.signal ? AbortSignal.any([config.signal, signal]) : signal }),
  };
}

const serializingTools = new WeakMap<ClientTool, Invocable>();

function serializing(tool: ClientTool): Invocable {
  const known = serializingTools.get(tool);
  if (known) return known;
  const given = tool as { readonly func?: (...args: readonly unknown[]) => unknown; readonly responseFormat?: string };
  const func = async (...args: readonly unknown[]): Promise<unknown> => {
    const output = await given.func?.(...args);
    // An artifact is for the program, and may be anything.
    return given.responseFormat === 'content_and_artifact' && Array.isArray(output) && output.length === 2
      ? [serializable(output[0]), output[1] as unknown]
      : serializable(output);
  };
  const wrapped = (given.func && isPlain(tool) ? deriveTool(tool, { func }) : tool) as Invocable;
  serializingTools.set(tool, wrapped);
  return wrapped;
}

/**
 * The output as LangChain can write it: of what JSON cannot represent it makes `[object Object]`. The text of a plain object is made here, because LangChain would
 * make the same.
 */
function serializable(output: unknown): unknown {
  if (typeof output !== 'object' || output === null || isDirectToolOutput(output)) return output;
  try {
    const text: string | undefined = JSON.stringify(output);
    return Object.getPrototypeOf(output) === Object.prototype && text !== undefined ? text : output;
  } catch {
    return outputText(output);
  }
}

/** Whether the tool is of LangChain's own class, and not of a subclass, which inherits its name. */
function isPlain(tool: ClientTool): boolean {
  const prototype: unknown = Object.getPrototypeOf(tool);
  return isLangChains(prototype) && ['DynamicStructuredTool', 'DynamicTool'].includes(String(prototype.constructor.lc_name()));
}

interface LangChainClass {
  readonly constructor: { readonly lc_name: () => unknown };
}

/** Whether a prototype belongs to a class of LangChain itself: a subclass inherits the name of its class. */
function isLangChains(prototype: unknown): prototype is LangChainClass {
  const made = fieldOf(prototype, 'constructor');
  return typeof made === 'function' && Object.hasOwn(made, 'lc_name');
}

/** Derives a tool that differs only in the given properties. */
export function deriveTool<Tool extends object>(tool: Tool, own: object): Tool {
  const derived = Object.create(tool) as Tool;
  if (!isLangChains(Object.getPrototypeOf(tool))) Object.defineProperties(derived, membersOf(tool, isLangChains));
  return Object.defineProperties(derived, Object.getOwnPropertyDescriptors(own));
}

/** Creates a tool with another description. */
type Describe = (tool: LangChainTool, description: string | undefined) => LangChainTool;

/** The tools to offer now; the same list if nothing has to be changed. */
export function offeredTools(run: AgentRun, tools: readonly LangChainTool[], describe: Describe): readonly LangChainTool[] {
  const described = tools.map((tool) => ({ name: String(tool.name), description: tool.description as string | undefined, tool }));
  const offered = run.advertise(described);
  return offered === described
    ? tools
    : offered.map((each) => (described.includes(each) ? each.tool : describe(each.tool, each.description)));
}

/** An agent does not accept another tool under the name of its own, but accepts a definition. */
export const asDefinition: Describe = (tool, description) => {
  const definition = convertToOpenAITool(tool as ClientTool);
  return { ...definition, function: { ...definition.function, description } };
};

export const asTool: Describe = (tool, description) => deriveTool(tool, { description });
