/** Owns LangChain's tools: reading them into what a service runs, running one for an attempt, offering them while a circuit is open. */
import { isDirectToolOutput, ToolMessage } from '@langchain/core/messages/tool';
import type { ClientTool } from '@langchain/core/tools';
import { convertToOpenAITool } from '@langchain/core/utils/function_calling';
import { toJsonSchema } from '@langchain/core/utils/json_schema';
import type { JsonSchema } from '@holdfast/core';
import type { AgentRun } from '@holdfast/core/agent';
import { fieldOf, toSerializable } from '@holdfast/adapter-kit';
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
  // What the adapters for MCP put beside a tool.
  const isReadOnly = fieldOf(fieldOf(fieldOf(tool, 'metadata'), 'annotations'), 'readOnlyHint') === true;
  return {
    name,
    description,
    policy: isReadOnly ? { effect: 'read' } : undefined,
    run: async (args: never, { signal, callId: id }) =>
      contentOf(await toolForAttempt(tool, signal).invoke({ type: 'tool_call', id, name, args })),
  };
}

/** The schema that the model is shown. */
export function schemaOf({ schema }: ClientTool): JsonSchema | undefined {
  try {
    return toJsonSchema(schema as JsonSchema) as JsonSchema;
  } catch {
    return undefined;
  }
}

/** What the model is told in a tool's message. @throws Error for one that says that it failed: anyone who made it has done what could be done. */
export function contentOf(output: unknown): unknown {
  if (fieldOf(output, 'lg_name') === 'Command') return { lg_name: 'Command' };
  if (!ToolMessage.isInstance(output)) return output;
  if (output.status === 'error') throw Object.assign(new Error(output.text || 'The tool says that it failed.'), { retryable: false });
  return output.content;
}

/** The tool for one attempt: it hears when that is over, and its output can always be told. */
export function toolForAttempt(tool: ClientTool, signal: AbortSignal): Invocable {
  const { func } = tool as { readonly func?: (...args: readonly unknown[]) => unknown };
  const call = async (...args: readonly unknown[]): Promise<unknown> => {
    const output = await func?.apply(tool, [...args]);
    return isDirectToolOutput(output) ? output : toSerializable(output);
  };
  const told = (func ? deriveTool(tool, { func: call }) : tool) as Invocable;
  return {
    invoke: (input, config) =>
      told.invoke(input, { ...config, signal: config?.signal ? AbortSignal.any([config.signal, signal]) : signal }),
  };
}

/** The same in all but what is named. */
export function deriveTool<Tool extends object>(tool: Tool, own: object): Tool {
  return Object.create(tool, Object.getOwnPropertyDescriptors(own)) as Tool;
}

/** How a tool is told when something has to be said of it. */
type Describe = (tool: LangChainTool, description: string | undefined) => LangChainTool;

/** The tools as they should be offered now; the same list where nothing has to be said. */
export function offeredTools(run: AgentRun, tools: readonly LangChainTool[], describe: Describe): readonly LangChainTool[] {
  const told = tools.map((tool) => ({ name: String(tool.name), description: tool.description as string | undefined, tool }));
  const offered = run.advertise(told);
  return offered === told ? tools : offered.map((each) => (told.includes(each) ? each.tool : describe(each.tool, each.description)));
}

/** An agent takes no other tool under the name of one of its own, but it takes a definition. */
export const asDefinition: Describe = (tool, description) => {
  const definition = convertToOpenAITool(tool as ClientTool);
  return { ...definition, function: { ...definition.function, description } };
};

export const asTool: Describe = (tool, description) => deriveTool(tool, { description });
