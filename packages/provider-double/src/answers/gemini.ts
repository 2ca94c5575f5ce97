/** Formats an answer as Gemini sends it: whole calls, and `STOP` even when there are calls. */
import type { Answer } from '../script/answer.ts';
import { cutAnswer, type StreamEvent } from './cut.ts';
import { finishWord } from './finish.ts';

const thoughtSignature = (answer: Answer): string => Buffer.from(`thought ${answer.number}`).toString('base64');

/** The first call of a step carries the signature; models before Gemini 3 send none. */
const callParts = (answer: Answer): readonly unknown[] =>
  answer.calls.map(({ id, name, value }, order) => ({
    functionCall: { ...(id === '' ? {} : { id }), name, args: value },
    ...(order === 0 && /gemini-3/.test(answer.model) ? { thoughtSignature: thoughtSignature(answer) } : {}),
  }));

const tail = (answer: Answer): Readonly<Record<string, unknown>> => ({
  usageMetadata: {
    promptTokenCount: answer.usage.input,
    candidatesTokenCount: answer.usage.output,
    totalTokenCount: answer.usage.input + answer.usage.output,
  },
  modelVersion: answer.model,
  responseId: `response-${answer.number}`,
});

const ending = (answer: Answer): Readonly<Record<string, unknown>> => ({
  finishReason: finishWord('gemini', answer.finish),
  ...(answer.finish === 'malformed_call' ? { finishMessage: `Malformed function call: ${answer.text}` } : {}),
});

const chunk = (answer: Answer, parts: readonly unknown[], rest: Readonly<Record<string, unknown>> = {}): unknown => ({
  candidates: [{ content: parts.length > 0 ? { role: 'model', parts } : { role: 'model' }, ...rest, index: 0 }],
  ...tail(answer),
});

const partsOf = (answer: Answer, whole: boolean): readonly unknown[] => {
  // Only the message of such a turn is sent.
  if (answer.finish === 'malformed_call') return [];
  const size = whole ? Number.POSITIVE_INFINITY : answer.chunking.characters;
  return [
    ...cutAnswer(answer.reasoning, size).map((text) => ({ text, thought: true })),
    ...cutAnswer(answer.text, size).map((text) => ({ text })),
    ...callParts(answer),
  ];
};

export const geminiBody = (answer: Answer): unknown => chunk(answer, partsOf(answer, true), ending(answer));

export function geminiEvents(answer: Answer): readonly StreamEvent[] {
  const parts = partsOf(answer, false);
  const last = parts.slice(-1);
  return [...parts.slice(0, -1).map((part) => ({ data: chunk(answer, [part]) })), { data: chunk(answer, last, ending(answer)) }];
}
