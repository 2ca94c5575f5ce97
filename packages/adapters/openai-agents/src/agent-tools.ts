/**
 * Owns tools made by `agent.asTool()`. The SDK finds the agent of such a tool by the tool object, also when it reads a state that was saved as a string, so the given
 * object itself is wrapped, once for all conversations.
 *
 * Invariants
 * 1. The object stays the given one. Wrapping it again replaces the earlier wrapping.
 * 2. A call belongs to the conversation whose settings the SDK's run uses, known by its context; without settings, each run of the SDK is a conversation of its own.
 */
import type { FunctionTool, RunContext } from '@openai/agents';
import type { Conversation } from './conversation.ts';
import { functionTool } from './function-tool.ts';
import type { ReadTool } from './tools.ts';

/** Finds the conversation of a run of the SDK. */
export class ConversationsByContext {
  readonly #start: () => Conversation;
  readonly #byContext = new WeakMap<object, Conversation>();

  /** @param start begins a conversation for a run of the SDK without settings */
  constructor(start: () => Conversation) {
    this.#start = start;
  }

  /** Associates the caller's context of a run, which the SDK creates if the caller has none. */
  remember(context: unknown, conversation: Conversation): void {
    if (typeof context === 'object' && context !== null) this.#byContext.set(context, conversation);
  }

  of(run: RunContext): Conversation {
    const own = Object(run.context) as object;
    const known = this.#byContext.get(own) ?? this.#byContext.get(run);
    if (known) return known;
    const started = this.#start();
    this.remember(run, started);
    return started;
  }
}

/** Wraps the given object of an agent tool. */
export function wrapAgentTool(given: FunctionTool, read: ReadTool, conversations: ConversationsByContext): void {
  // What does not depend on the conversation is the same for all.
  const { description, isEnabled } = Object.getOwnPropertyDescriptors(functionTool(read, conversations.of({} as RunContext)));
  const invoke: FunctionTool['invoke'] = (context, ...rest) => functionTool(read, conversations.of(context)).invoke(context, ...rest);
  Object.defineProperties(given, {
    description,
    isEnabled,
    invoke: { value: invoke, writable: true, enumerable: true, configurable: true },
  });
}
