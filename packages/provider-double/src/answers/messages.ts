/** Formats an answer as Anthropic Messages sends it. */
import type { Answer } from '../script/answer.ts';
import { cutAnswer, type StreamEvent } from './cut.ts';
import { finishWord } from './finish.ts';

/** Binds a thinking block to its text. */
export const signatureFor = (answer: Answer): string => Buffer.from(`thinking ${answer.number}`).toString('base64');

const headOf = (answer: Answer, content: readonly unknown[], reason: string | null): Readonly<Record<string, unknown>> => ({
  id: `msg_${String(answer.number).padStart(24, '0')}`,
  type: 'message',
  role: 'assistant',
  model: answer.model,
  content,
  stop_reason: reason,
  stop_sequence: null,
  usage: { input_tokens: answer.usage.input, output_tokens: reason === null ? 1 : answer.usage.output },
});

export function messagesBody(answer: Answer): { readonly id?: unknown; readonly content?: unknown } {
  const thinking = { type: 'thinking', thinking: answer.reasoning, signature: signatureFor(answer) };
  const content = [
    ...(answer.reasoning === '' ? [] : [thinking]),
    ...(answer.text === '' ? [] : [{ type: 'text', text: answer.text }]),
    ...answer.calls.map(({ id, name, value }) => ({ type: 'tool_use', id, name, input: value })),
  ];
  return headOf(answer, content, finishWord('anthropic-messages', answer.finish));
}

const event = (data: Readonly<Record<string, unknown>> & { readonly type: string }): StreamEvent => ({ event: data.type, data });

const block = (index: number, start: unknown, deltas: readonly unknown[]): readonly StreamEvent[] => [
  event({ type: 'content_block_start', index, content_block: start }),
  ...deltas.map((delta) => event({ type: 'content_block_delta', index, delta })),
  event({ type: 'content_block_stop', index }),
];

export function messagesEvents(answer: Answer): readonly StreamEvent[] {
  const size = answer.chunking.characters;
  const blocks: (readonly [unknown, readonly unknown[]])[] = [];
  if (answer.reasoning !== '') {
    const deltas = cutAnswer(answer.reasoning, size).map((thinking) => ({ type: 'thinking_delta', thinking }));
    const seal = { type: 'signature_delta', signature: signatureFor(answer) };
    blocks.push([{ type: 'thinking', thinking: '', signature: '' }, [...deltas, seal]]);
  }
  if (answer.text !== '') {
    blocks.push([{ type: 'text', text: '' }, cutAnswer(answer.text, size).map((text) => ({ type: 'text_delta', text }))]);
  }
  for (const { id, name, raw } of answer.calls) {
    // Without arguments the provider sends one empty delta.
    const pieces = raw === '{}' ? [''] : ['', ...cutAnswer(raw, size)];
    blocks.push([{ type: 'tool_use', id, name, input: {} }, pieces.map((piece) => ({ type: 'input_json_delta', partial_json: piece }))]);
  }
  const reason = finishWord('anthropic-messages', answer.finish);
  return [
    event({ type: 'message_start', message: headOf(answer, [], null) }),
    event({ type: 'ping' }),
    ...blocks.flatMap(([start, deltas], index) => block(index, start, deltas)),
    event({ type: 'message_delta', delta: { stop_reason: reason, stop_sequence: null }, usage: { output_tokens: answer.usage.output } }),
    event({ type: 'message_stop' }),
  ];
}
