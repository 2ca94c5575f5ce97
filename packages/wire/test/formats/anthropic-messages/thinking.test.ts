/** Models that think unless the request says otherwise: a tool turn without thinking is sent with thinking switched off. */
import { checkRequest, type BackendProfile } from '@holdfast/provider-double/rules';
import { repair } from '@holdfast/wire';
import { expect, test } from 'vitest';

const thought = { type: 'thinking', thinking: 'because', signature: 'S' };
const turn = (model: string, ...before: readonly object[]) => ({
  model,
  max_tokens: 9,
  messages: [
    { role: 'user', content: 'go' },
    { role: 'assistant', content: [...before, { type: 'tool_use', id: 'a', name: 't', input: {} }] },
    { role: 'user', content: [{ type: 'tool_result', tool_use_id: 'a', content: 'ok' }] },
  ],
});
const at = (request: object, profile: BackendProfile) => {
  const options = { format: 'anthropic-messages', profile } as const;
  const repaired = repair(request, options);
  expect(checkRequest({ ...options, request: repaired.request })).toEqual([]);
  expect(repair(repaired.request, options).request).toBe(repaired.request);
  return repaired.changes;
};

test('DeepSeek V4 without its thinking', () => {
  expect(at(turn('deepseek-v4-pro'), 'deepseek')).toEqual([
    { rule: 'thinking-missing', path: 'thinking', action: 'edited', after: { type: 'disabled' } },
  ]);
});

test('with its thinking, with thinking off, and at other backends, nothing changes', () => {
  expect(at(turn('deepseek-v4-pro', thought), 'deepseek')).toEqual([]);
  expect(at({ ...turn('deepseek-v4-pro'), thinking: { type: 'disabled' } }, 'deepseek')).toEqual([]);
  expect(at(turn('deepseek-chat'), 'deepseek')).toEqual([]);
  expect(at(turn('claude-opus-4-8'), 'anthropic')).toEqual([]);
});

test('thinking without a signature is removed everywhere at Anthropic, and kept at DeepSeek', () => {
  const { signature: _signature, ...unsigned } = thought;
  const on = { thinking: { type: 'enabled', budget_tokens: 9 } };
  const [user, call, result] = turn('claude-opus-4-8', unsigned).messages;
  const again = { role: 'assistant', content: [{ ...thought, signature: '' }, thought, { type: 'text', text: 'done' }] };
  const request = { ...turn('claude-opus-4-8'), ...on, messages: [user, call, result, again, { role: 'user', content: 'go' }] };
  const removed = { rule: 'thinking-forbidden', action: 'removed' };
  expect(at(request, 'anthropic')).toMatchObject([
    { ...removed, path: 'messages.1.content.0' },
    { ...removed, path: 'messages.3.content.0' },
  ]);
  expect(at({ ...turn('deepseek-v4-pro', unsigned), ...on }, 'deepseek')).toEqual([]);
});

test('if a tool turn loses its thinking so, thinking is switched off', () => {
  const request = {
    ...turn('claude-opus-4-8', { type: 'thinking', thinking: 'because' }),
    thinking: { type: 'enabled', budget_tokens: 9 },
  };
  expect(at(request, 'anthropic').map(({ rule }) => rule)).toEqual(['thinking-forbidden', 'thinking-missing']);
});
