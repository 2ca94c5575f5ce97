/** The fields of a Converse request, all of them untrusted, and its turns as the provider merges them. */
import { fieldsOf, isRecord, listOf } from '../reading.ts';

export interface ConverseRequest {
  readonly modelId?: unknown;
  readonly messages?: unknown;
  readonly toolConfig?: unknown;
}

export interface Message {
  readonly role?: unknown;
  readonly content?: unknown;
}

export interface Block {
  readonly text?: unknown;
  readonly toolUse?: unknown;
  readonly toolResult?: unknown;
  readonly document?: unknown;
  readonly image?: unknown;
  readonly cachePoint?: unknown;
  readonly guardContent?: unknown;
}

export interface ToolUse {
  readonly toolUseId?: unknown;
  readonly name?: unknown;
  readonly input?: unknown;
}

export interface ToolResult {
  readonly toolUseId?: unknown;
  readonly content?: unknown;
  readonly status?: unknown;
}

/** Consecutive messages of one role are one turn; `index` is its last message. */
export interface Turn {
  readonly role: unknown;
  readonly index: number;
  readonly blocks: readonly Block[];
}

export const blocksOf = (content: unknown): readonly Block[] => listOf(content).map((block) => fieldsOf<Block>(block));

export function turnsOf(messages: readonly Message[]): readonly Turn[] {
  const turns: { role: unknown; index: number; blocks: Block[] }[] = [];
  for (const [index, { role, content }] of messages.entries()) {
    const before = turns.at(-1);
    const same = before && before.role === role ? before : { role, index, blocks: [] };
    if (same !== before) turns.push(same);
    same.index = index;
    for (const block of blocksOf(content)) same.blocks.push(block);
  }
  return turns;
}

export const usesIn = (turn: Turn | undefined): readonly ToolUse[] =>
  (turn?.blocks ?? []).flatMap((block) => (isRecord(block.toolUse) ? [fieldsOf<ToolUse>(block.toolUse)] : []));

export const resultsIn = (turn: Turn | undefined): readonly ToolResult[] =>
  (turn?.blocks ?? []).flatMap((block) => (isRecord(block.toolResult) ? [fieldsOf<ToolResult>(block.toolResult)] : []));
