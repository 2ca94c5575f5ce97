/**
 * Owns the middleware for `createAgent`. It adds no node to the agent's graph: a loop takes as many steps as before.
 *
 * Invariants
 * 1. It throws what steers LangGraph, the caller's abort, and what the model itself throws. Whatever a tool does, the agent continues.
 * 2. Calls of tools that are not ours (other middleware brings its own) are left to the framework; only their failures are caught.
 */
import { AIMessage, ToolMessage } from '@langchain/core/messages';
import type { WrapModelCallHook, WrapToolCallHook } from 'langchain';
import { describeError } from '@holdfast/core/internal';
import { fieldOf } from '@holdfast/adapter-kit';
import type { ReliabilityMiddleware, AdapterContext } from './adapter-context.ts';
import { readCalls } from './read-calls.ts';
import { answerCall, isSteering, reliableTool } from './reliable-tool.ts';
import { asDefinition, isClientTool, offeredTools } from './tools.ts';
import { repairMessages } from './transcript.ts';

export function middleware(scene: AdapterContext): ReliabilityMiddleware {
  const wrapModelCall: WrapModelCallHook = async (request, handler) => {
    const run = scene.runOf(request.state.messages);
    if (run.stopped) {
      const { reason, message } = run.stopped;
      // It calls nothing: the agent ends with it.
      return new AIMessage({ content: `Stopped: ${message}.`, response_metadata: { stopped: { reason, message } } });
    }
    const { toolChoice = 'auto' } = request;
    const offered = offeredTools(run, request.tools, asDefinition) as typeof request.tools;
    // Where the model has to call a tool, none is left out.
    const tools = toolChoice === 'auto' || offered.length === request.tools.length ? offered : request.tools;
    const answer: unknown = await handler({ ...request, messages: repairMessages(request.messages, scene.reliable, run), tools });
    if (!AIMessage.isInstance(answer)) return answer as AIMessage;
    const read = readCalls(answer, scene);
    scene.remember(read, run);
    return read;
  };

  const wrapToolCall: WrapToolCallHook = async (request, handler) => {
    const { toolCall, tool, runtime } = request;
    const messages = request.state.messages;
    const isOurs = scene.schemas.has(toolCall.name);
    try {
      const output = await handler(isOurs && isClientTool(tool) ? { ...request, tool: reliableTool(tool, scene) } : request);
      const isMissing =
        !tool && !isOurs && fieldOf(output, 'status') === 'error' && String(fieldOf(output, 'content')).includes(' is not a valid tool');
      if (!isMissing) return output;
    } catch (error) {
      if (isSteering(error) || runtime.signal?.aborted) throw error;
      const content = `Error: ${describeError(error).message}`;
      return new ToolMessage({ content, tool_call_id: toolCall.id ?? '', name: toolCall.name, status: 'error' });
    }
    // Nobody has it: the service says so, and counts it.
    return (await answerCall(scene, toolCall, { messages, signal: runtime.signal, run: () => undefined })) as ToolMessage;
  };

  return { name: 'Holdfast', wrapModelCall, wrapToolCall } as ReliabilityMiddleware;
}
