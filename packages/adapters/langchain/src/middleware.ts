/**
 * Owns the middleware for `createAgent`. It adds no node to the agent's graph, so the number of steps does not change.
 *
 * Invariants
 * 1. Whatever a tool does, the agent continues. What is thrown is not of a tool: LangGraph's control-flow errors, the caller's abort, errors of the model, and mistakes
 *    of other middleware.
 * 2. Other middleware sees the own error of a tool that finally failed, as without Holdfast.
 * 3. Calls of unknown tools (other middleware may add its own) are left to the framework; only their failures are caught.
 */
import type { ToolCall } from '@langchain/core/messages';
import { AIMessage, ToolMessage } from '@langchain/core/messages';
import type { ClientTool } from '@langchain/core/tools';
import type { WrapModelCallHook, WrapToolCallHook } from 'langchain';
import { describeError } from '@holdfast/core/internal';
import { fieldOf } from '@holdfast/adapter-kit';
import type { ReliabilityMiddleware, AdapterContext } from './adapter-context.ts';
import { readCalls } from './read-calls.ts';
import type { OnFailure } from './reliable-tool.ts';
import { answerCall, isControlFlowError, reliableTool } from './reliable-tool.ts';
import type { Invocable } from './tools.ts';
import { asDefinition, deriveTool, isClientTool, offeredTools } from './tools.ts';
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
    const failures = new Map<unknown, ToolMessage>();
    const note = (error: unknown, message: ToolMessage): void => void failures.set(error, message);
    const wrapped = isClientTool(tool) ? (isKnown ? reliableTool(tool, context, note) : observedTool(tool, toolCall, note)) : tool;
    try {
      const output = await handler(wrapped === tool ? request : { ...request, tool: wrapped });
      const isMissing =
        !tool && !isKnown && fieldOf(output, 'status') === 'error' && String(fieldOf(output, 'content')).includes(' is not a valid tool');
      if (!isMissing) return output;
    } catch (error) {
      const message = runtime.signal?.aborted ? undefined : failures.get(error);
      if (message) return message;
      throw error;
    }
    // The tool does not exist: the service reports and counts it.
    return (await answerCall(context, toolCall, { messages, signal: runtime.signal, run: () => undefined })) as ToolMessage;
  };

  return { name: 'Holdfast', wrapModelCall, wrapToolCall } as ReliabilityMiddleware;
}

/** A tool of other middleware, which is not run here: only what it throws is noted. */
function observedTool(tool: ClientTool, { id, name }: ToolCall, note: OnFailure): ClientTool {
  const invoke: Invocable['invoke'] = async (input, config) => {
    try {
      return await (tool as Invocable).invoke(input, config);
    } catch (error) {
      const content = `Error: ${describeError(error).message}`;
      if (!isControlFlowError(error)) note(error, new ToolMessage({ content, tool_call_id: id ?? '', name, status: 'error' }));
      throw error;
    }
  };
  return deriveTool(tool, { invoke });
}
