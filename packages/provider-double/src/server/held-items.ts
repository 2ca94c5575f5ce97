/**
 * What a Responses server remembers, unless `store` is false: the items of its answers by id, and the conversation up to each answer.
 * Also the thinking blocks of Messages by their signature: they come back as they were.
 */
import type { OutputItem } from '../answers/responses.ts';
import { turnsOf, pathOf, dotted, isThinking, type Message } from '../rules/anthropic/shape.ts';
import type { HeldState } from '../rules/openai-responses/check.ts';
import type { Item } from '../rules/openai-responses/shape.ts';
import type { RequestProblem } from '../rules/problem.ts';
import { fieldsOf, isText, listOf } from '../rules/reading.ts';

export interface HeldItems {
  /** What is known before this request; `undefined` where it names an answer that is not known. */
  readonly before: (request: unknown) => HeldState | undefined;
  readonly keepAnswer: (request: unknown, id: string, items: readonly OutputItem[]) => void;
  readonly keepThinking: (signature: string, text: string) => void;
  /** Thinking blocks that were changed. */
  readonly changedThinking: (request: unknown) => readonly RequestProblem[];
}

interface Body {
  readonly input?: unknown;
  readonly store?: unknown;
  readonly previous_response_id?: unknown;
  readonly messages?: unknown;
}

const inputItems = (input: unknown): readonly Item[] =>
  isText(input) ? [{ type: 'message', role: 'user', content: input }] : listOf(input).map((item) => fieldsOf<Item>(item));

export function heldItems(): HeldItems {
  const items = new Map<string, Item>();
  const reasoning = new Map<string, string | false>();
  const conversations = new Map<string, readonly Item[]>();
  const thinking = new Map<string, string>();

  const before = (request: unknown): HeldState | undefined => {
    const { previous_response_id: previous } = fieldsOf<Body>(request);
    const earlier = isText(previous) ? conversations.get(previous) : [];
    if (!earlier) return undefined;
    return { items: earlier, madeWith: (id) => reasoning.get(id), resolve: (id) => items.get(id) };
  };

  return {
    before,
    keepAnswer(request, id, output) {
      const { input, store } = fieldsOf<Body>(request);
      if (store === false) return;
      const reason = output.find((item) => item.type === 'reasoning')?.id ?? false;
      for (const item of output) {
        items.set(item.id, item);
        reasoning.set(item.id, reason);
      }
      conversations.set(id, [...(before(request)?.items ?? []), ...inputItems(input), ...output]);
    },
    keepThinking: (signature, text) => void thinking.set(signature, text),
    changedThinking(request) {
      const messages = listOf(fieldsOf<Body>(request).messages).map((message) => fieldsOf<Message>(message));
      const blocks = turnsOf(messages).flatMap((turn) => turn.blocks.filter(({ block }) => isThinking(block)));
      const changed = blocks.filter(({ block }) => {
        const known = isText(block.signature) ? thinking.get(block.signature) : undefined;
        return known !== undefined && known !== block.thinking;
      });
      const words = '`thinking` or `redacted_thinking` blocks in the latest assistant message cannot be modified.';
      return changed.map((placed) => ({
        rule: 'thinking-changed',
        path: pathOf(placed),
        message: `${dotted(placed)}: ${words} These blocks must remain as they were in the original response.`,
      }));
    },
  };
}
