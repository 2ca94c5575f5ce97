/**
 * Reasoning items and the items they belong to.
 * 1. A reasoning item with an id is followed by an item of the model.
 * 2. A call or a message with an id of a reasoning model comes with the reasoning of its step.
 * 3. Ids are not looked up when nothing was stored: without `store`, reasoning includes its encrypted content.
 */
import type { Report } from '../problem.ts';
import { fieldsOf, isText, textOf, wordOf } from '../reading.ts';
import { isCall, isOutput, typeOf, type Item, type ResponsesRequest } from './shape.ts';

/** Models that always reason; other models may make a call without reasoning. */
const reasons = (request: ResponsesRequest): boolean =>
  /^(?:gpt-5|o[1-9]|codex)/.test(textOf(request.model)) && fieldsOf<{ readonly effort?: unknown }>(request.reasoning).effort !== 'none';

const ofModel = (item: Item): boolean => !isOutput(item) && !(typeOf(item) === 'message' && item.role !== 'assistant');

/** Whether a reasoning item precedes this position in the same step of the model. */
function reasonedBefore(items: readonly Item[], index: number): boolean {
  for (let step = index - 1; step >= 0; step -= 1) {
    const item = items[step] ?? {};
    if (!ofModel(item)) return false;
    if (item.type === 'reasoning' || (item.type === 'item_reference' && textOf(item.id).startsWith('rs'))) return true;
  }
  return false;
}

/** An item with the id that the server gave it. */
const isOwned = (item: Item): boolean =>
  (isCall(item) || (typeOf(item) === 'message' && item.role === 'assistant')) && /^(?:fc|msg)/.test(textOf(item.id));

/** Of a message that was not stored nothing is known. */
const mayLack = (item: Item, request: ResponsesRequest): boolean =>
  !reasons(request) || (typeOf(item) === 'message' && request.store === false);

export interface ReasoningQuestion {
  readonly request: ResponsesRequest;
  readonly items: readonly Item[];
  /** The reasoning item that a stored item was generated with; `false` if there was none; `undefined` if not known. */
  readonly madeWith: (id: string) => string | false | undefined;
}

export function checkReasoning({ request, items, madeWith }: ReasoningQuestion, report: Report): void {
  for (const [index, item] of items.entries()) {
    const path = `input[${index}]`;
    if (!isText(item.id)) continue;
    if (item.type === 'reasoning') {
      const after = items[index + 1];
      if (!after || !ofModel(after)) {
        const message = `Item '${item.id}' of type 'reasoning' was provided without its required following item.`;
        report({ rule: 'reasoning-pair', path, message, param: 'input' });
      }
      if (request.store === false && !isText(item.encrypted_content)) {
        const words =
          'Items are not persisted when `store` is set to false. Try again with `store` set to true, or remove this item from your input.';
        report({ rule: 'reasoning-form', path, message: `Item with id '${item.id}' not found. ${words}`, param: 'input', status: 404 });
      }
    }
    const owner = isOwned(item) && (madeWith(item.id) ?? (mayLack(item, request) ? false : item.id.replace(/^[a-z]+/, 'rs')));
    if (owner === false || reasonedBefore(items, index)) continue;
    const message = `Item '${item.id}' of type '${wordOf(item.type)}' was provided without its required 'reasoning' item: '${owner}'.`;
    report({ rule: 'reasoning-pair', path, message, param: 'input' });
  }
}
