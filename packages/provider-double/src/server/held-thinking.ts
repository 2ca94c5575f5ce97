/** Anthropic's thinking blocks by signature: they must be sent back unchanged. */
import { dottedPath, isThinking, pathOf, turnsOf, type Message } from '../rules/anthropic/shape.ts';
import type { RequestProblem } from '../rules/problem.ts';
import { fieldsOf, isText, listOf } from '../rules/reading.ts';

export interface HeldThinking {
  readonly keep: (signature: string, text: string) => void;
  /** The blocks of a request that have been changed. */
  readonly findChanged: (request: unknown) => readonly RequestProblem[];
}

export function heldThinking(): HeldThinking {
  const known = new Map<string, string>();
  return {
    keep: (signature, text) => void known.set(signature, text),
    findChanged(request) {
      const { messages } = fieldsOf<{ readonly messages?: unknown }>(request);
      const turns = turnsOf(listOf(messages).map((message) => fieldsOf<Message>(message)));
      const blocks = turns.flatMap((turn) => turn.blocks.filter(({ block }) => isThinking(block)));
      const edited = blocks.filter(({ block }) => {
        const text = isText(block.signature) ? known.get(block.signature) : undefined;
        return text !== undefined && text !== block.thinking;
      });
      const words = '`thinking` or `redacted_thinking` blocks in the latest assistant message cannot be modified.';
      return edited.map((placed) => ({
        rule: 'thinking-changed',
        path: pathOf(placed),
        message: `${dottedPath(placed)}: ${words} These blocks must remain as they were in the original response.`,
      }));
    },
  };
}
