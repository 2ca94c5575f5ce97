/** The fields of a Messages request, all of them untrusted, and its turns as the provider merges them. */
import { fieldsOf, isText, listOf } from '../reading.ts';

export interface MessagesRequest {
  readonly model?: unknown;
  readonly messages?: unknown;
  readonly tools?: unknown;
  readonly tool_choice?: unknown;
  readonly mcp_servers?: unknown;
  readonly thinking?: unknown;
  readonly thread?: unknown;
}

export interface Message {
  readonly role?: unknown;
  readonly content?: unknown;
}

export interface Block {
  readonly type?: unknown;
  readonly text?: unknown;
  readonly id?: unknown;
  readonly name?: unknown;
  readonly input?: unknown;
  readonly tool_use_id?: unknown;
  readonly content?: unknown;
  readonly is_error?: unknown;
  readonly thinking?: unknown;
  readonly signature?: unknown;
}

/** A block with its path in the request. */
export interface Placed {
  readonly block: Block;
  readonly message: number;
  readonly place: number;
}

/** Consecutive messages of one role are one turn. */
export interface Turn {
  readonly role: unknown;
  readonly last: number;
  readonly blocks: readonly Placed[];
}

export const blocksOf = (content: unknown): readonly Block[] =>
  isText(content) ? [{ type: 'text', text: content }] : listOf(content).map((block) => fieldsOf<Block>(block));

export function turnsOf(messages: readonly Message[]): readonly Turn[] {
  const turns: { role: unknown; last: number; blocks: Placed[] }[] = [];
  for (const [message, { role, content }] of messages.entries()) {
    const before = turns.at(-1);
    const same = before && before.role === role ? before : { role, last: message, blocks: [] };
    if (same !== before) turns.push(same);
    same.last = message;
    for (const [place, block] of blocksOf(content).entries()) same.blocks.push({ block, message, place });
  }
  return turns;
}

export const dottedPath = ({ message, place }: Placed): string => `messages.${message}.content.${place}`;

export const pathOf = ({ message, place }: Placed): string => `messages[${message}].content[${place}]`;

export const isThinking = (block: Block): boolean => block.type === 'thinking' || block.type === 'redacted_thinking';

/** `web_search_tool_result` and similar blocks: the provider answers them, inside the assistant's turn. */
export const isServerResult = (block: Block): boolean => isText(block.type) && /.+_tool_result$/.test(block.type);
