/** Requests that continue a thread of Anthropic: calls and earlier messages are on the server, only new ones are sent. */
import { checkRequest } from '@holdfast/provider-double/rules';
import { repair } from '@holdfast/wire';
import { expect, test } from 'vitest';

const format = 'anthropic-messages';
const base = { model: 'claude-opus-4-8', max_tokens: 64, thread: { type: 'continue', previous_message_id: 'msg_1' } };
const result = (id: string) => ({ type: 'tool_result', tool_use_id: id, content: `of ${id}` });
const user = (...content: readonly unknown[]) => ({ role: 'user', content });
const text = { type: 'text', text: 'And then?' };

test.each([
  ['only results', [user(result('toolu_a'), result('toolu_b'))]],
  ['results with a string', [user(result('toolu_a'), text)]],
  ['a question', [{ role: 'user', content: 'And then?' }]],
  ['nothing new, after a pause', []],
])('%s: unchanged', (_, messages) => {
  const request = { ...base, messages };
  expect(checkRequest({ format, request })).toEqual([]);
  const repaired = repair(request, { format });
  expect(repaired).toMatchObject({ changes: [], problems: [] });
  expect(repaired.request).toBe(request);
});

test('faults within the new messages are still repaired', () => {
  const call = { type: 'tool_use', id: 'toolu_c', name: 'find', input: {} };
  const messages = [user(result('toolu_a')), { role: 'assistant', content: [call] }, { role: 'user', content: 'Go on.' }];
  const { request, changes } = repair({ ...base, messages }, { format });
  expect(changes.map(({ rule }) => rule)).toContain('missing-result');
  expect(request.messages[0]).toBe(messages[0]);
  expect(JSON.stringify(request.messages[2])).toContain('"tool_use_id":"toolu_c"');
});

test.each([undefined, { type: 'create' }, { type: 'continue_not' }])(
  'without a continued thread (%o) a result without its call is removed',
  (thread) => {
    const { changes } = repair({ ...base, thread, messages: [user(result('toolu_a'), text)] }, { format });
    expect(changes.map(({ rule }) => rule)).toEqual(['orphan-result']);
  },
);
