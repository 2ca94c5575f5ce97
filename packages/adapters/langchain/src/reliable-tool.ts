/** Owns a tool for `ToolNode`: the same tool, whose calls are answered here and never throw. */
import type { BaseMessage, ToolCall } from '@langchain/core/messages';
import { answerCall } from './answer-call.ts';
import type { Scene } from './langchain-tools.ts';
import { derived, lentTool } from './lent-tool.ts';
import type { LangChainTool } from './tools.ts';
import { isClientTool } from './tools.ts';

/** What `ToolNode` tells a tool. */
interface NodeConfig {
  readonly state?: unknown;
  readonly signal?: AbortSignal;
}

const made = new WeakSet<object>();

/** Whether a tool answers by itself. */
export function isReliable(tool: object | undefined): boolean {
  return tool !== undefined && made.has(tool);
}

export function reliableTool<Tool extends LangChainTool>(tool: Tool, scene: Scene): Tool {
  if (!isClientTool(tool)) return tool;
  const invoke = (input: unknown, config: NodeConfig = {}): Promise<unknown> => {
    // Without a call there is nobody to be answered.
    if (!isToolCall(input)) return tool.invoke(input as never, config as never) as Promise<unknown>;
    const { messages } = Object(config.state) as { readonly messages?: unknown };
    return answerCall(scene, {
      call: input,
      messages: Array.isArray(config.state) ? (config.state as BaseMessage[]) : Array.isArray(messages) ? (messages as BaseMessage[]) : [],
      signal: config.signal,
      run: (args, signal) => lentTool(tool, signal).invoke({ ...input, args }, config),
    });
  };
  const reliable = derived(tool, { invoke });
  made.add(reliable);
  return reliable;
}

function isToolCall(input: unknown): input is ToolCall {
  return (Object(input) as { readonly type?: unknown }).type === 'tool_call';
}
