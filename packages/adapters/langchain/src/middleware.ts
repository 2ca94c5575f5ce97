/**
 * Owns the middleware for `createAgent`. It adds no node to the agent's graph: a loop takes as many steps as before.
 *
 * Invariants
 * 1. It throws what steers LangGraph, the caller's abort, and what the model itself throws. Whatever a tool does, the agent goes on.
 * 2. Calls of tools that are not ours (other middleware brings its own) are left to the framework; only their failures are caught.
 */
import type { BaseMessage } from '@langchain/core/messages';
import { AIMessage, ToolMessage } from '@langchain/core/messages';
import type { AgentMiddleware, ToolCallRequest, WrapModelCallHook, WrapToolCallHook } from 'langchain';
import type { AgentRun, RunStopped } from '@holdfast/core/agent';
import { answerCall } from './answer-call.ts';
import { isSteering, textOfFailure } from './failures.ts';
import type { Scene } from './langchain-tools.ts';
import { lentTool } from './lent-tool.ts';
import { readCalls } from './read-calls.ts';
import { isReliable } from './reliable-tool.ts';
import { asDefinition, isClientTool, offeredTools } from './tools.ts';
import { repairMessages } from './transcript.ts';

/** A middleware without a state, a context or tools of its own. */
export type ReliabilityMiddleware = AgentMiddleware<undefined, undefined, unknown, readonly [], readonly []>;

type ToolHandler = Parameters<WrapToolCallHook>[1];
type ModelRequest = Parameters<WrapModelCallHook>[0];

export function reliabilityMiddleware(scene: Scene): ReliabilityMiddleware {
  const { reliable, conversations } = scene;

  const wrapModelCall: WrapModelCallHook = async (request, handler) => {
    const run = conversations.runOf(request.state.messages);
    if (run.stopped) return lastWord(run.stopped);
    const messages = repairMessages(request.messages, reliable, run);
    const answer: unknown = await handler({ ...request, messages, tools: toolsNow(run, request) });
    if (!AIMessage.isInstance(answer)) return answer as AIMessage;
    const read = readCalls(answer, scene);
    conversations.remember(read, run);
    return read;
  };

  const wrapToolCall: WrapToolCallHook = async (request, handler) => {
    const { toolCall, tool, state, runtime } = request;
    if (isReliable(tool)) return handler(request);
    if (!scene.known.has(toolCall.name)) {
      const output = await leaveToFramework(request, handler);
      if (output) return output;
    }
    return answerCall(scene, {
      call: toolCall,
      messages: state.messages as BaseMessage[],
      signal: runtime.signal,
      run: (args, signal) => {
        const lent = isClientTool(tool) ? { tool: lentTool(tool, signal) } : {};
        return handler({ ...request, toolCall: { ...toolCall, args }, ...lent } as ToolCallRequest);
      },
    });
  };

  return { name: 'Holdfast', wrapModelCall, wrapToolCall } as ReliabilityMiddleware;
}

/** The agent ends with it: it calls nothing. */
function lastWord(stopped: RunStopped): AIMessage {
  const { reason, message } = stopped;
  return new AIMessage({ content: `Stopped: ${message}.`, response_metadata: { stopped: { reason, message } } });
}

/** Where the model has to call a tool, none is left out. */
function toolsNow(run: AgentRun, { tools, toolChoice = 'auto' }: ModelRequest): ModelRequest['tools'] {
  const offered = offeredTools(run, tools, asDefinition) as ModelRequest['tools'];
  const isForced = toolChoice !== 'auto' && toolChoice !== 'none';
  return isForced && offered.length < tools.length ? tools : offered;
}

/** `undefined` for a tool that nobody has. */
async function leaveToFramework(request: ToolCallRequest, handler: ToolHandler): Promise<Awaited<ReturnType<ToolHandler>> | undefined> {
  const { toolCall, tool, runtime } = request;
  try {
    const output = await handler(request);
    const isMissing = !tool && ToolMessage.isInstance(output) && output.status === 'error' && output.text.includes(' is not a valid tool');
    return isMissing ? undefined : output;
  } catch (error) {
    if (isSteering(error) || runtime.signal?.aborted) throw error;
    return new ToolMessage({ content: textOfFailure(error), tool_call_id: toolCall.id ?? '', name: toolCall.name, status: 'error' });
  }
}
