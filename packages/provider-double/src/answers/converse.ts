/** Formats an answer as Bedrock Converse sends it. */
import type { Answer } from '../script/answer.ts';
import { cutAnswer, type StreamEvent } from './cut.ts';
import { finishWord } from './finish.ts';
import { signatureFor } from './messages.ts';

const usageOf = ({ usage }: Answer): unknown => ({
  inputTokens: usage.input,
  outputTokens: usage.output,
  totalTokens: usage.input + usage.output,
});

const isKept = (answer: Answer): boolean => answer.finish !== 'malformed_call';

export function converseBody(answer: Answer): unknown {
  const content = [
    ...(answer.reasoning === ''
      ? []
      : [{ reasoningContent: { reasoningText: { text: answer.reasoning, signature: signatureFor(answer) } } }]),
    ...(answer.text === '' ? [] : [{ text: answer.text }]),
    ...answer.calls.map(({ id, name, value }) => ({ toolUse: { toolUseId: id, name, input: value } })),
  ];
  return {
    output: { message: { role: 'assistant', content: isKept(answer) ? content : [] } },
    stopReason: finishWord('bedrock-converse', answer.finish),
    usage: usageOf(answer),
    metrics: { latencyMs: 1 },
  };
}

const block = (index: number, start: unknown, deltas: readonly unknown[]): readonly StreamEvent[] => [
  ...(start === undefined ? [] : [{ event: 'contentBlockStart', data: { contentBlockIndex: index, start } }]),
  ...deltas.map((delta) => ({ event: 'contentBlockDelta', data: { contentBlockIndex: index, delta } })),
  { event: 'contentBlockStop', data: { contentBlockIndex: index } },
];

export function converseEvents(answer: Answer): readonly StreamEvent[] {
  const size = answer.chunking.characters;
  const blocks: (readonly [unknown, readonly unknown[]])[] = [];
  if (answer.reasoning !== '') {
    const deltas = cutAnswer(answer.reasoning, size).map((text) => ({ reasoningContent: { text } }));
    blocks.push([undefined, [...deltas, { reasoningContent: { signature: signatureFor(answer) } }]]);
  }
  if (answer.text !== '') blocks.push([undefined, cutAnswer(answer.text, size).map((text) => ({ text }))]);
  for (const { id, name, raw } of answer.calls) {
    blocks.push([{ toolUse: { toolUseId: id, name } }, cutAnswer(raw, size).map((input) => ({ toolUse: { input } }))]);
  }
  return [
    { event: 'messageStart', data: { role: 'assistant' } },
    ...(isKept(answer) ? blocks.flatMap(([start, deltas], index) => block(index, start, deltas)) : []),
    { event: 'messageStop', data: { stopReason: finishWord('bedrock-converse', answer.finish) } },
    { event: 'metadata', data: { usage: usageOf(answer), metrics: { latencyMs: 1 } } },
  ];
}
