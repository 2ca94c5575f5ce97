/** Formats an answer as Responses sends it: items, and the events that stream them. */
import type { Answer } from '../script/answer.ts';
import { created } from './chat.ts';
import { cutAnswer, type StreamEvent } from './cut.ts';
import { finishWord } from './finish.ts';

/** An item of the output. */
export interface OutputItem {
  readonly id: string;
  readonly type: 'reasoning' | 'message' | 'function_call';
  readonly [field: string]: unknown;
}

const itemId = (prefix: string, answer: Answer, order: number): string =>
  `${prefix}_${String(answer.number).padStart(20, '0')}${String(order).padStart(4, '0')}`;

const isCut = (answer: Answer): boolean => ['length', 'context_window', 'content_filter'].includes(answer.finish);

export function outputItems(answer: Answer, encrypted: boolean): readonly OutputItem[] {
  const status = isCut(answer) ? 'incomplete' : 'completed';
  const reasoning: OutputItem = {
    id: itemId('rs', answer, 0),
    type: 'reasoning',
    summary: [{ type: 'summary_text', text: answer.reasoning }],
    ...(encrypted ? { encrypted_content: Buffer.from(answer.reasoning).toString('base64') } : {}),
  };
  const content = [{ type: 'output_text', text: answer.text, annotations: [], logprobs: [] }];
  const message: OutputItem = { id: itemId('msg', answer, 0), type: 'message', role: 'assistant', status, content };
  return [
    ...(answer.reasoning === '' ? [] : [reasoning]),
    ...(answer.text === '' ? [] : [message]),
    ...answer.calls.map(({ id, name, raw }, order): OutputItem => ({
      id: itemId('fc', answer, order),
      type: 'function_call',
      status,
      call_id: id,
      name,
      arguments: raw,
    })),
  ];
}

export function responseBody(answer: Answer, items: readonly OutputItem[], done = true): Readonly<Record<string, unknown>> {
  const ended = isCut(answer) ? 'incomplete' : 'completed';
  const { input, output } = answer.usage;
  return {
    id: itemId('resp', answer, 0),
    object: 'response',
    created_at: created,
    status: done ? ended : 'in_progress',
    error: null,
    incomplete_details: done && isCut(answer) ? { reason: finishWord('openai-responses', answer.finish) } : null,
    instructions: null,
    metadata: {},
    model: answer.model,
    output: done ? items : [],
    parallel_tool_calls: true,
    temperature: 1,
    tool_choice: 'auto',
    tools: [],
    top_p: 1,
    usage: done
      ? {
          input_tokens: input,
          input_tokens_details: { cached_tokens: 0 },
          output_tokens: output,
          output_tokens_details: { reasoning_tokens: 0 },
          total_tokens: input + output,
        }
      : null,
  };
}

type Data = Readonly<Record<string, unknown>> & { readonly type: string };

/** The events between an item's beginning and its end. */
function inside(item: OutputItem, answer: Answer, at: { item_id: string; output_index: number }): readonly Data[] {
  const size = answer.chunking.characters;
  if (item.type === 'function_call') {
    const raw = String(item['arguments']);
    const deltas = cutAnswer(raw, size).map((delta): Data => ({ type: 'response.function_call_arguments.delta', ...at, delta }));
    return [...deltas, { type: 'response.function_call_arguments.done', ...at, name: item['name'], arguments: raw }];
  }
  const thinks = item.type === 'reasoning';
  const place = thinks ? { ...at, summary_index: 0 } : { ...at, content_index: 0 };
  const text = thinks ? answer.reasoning : answer.text;
  const part = (value: string): unknown =>
    thinks ? { type: 'summary_text', text: value } : { type: 'output_text', text: value, annotations: [], logprobs: [] };
  const family = thinks ? 'response.reasoning_summary_part' : 'response.content_part';
  const line = thinks ? 'response.reasoning_summary_text' : 'response.output_text';
  const logs = thinks ? {} : { logprobs: [] };
  return [
    { type: `${family}.added`, ...place, part: part('') },
    ...cutAnswer(text, size).map((delta): Data => ({ type: `${line}.delta`, ...place, delta, ...logs })),
    { type: `${line}.done`, ...place, text, ...logs },
    { type: `${family}.done`, ...place, part: part(text) },
  ];
}

const startItem = (item: OutputItem): unknown => {
  if (item.type === 'function_call') return { ...item, status: 'in_progress', arguments: '' };
  // The encrypted content is complete only at the end.
  return item.type === 'reasoning' ? { id: item.id, type: item.type, summary: [] } : { ...item, status: 'in_progress', content: [] };
};

export function responseEvents(answer: Answer, items: readonly OutputItem[]): readonly StreamEvent[] {
  const open = responseBody(answer, items, false);
  const all: Data[] = [
    { type: 'response.created', response: open },
    { type: 'response.in_progress', response: open },
  ];
  for (const [index, item] of items.entries()) {
    all.push({ type: 'response.output_item.added', output_index: index, item: startItem(item) });
    all.push(...inside(item, answer, { item_id: item.id, output_index: index }));
    all.push({ type: 'response.output_item.done', output_index: index, item });
  }
  all.push({ type: isCut(answer) ? 'response.incomplete' : 'response.completed', response: responseBody(answer, items) });
  return all.map((data, number) => ({ event: data.type, data: { ...data, sequence_number: number } }));
}
