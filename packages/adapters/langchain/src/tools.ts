/** Owns what a tool is here: LangChain's own; reading it into what a service runs, and offering it while its circuit is open. */
import { ToolMessage } from '@langchain/core/messages';
import type { ClientTool, ServerTool } from '@langchain/core/tools';
import { convertToOpenAITool } from '@langchain/core/utils/function_calling';
import { toJsonSchema } from '@langchain/core/utils/json_schema';
import type { JsonSchema } from '@holdfast/core';
import type { AgentRun } from '@holdfast/core/agent';
import type { ToolOptions, ToolSource } from '@holdfast/adapter-kit';
import { derived, lentTool } from './lent-tool.ts';

/** A tool made by `tool()`, a subclass of `StructuredTool`, or a definition that the provider runs itself. */
export type LangChainTool = ClientTool | ServerTool;

export function isClientTool(tool: LangChainTool | undefined): tool is ClientTool {
  return typeof tool?.['invoke' as never] === 'function' && typeof tool['name' as never] === 'string';
}

/** The tools that run here, by name. */
export function clientTools(tools: readonly LangChainTool[]): ReadonlyMap<string, ClientTool> {
  return new Map(tools.filter(isClientTool).map((tool) => [tool.name, tool]));
}

/** @param tool one that runs here */
export function sourceOf(tool: ClientTool): ToolSource {
  const { name, description } = tool;
  return {
    name,
    description,
    policy: policyOf(tool),
    async run(args: never, { signal, callId }) {
      const output: unknown = await lentTool(tool, signal).invoke({ type: 'tool_call', id: callId, name, args }, {});
      return contentOf(output);
    },
  };
}

/** What the adapters for MCP put beside a tool. */
function policyOf(tool: ClientTool): ToolOptions | undefined {
  const { metadata } = tool as { readonly metadata?: { readonly annotations?: Readonly<Record<string, unknown>> } };
  const { readOnlyHint, idempotentHint } = metadata?.annotations ?? {};
  if (readOnlyHint === true) return { effect: 'read' };
  return idempotentHint === true ? { effect: 'idempotent' } : undefined;
}

/** What the model is told in a tool's message. @throws Error for one that says that it failed: whoever made it has done what could be done. */
export function contentOf(output: unknown): unknown {
  if (!ToolMessage.isInstance(output)) return output;
  if (output.status === 'error') throw Object.assign(new Error(output.text || 'The tool says that it failed.'), { retryable: false });
  return output.content;
}

const schemas = new WeakMap<ClientTool, { readonly schema: JsonSchema | undefined }>();

/** The schema that the model is shown. */
export function schemaOf(tool: ClientTool | undefined): JsonSchema | undefined {
  if (!tool) return undefined;
  const known = schemas.get(tool) ?? { schema: readSchema(tool) };
  schemas.set(tool, known);
  return known.schema;
}

function readSchema({ schema }: ClientTool): JsonSchema | undefined {
  try {
    return toJsonSchema(schema as Parameters<typeof toJsonSchema>[0]) as JsonSchema;
  } catch {
    return undefined;
  }
}

/** How a tool is told when something has to be said of it. */
export type Describe = (tool: LangChainTool, description: string | undefined) => LangChainTool;

/** The tools as they should be offered now; the same list where nothing has to be said. */
export function offeredTools<Tool extends LangChainTool>(
  run: AgentRun,
  tools: readonly Tool[],
  describe: Describe,
): readonly LangChainTool[] {
  const told = tools.map((tool) => ({ name: String(tool.name), description: tool.description as string | undefined, tool }));
  const offered = run.advertise(told);
  if (offered === told) return tools;
  return offered.map((each) => (told.includes(each) ? each.tool : describe(each.tool, each.description)));
}

/** An agent takes no other tool under the name of one of its own, but it takes a definition. */
export const asDefinition: Describe = (tool, description) => {
  const definition = convertToOpenAITool(tool as ClientTool);
  return { ...definition, function: { ...definition.function, description } };
};

export const asTool: Describe = (tool, description) => derived(tool, { description });
