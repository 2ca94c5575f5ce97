/** Checks a Responses request as its backend would. */
import { missingParameter, wrongType } from '../openai-words.ts';
import type { BackendProfile, Report } from '../problem.ts';
import { fieldsOf, isText, listOf } from '../reading.ts';
import { checkDefinitions } from './definitions.ts';
import { checkItem } from './item-form.ts';
import { checkAdjacent, checkPairing } from './pairing.ts';
import { checkReasoning } from './reasoning.ts';
import type { Item, ResponsesRequest } from './shape.ts';

/** What a server remembers of earlier answers; without it, references to them are accepted. */
export interface HeldState {
  /** The items before this request's input, for `previous_response_id`. */
  readonly items: readonly Item[];
  readonly madeWith: (id: string) => string | false | undefined;
  readonly resolve: (id: string) => Item | undefined;
}

const nothing: HeldState = { items: [], madeWith: () => undefined, resolve: () => undefined };

export function checkResponses(body: unknown, profile: BackendProfile, report: Report, held: HeldState = nothing): void {
  const request = fieldsOf<ResponsesRequest>(body);
  const continues = isText(request.previous_response_id) || (request.conversation !== undefined && request.conversation !== null);
  checkDefinitions(request, profile === 'openai', report);
  if (request.input === undefined && !continues) return report(missingParameter('empty-messages', 'input'));
  if (!Array.isArray(request.input)) {
    if (request.input !== undefined && !isText(request.input)) {
      report(wrongType('empty-messages', 'input', 'one of an array of objects or string', request.input));
    }
    return checkPairing([], held.items, false, report);
  }
  const items = listOf(request.input).map((raw) => {
    const item = fieldsOf<Item>(raw);
    return (item.type === 'item_reference' && isText(item.id) ? held.resolve(item.id) : undefined) ?? item;
  });
  for (const [index, item] of items.entries()) checkItem(item, `input[${index}]`, report);
  const elsewhere = held === nothing && (continues || items.some((item) => item.type === 'item_reference'));
  checkPairing(items, held.items, elsewhere, report);
  if (profile === 'deepseek') checkAdjacent(items, report);
  if (profile === 'openai') checkReasoning({ request, items, madeWith: held.madeWith }, report);
}
