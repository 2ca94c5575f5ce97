/**
 * Reasoning items and what they belong to.
 * 1. A reasoning item with an id is followed by an item of the model.
 * 2. A call that keeps the id a reasoning model gave it comes with the reasoning of its step.
 * 3. Nothing is looked up by id where nothing was stored: without `store`, reasoning brings its encrypted content.
 */
import type { Report } from '../problem.ts';
import { fieldsOf, isText, textOf, wordOf } from '../reading.ts';
import { isCall, isOutput, typeOf, type Item, type ResponsesRequest } from './shape.ts';

/** Models that always reason; of others a call may have come without. */
const reasons = (request: ResponsesRequest): boolean =>
  /^(?:gpt-5|o[1-9]|codex)/.test(textOf(request.model)) && fieldsOf<{ readonly effort?: unknown }>(request.reasoning).effort !== 'none';

const ofModel = (item: Item): boolean => !isOutput(item) && !(typeOf(item) === 'message' && item.role !== 'assistant');

/** Whether a reasoning item stands before this place in the same step of the model. */
function reasonedBefore(items: readonly Item[], index: number): boolean {
  for (let step = index - 1; step >= 0; step -= 1) {
    const item = items[step] ?? {};
    if (!ofModel(item)) return false;
    if (item.type === 'reasoning' || (item.type === 'item_reference' && textOf(item.id).startsWith('rs'))) return true;
  }
  return false;
}

export interface ReasoningQuestion {
  readonly request: ResponsesRequest;
  readonly items: readonly Item[];
  /** The reasoning item a stored item was made with; `false` where it was made without; `undefined` where it is not known. */
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
    const owner =
      isCall(item) && item.id.startsWith('fc') ? (madeWith(item.id) ?? (reasons(request) && item.id.replace('fc', 'rs'))) : false;
    if (owner === false || reasonedBefore(items, index)) continue;
    const message = `Item '${item.id}' of type '${wordOf(item.type)}' was provided without its required 'reasoning' item: '${owner}'.`;
    report({ rule: 'reasoning-pair', path, message, param: 'input' });
  }
}
