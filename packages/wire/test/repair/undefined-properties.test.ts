import { expect, it } from 'vitest';
import { repair } from '../../src/index.ts';

const history = (output: unknown): { readonly messages: readonly unknown[] } => ({
  messages: [
    { role: 'user', content: 'Pay.' },
    { role: 'assistant', content: [{ type: 'tool-call', toolCallId: 'a', toolName: 'pay', input: { note: undefined } }] },
    { role: 'tool', content: [{ type: 'tool-result', toolCallId: 'a', toolName: 'pay', output }] },
  ],
});

it.each([
  ['of a denial without a reason', { type: 'execution-denied', reason: undefined }],
  ['deep in a value', { type: 'json', value: { paid: true, by: { name: undefined } } }],
])('an undefined property is not a fault: %s', (_, output) => {
  const request = history(output);
  expect(repair(request, { format: 'ai-sdk' }).request).toBe(request);
});

it('a list has no elements to leave out', () => {
  const { request, changes } = repair(history({ type: 'json', value: [1, undefined] }), { format: 'ai-sdk' });
  expect(changes.map(({ rule }) => rule)).toEqual(['json-value']);
  expect(JSON.stringify(request)).toContain('[1,null]');
});
