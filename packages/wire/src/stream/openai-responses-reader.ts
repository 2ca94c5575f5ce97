/**
 * Owns reading calls from streams of OpenAI Responses.
 *
 * Invariant: an item is complete only after its `done` event.
 */
import { isList, isRecord, isText, type JsonObject } from '../json.ts';
import { type Ending, endingOf } from '../responses/finish-reasons.ts';
import { CallDraft, type StreamReader } from './assembled-calls.ts';

const ends: Readonly<Record<string, Ending>> = {
  'response.completed': 'complete',
  'response.incomplete': 'cut-off',
  'response.failed': 'fault',
  'response.cancelled': 'cut-off',
  error: 'fault',
};

export function openaiResponsesReader(): StreamReader {
  const drafts = new Map<string, CallDraft>();
  let ending: Ending = 'cut-off';
  let reason: string | undefined;
  const keys = new Map<string, string>();
  /** Events identify an item by its index, its id, or both. */
  const keyOf = (event: JsonObject, item: unknown): string => {
    const id = isRecord(item) && isText(item['id']) ? item['id'] : event['item_id'];
    const place = typeof event['output_index'] === 'number' ? `#${event['output_index']}` : undefined;
    const key = place ?? (isText(id) ? (keys.get(id) ?? id) : '#0');
    if (isText(id) && id !== '') keys.set(id, key);
    return key;
  };
  const take = (key: string, item: JsonObject, done: boolean): void => {
    if (item['type'] !== 'function_call') return;
    const draft = drafts.get(key) ?? new CallDraft(item['call_id'], '', true);
    drafts.set(key, draft);
    if (isText(item['name']) && item['name'] !== '') draft.name = item['name'];
    if (!done) return draft.append(item['arguments']);
    draft.open = isText(item['status']) && item['status'] !== 'completed';
    if (isText(item['arguments']) && item['arguments'] !== '') draft.replace(item['arguments']);
    else if (draft.isEmpty) draft.append(item['arguments']);
  };
  const finish = (response: unknown): void => {
    if (!isRecord(response)) return;
    const details = response['incomplete_details'];
    const word = isRecord(details) ? details['reason'] : response['status'];
    if (isText(word)) reason = word;
    const { status } = response;
    if (ending === 'complete' && isText(status)) ending = endingOf(status, 'openai-responses');
    if (ending !== 'complete' || !isList(response['output'])) return;
    response['output'].forEach((item, index) => {
      if (isRecord(item)) take(keyOf({ output_index: index }, item), item, true);
    });
  };
  return {
    push: (event) => {
      if (!isRecord(event) || !isText(event['type'])) return;
      const { type, item } = event;
      if (type === 'response.output_item.added' && isRecord(item)) take(keyOf(event, item), item, false);
      if (type === 'response.output_item.done' && isRecord(item)) take(keyOf(event, item), item, true);
      if (type === 'response.function_call_arguments.delta') drafts.get(keyOf(event, undefined))?.append(event['delta']);
      if (type === 'response.function_call_arguments.done' && isText(event['arguments']) && event['arguments'] !== '')
        drafts.get(keyOf(event, undefined))?.replace(event['arguments']);
      if (Object.hasOwn(ends, type)) {
        ending = ends[type] ?? 'cut-off';
        reason = type;
        finish(event['response']);
      }
    },
    read: () => ({ drafts: [...drafts.values()], ending, reason }),
  };
}
