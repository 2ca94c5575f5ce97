/** Backends that demand the reasoning of calls back. */
import { isText, listOf } from '../../reading.ts';
import type { ChatMessage } from '../shape.ts';

/** The messages with calls, from an index on, whose reasoning is not there; an empty string counts as reasoning. */
export const callsWithoutReasoning = (messages: readonly ChatMessage[], from: number): readonly number[] =>
  [...messages.keys()].filter((index) => {
    const { role, tool_calls: calls, reasoning_content: reasoning } = messages[index] ?? {};
    return index >= from && role === 'assistant' && listOf(calls).length > 0 && !isText(reasoning);
  });

/** Where the current turn begins. */
export const lastUser = (messages: readonly ChatMessage[]): number => messages.findLastIndex(({ role }) => role === 'user');
