/** Owns what a tool is here: LangChain's own; reading it into what a service runs, and offering it while its circuit is open. */
import { ToolMessage } from '@langchain/core/messages';
import type { ClientTool, ServerTool } from '@langchain/core/tools';
import { convertToOpenAITool } from '@langchain/core/utils/function_calling';
import { toJsonSchema } from '@langchain/core/utils/json_schema';
import type { JsonSchema } from '@holdfast/core';
import type { AgentRun } from '@holdfast/core/agent';
import type { ToolSource } from '@holdfast/adapter-kit';
import { derived, lentTool } from './reliable-tool.ts';

/** A tool made by `tool()`, a subclass of `StructuredTool`, or a definition that the provider runs itself. */
export type LangChainTool = ClientTool | ServerTool;

/** With the schema that the model is shown. */
export type ClientTools = ReadonlyMap<string, ToolSource & { readonly schema: JsonSchema | undefined }>;

export function isClientTool(tool: LangChainTool): tool is ClientTool {
  return typeof tool['invoke' as never] === 'function';
}

export function sourceOf(tool: ClientTool): ToolSource & { readonly schema: JsonSchema | undefined } {
  const { name, description } = tool;
  const { annotations } = ((tool as { readonly metadata?: object }).metadata ?? {}) as {
    readonly annotations?: { readonly readOnlyHint?: unknown };
  };
  return {
    name,
    description,
    schema: schemaOf(tool),
    // What the adapters for MCP put beside a tool.
    policy: annotations?.readOnlyHint === true ? { effect: 'read' } : undefined,
    run: async (args: never, { signal, callId }) =>
      contentOf(await lentTool(tool, signal).invoke({ type: 'tool_call', id: callId, name, args }, {})),
  };
}

function schemaOf({ schema }: ClientTool): JsonSchema | undefined {
  try {
    return toJsonSchema(schema as Parameters<typeof toJsonSchema>[0]) as JsonSchema;
  } catch {
    return undefined;
  }
}

/** What the model is told in a tool's message. @throws Error for one that says that it failed: whoever made it has done what could be done. */
export function contentOf(output: unknown): unknown {
  if (!ToolMessage.isInstance(output))
    return (output as { readonly lg_name?: unknown } | null)?.lg_name === 'Command' ? { lg_name: 'Command' } : output;
  if (output.status === 'error') throw Object.assign(new Error(output.text || 'The tool says that it failed.'), { retryable: false });
  return output.content;
}

/** How a tool is told when something has to be said of it. */
type Describe = (tool: LangChainTool, description: string | undefined) => LangChainTool;

/** The tools as they should be offered now; the same list where nothing has to be said. */
export function offeredTools<Tool extends LangChainTool>(
  run: AgentRun,
  tools: readonly Tool[],
  describe: Describe,
): readonly LangChainTool[] {
  const told = tools.map((tool) => ({ name: String(tool.name), description: tool.description as string | undefined, tool }));
  const offered = run.advertise(told);
  return offered === told ? tools : offered.map((each) => (told.includes(each) ? each.tool : describe(each.tool, each.description)));
}

/** An agent takes no other tool under the name of one of its own, but it takes a definition. */
export const asDefinition: Describe = (tool, description) => {
  const definition = convertToOpenAITool(tool as ClientTool);
  return { ...definition, function: { ...definition.function, description } };
};

export const asTool: Describe = (tool, description) => derived(tool, { description });
