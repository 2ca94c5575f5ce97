/**
 * Owns the middleware for `createAgent`. It adds no node to the agent's graph, so the number of steps does not change.
 *
 * Invariants
 * 1. It throws only LangGraph's control-flow errors, the caller's abort, and errors of the model itself. Whatever a tool does, the agent continues.
 * 2. Calls of unknown tools (other middleware may add its own) are left to the framework; only their failures are caught.
 */
import { AIMessage, ToolMessage } from '@langchain/core/messages';
import type { WrapModelCallHook, WrapToolCallHook } from 'langchain';
import { describeError } from '@holdfast/core/internal';
import { fieldOf } from '@holdfast/adapter-kit';
import type { ReliabilityMiddleware, AdapterContext } from './adapter-context.ts';
import { readCalls } from './read-calls.ts';
import { answerCall, isControlFlowError, reliableTool } from './reliable-tool.ts';
import { asDefinition, isClientTool, offeredTools } from './tools.ts';
import { repairMessages } from './transcript.ts';

export function middleware(context: AdapterContext): ReliabilityMiddleware {
  const wrapModelCall: WrapModelCallHook = async (request, handler) => {
    const run = context.runOf(request.state.messages);
    if (run.stopped) {
      const { reason, message } = run.stopped;
      // A message without calls ends the agent.
      return new AIMessage({ content: `Stopped: ${message}.`, response_metadata: { stopped: { reason, message } } });
    }
    const { toolChoice = 'auto' } = request;
    const offered = offeredTools(run, request.tools, asDefinition) as typeof request.tools;
    // If the model must call a tool, none is removed.
    const tools = toolChoice === 'auto' || offered.length === request.tools.length ? offered : request.tools;
    const answer: unknown = await handler({ ...request, messages: repairMessages(request.messages, context.reliable, run), tools });
    if (!AIMessage.isInstance(answer)) return answer as AIMessage;
    const read = readCalls(answer, context);
    context.remember(read, run);
    return read;
  };

  const wrapToolCall: WrapToolCallHook = async (request, handler) => {
    const { toolCall, tool, runtime } = request;
    const messages = request.state.messages;
    const isKnown = context.schemas.has(toolCall.name);
    try {
      const output = await handler(isKnown && isClientTool(tool) ? { ...request, tool: reliableTool(tool, context) } : request);
      const isMissing =
        !tool && !isKnown && fieldOf(output, 'status') === 'error' && String(fieldOf(output, 'content')).includes(' is not a valid tool');
      if (!isMissing) return output;
    } catch (error) {
      if (isControlFlowError(error) || runtime.signal?.aborted) throw error;
      const content = `Error: ${describeError(error).message}`;
      return new ToolMessage({ content, tool_call_id: toolCall.id ?? '', name: toolCall.name, status: 'error' });
    }
    // The tool does not exist: the service reports and counts it.
    return (await answerCall(context, toolCall, { messages, signal: runtime.signal, run: () => undefined })) as ToolMessage;
  };

  return { name: 'Holdfast', wrapModelCall, wrapToolCall } as ReliabilityMiddleware;
}
