/** Formats an answer as Chat Completions sends it. */
import type { Answer } from '../script/answer.ts';
import { callDeltas } from './chat-deltas.ts';
import { cutAnswer, type StreamEvent } from './cut.ts';
import { finishWord } from './finish.ts';

/** A fixed timestamp, so that every run sends the same. */
export const created = 1_767_225_600;

const usageOf = ({ usage }: Answer): unknown => ({
  prompt_tokens: usage.input,
  completion_tokens: usage.output,
  total_tokens: usage.input + usage.output,
});

const headOf = (answer: Answer, object: string): Readonly<Record<string, unknown>> => ({
  id: `chatcmpl-${answer.number}`,
  object,
  created,
  model: answer.model,
});

export function chatBody(answer: Answer): unknown {
  const calls = answer.calls.map(({ id, name, raw }) => ({ id, type: 'function', function: { name, arguments: raw } }));
  const message = {
    role: 'assistant',
    content: answer.text === '' && calls.length > 0 ? null : answer.text,
    refusal: null,
    ...(answer.reasoning === '' ? {} : { reasoning_content: answer.reasoning }),
    ...(calls.length > 0 ? { tool_calls: calls } : {}),
  };
  const choice = { index: 0, message, logprobs: null, finish_reason: finishWord('openai-chat', answer.finish) };
  return { ...headOf(answer, 'chat.completion'), choices: [choice], usage: usageOf(answer) };
}

export function chatEvents(answer: Answer, includeUsage: boolean): readonly StreamEvent[] {
  const head = headOf(answer, 'chat.completion.chunk');
  const chunk = (delta: unknown, reason: string | null = null): StreamEvent => ({
    data: { ...head, choices: [{ index: 0, delta, finish_reason: reason }] },
  });
  const size = answer.chunking.characters;
  return [
    chunk({ role: 'assistant', content: '' }),
    ...cutAnswer(answer.reasoning, size).map((piece) => chunk({ reasoning_content: piece })),
    ...cutAnswer(answer.text, size).map((piece) => chunk({ content: piece })),
    ...callDeltas(answer).map((delta) => chunk(delta)),
    chunk({}, finishWord('openai-chat', answer.finish)),
    ...(includeUsage ? [{ data: { ...head, choices: [], usage: usageOf(answer) } }] : []),
    { data: '[DONE]' },
  ];
}
