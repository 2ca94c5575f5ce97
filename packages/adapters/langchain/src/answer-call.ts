/**
 * Owns answering one call with the message that the framework expects.
 *
 * Invariants
 * 1. Of a call that succeeds, the framework gets the very message, or `Command`, that its own handler made.
 * 2. What LangGraph throws to steer itself (interrupts, commands to a parent, a drain) goes out as it is: not counted as a failure, not retried.
 * 3. Nothing else is thrown but the caller's abort.
 */
import type { AIMessage, BaseMessage, ToolCall } from '@langchain/core/messages';
import { ToolMessage } from '@langchain/core/messages';
import type { Command } from '@langchain/langgraph';
import type { CallExecutor, ModelCall } from '@holdfast/core/agent';
import { isSteering, wordedFailure } from './failures.ts';
import type { Scene } from './langchain-tools.ts';
import { modelCall } from './read-calls.ts';
import { contentOf } from './tools.ts';

/** What a framework tells of one call. */
export interface FrameworkCall {
  readonly call: ToolCall;
  /** Of the conversation; the last answer among them made the call. */
  readonly messages: readonly BaseMessage[];
  readonly signal: AbortSignal | undefined;
  /** Runs the tool in the framework's way. */
  readonly run: (args: ToolCall['args'], signal: AbortSignal) => unknown;
}

export async function answerCall(
  { reliable, known, conversations }: Scene,
  { call, messages, signal, run }: FrameworkCall,
): Promise<ToolMessage | Command> {
  const { turn, siblings } = turnOf(call, messages);
  const cancel = new AbortController();
  const steering: unknown[] = [];
  const outputs: { readonly content: unknown; readonly output: ToolMessage | Command }[] = [];
  const execute: CallExecutor = async (args, context) => {
    try {
      const output = await run(args as ToolCall['args'], context.signal);
      const content = isCommand(output) ? { lg_name: 'Command' } : contentOf(output);
      outputs.push({ content, output: output as ToolMessage | Command });
      return content;
    } catch (error) {
      if (!isSteering(error)) throw wordedFailure(error, known.get(call.name), args);
      steering.push(error);
      cancel.abort();
      throw error;
    }
  };
  const calls = reliable.ordered(siblings);
  const answer = await conversations.runOf(messages).answerOne(calls[0] as ModelCall, turn, {
    signal: signal ? AbortSignal.any([signal, cancel.signal]) : cancel.signal,
    siblings: calls,
    execute,
  });
  if (steering.length > 0) throw steering[0];
  const { result, text, isError } = answer;
  if (result.error?.code === 'CANCELLED') signal?.throwIfAborted();
  const own = outputs.findLast(({ content }) => content === result.output);
  if (own && result.status === 'success' && !result.altered) return own.output;
  return new ToolMessage({ content: text, tool_call_id: call.id ?? '', name: call.name, status: isError ? 'error' : 'success' });
}

function isCommand(output: unknown): boolean {
  return (Object(output) as { readonly lg_name?: unknown }).lg_name === 'Command';
}

/** What stands for the model's answer, and its calls that have no result yet: the one that is asked for first. */
function turnOf(call: ToolCall, messages: readonly BaseMessage[]): { readonly turn: object; readonly siblings: readonly ModelCall[] } {
  const turn = messages.findLast((message) => message.type === 'ai') as AIMessage | undefined;
  const place = messages.findIndex((message) => message === turn);
  const answered = messages.slice(place + 1).map((message) => (message as ToolMessage).tool_call_id);
  const others = turn?.tool_calls?.filter(({ id }) => id !== call.id && !answered.includes(id as string)) ?? [];
  return { turn: turn ?? {}, siblings: [call, ...others].map((each) => modelCall(each, turn)) };
}
