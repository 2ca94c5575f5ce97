/**
 * Owns tools made by `agent.asTool()`. The SDK finds the agent of such a tool by the tool object, also when it reads a state that was saved as a string, so the given
 * object itself is wrapped, for all conversations of a program.
 *
 * Invariants
 * 1. The object stays the given one. Wrapping it again does not change the conversations that have begun.
 * 2. A call belongs to the conversation whose settings or model the SDK's run uses; without either, each run of the SDK is a conversation of its own.
 */
import type { FunctionTool, RunContext } from '@openai/agents';
import type { Conversation } from './conversation.ts';
import { functionTool } from './function-tool.ts';
import type { CallDetails, ReadTool } from './tools.ts';

/**
 * Conversations by what identifies a run of the SDK: the call as the wrapped model returned it, the caller's context, or the context that the SDK makes. One map for
 * all lists of tools, because the same object may be in several of them.
 */
const conversations = new WeakMap<object, Conversation>();

/** Associates what a run of the SDK hands to its tools with the conversation of the run, if one of its tools is an agent. */
export function rememberConversation(identity: unknown, conversation: Conversation): void {
  if (conversation.hasAgentTools && typeof identity === 'object' && identity !== null) conversations.set(identity, conversation);
}

/** Wraps the given object of an agent tool. @param start begins a conversation for a run of the SDK without settings */
export function wrapAgentTool(given: FunctionTool, read: ReadTool, start: () => Conversation): void {
  const conversationOf = (run: RunContext, { toolCall }: CallDetails): Conversation => {
    const known = [toolCall, run.context, run].map((identity) => conversations.get(Object(identity) as object));
    // The agent inside a tool shares the context of the outer run, but may have other tools.
    const own = known.find((conversation) => conversation?.hasObject(given) === true);
    if (own) return own;
    const started = start();
    rememberConversation(run, started);
    return started;
  };
  // What does not depend on the conversation is the same for all.
  const { description, isEnabled } = Object.getOwnPropertyDescriptors(functionTool(read, start()));
  const invoke: FunctionTool['invoke'] = (context, text, details) =>
    functionTool(read, conversationOf(context, (details ?? {}) as CallDetails)).invoke(context, text, details);
  Object.defineProperties(given, {
    description,
    isEnabled,
    invoke: { value: invoke, writable: true, enumerable: true, configurable: true },
  });
}
