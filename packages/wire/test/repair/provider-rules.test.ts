/** What single providers refuse in the contents of a transcript. */
import { repair } from '@holdfast/wire';
import { describe, expect, test } from 'vitest';

const asked = { role: 'user', content: 'go' };
const rulesOf = (result: { readonly changes: readonly { readonly rule: string }[] }): readonly string[] =>
  result.changes.map(({ rule }) => rule);

describe('Anthropic', () => {
  const failed = (content: unknown) => ({
    messages: [
      asked,
      { role: 'assistant', content: [{ type: 'tool_use', id: 'a', name: 't', input: {} }] },
      { role: 'user', content: [{ type: 'tool_result', tool_use_id: 'a', is_error: true, ...(content === undefined ? {} : { content }) }] },
    ],
  });

  test.each([undefined, null, '', ' ', [], [{ type: 'text', text: '' }]])('an error without content (%j) gets one', (content) => {
    const repaired = repair(failed(content), { format: 'anthropic-messages' });
    expect(rulesOf(repaired)).toEqual(['empty-content']);
    expect(JSON.stringify(repaired.request)).toContain('(no content)');
    expect(repair(repaired.request, { format: 'anthropic-messages' }).request).toBe(repaired.request);
  });

  test('a result without content is left alone', () => {
    const request = failed('');
    const [, , last] = request.messages;
    const plain = {
      messages: [...request.messages.slice(0, 2), { ...last, content: [{ type: 'tool_result', tool_use_id: 'a', content: '' }] }],
    };
    expect(repair(plain, { format: 'anthropic-messages' }).request).toBe(plain);
  });
});

test('Gemini: a thought without data is removed, one with a signature gets an empty text', () => {
  const contents = [
    { role: 'user', parts: [{ text: 'go' }] },
    { role: 'model', parts: [{ thought: true }, { thought: true, thoughtSignature: 'S' }, { text: 'ok' }] },
    { role: 'user', parts: [{ text: 'on' }] },
  ];
  const { request } = repair({ contents }, { format: 'gemini' });
  expect(request.contents[1]?.parts).toEqual([{ thought: true, thoughtSignature: 'S', text: '' }, { text: 'ok' }]);
});

describe('Responses', () => {
  const message = { type: 'message', id: 'msg_1', role: 'assistant', content: [{ type: 'output_text', text: 'ok' }] };

  test('a stored message loses the id that references lost reasoning', () => {
    const { request, changes } = repair({ model: 'gpt-5.2', input: [asked, message, asked] }, { format: 'openai-responses' });
    expect(changes.map(({ rule, path }) => [rule, path])).toEqual([['reasoning-pair', 'input.1.id']]);
    expect(request.input[1]).not.toHaveProperty('id');
  });

  test('with its reasoning, of a model that does not reason, or not stored, it keeps it', () => {
    const reasoning = { type: 'reasoning', id: 'rs_1', summary: [] };
    for (const request of [
      { model: 'gpt-5.2', input: [asked, reasoning, message, asked] },
      { model: 'gpt-4.1', input: [asked, message, asked] },
      { model: 'gpt-5.2', store: false, input: [asked, message, asked] },
    ])
      expect(repair(request, { format: 'openai-responses' }).request).toBe(request);
  });

  test('a reasoning item has a summary, at every backend', () => {
    const input = [asked, { type: 'reasoning', id: 'rs_1', encrypted_content: 'E' }, { ...message, id: undefined }, asked];
    for (const profile of ['openai', 'deepseek'])
      expect(repair({ model: 'gpt-5.2', store: false, input }, { format: 'openai-responses', profile }).request.input[1]).toMatchObject({
        summary: [],
      });
  });

  test('a custom call has an input', () => {
    const call = { type: 'custom_tool_call', call_id: 'a', name: 't' };
    const output = { type: 'custom_tool_call_output', call_id: 'a', output: 'ok' };
    const { request } = repair({ input: [asked, call, output] }, { format: 'openai-responses' });
    expect(request.input[1]).toEqual({ ...call, input: '' });
  });
});

describe('Chat Completions', () => {
  const at = (profile: string, ...messages: readonly object[]) => repair({ model: 'm', messages }, { format: 'openai-chat', profile });

  test('Mistral: the user has the last word, unless the model is asked to continue', () => {
    expect(at('mistral', asked, { role: 'assistant', content: 'x' }).request.messages).toHaveLength(3);
    expect(at('mistral', asked, { role: 'assistant', content: 'x', prefix: true }).changes).toEqual([]);
  });

  test('Mistral and Kimi: an empty message of the model is removed', () => {
    for (const profile of ['mistral', 'kimi'])
      expect(at(profile, asked, { role: 'assistant', content: '' }, asked).request.messages).toEqual([asked, asked]);
    expect(at('openai', asked, { role: 'assistant', content: '' }, asked).changes).toEqual([]);
  });

  test('Groq: reasoning_content is removed', () => {
    const { request, changes } = at('groq', asked, { role: 'assistant', content: 'x', reasoning_content: 'y' }, asked);
    expect(request.messages[1]).toEqual({ role: 'assistant', content: 'x' });
    expect(changes.map(({ rule, path }) => [rule, path])).toEqual([['unknown-field', 'messages.1.reasoning_content']]);
  });
});
