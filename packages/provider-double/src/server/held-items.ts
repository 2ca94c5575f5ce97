/** What a Responses server remembers, unless `store` is false: items of its answers by id, and the conversation up to each answer. */
import type { OutputItem } from '../answers/responses.ts';
import type { HeldState } from '../rules/openai-responses/check.ts';
import type { Item } from '../rules/openai-responses/shape.ts';
import { fieldsOf, isText, listOf } from '../rules/reading.ts';

export interface HeldItems {
  /** What is known before this request; `undefined` if it refers to an unknown answer. */
  readonly before: (request: unknown) => HeldState | undefined;
  readonly keepAnswer: (request: unknown, id: string, items: readonly OutputItem[]) => void;
}

interface Body {
  readonly input?: unknown;
  readonly store?: unknown;
  readonly previous_response_id?: unknown;
}

const inputItems = (input: unknown): readonly Item[] =>
  isText(input) ? [{ type: 'message', role: 'user', content: input }] : listOf(input).map((item) => fieldsOf<Item>(item));

export function heldItems(): HeldItems {
  const items = new Map<string, Item>();
  const reasoning = new Map<string, string | false>();
  const conversations = new Map<string, readonly Item[]>();

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
  };
}
