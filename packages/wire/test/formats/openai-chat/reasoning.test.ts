/** Reasoning that a backend wants back with its calls: lost reasoning becomes an empty string, and is never invented. */
import { checkRequest, type BackendProfile } from '@holdfast/provider-double/rules';
import { repair } from '@holdfast/wire';
import { expect, test } from 'vitest';

const asked = { role: 'user', content: 'go' };
const call = { id: 'a', type: 'function', function: { name: 't', arguments: '{}' } };
const used = (more: object = {}) => [
  { role: 'assistant', content: '', ...more, tool_calls: [call] },
  { role: 'tool', tool_call_id: 'a', content: 'ok' },
];
const at = (profile: BackendProfile, model: string, messages: readonly object[], more: object = {}) => {
  const options = { format: 'openai-chat', profile } as const;
  const repaired = repair({ model, ...more, messages }, options);
  expect(repaired.problems).toEqual([]);
  expect(checkRequest({ ...options, request: repaired.request })).toEqual([]);
  expect(repair(repaired.request, options).request).toBe(repaired.request);
  return repaired.changes.map(({ rule, path, after }) => [rule, path, after]);
};
const filled = (index: number) => ['reasoning-content', `messages.${index}.reasoning_content`, ''];

test.each([
  ['deepseek', 'deepseek-reasoner'],
  ['deepseek', 'deepseek-v4-pro'],
  ['kimi', 'kimi-k2.6'],
  ['kimi', 'kimi-k2-thinking'],
] as const)('at %s, %s thinks unless the request says otherwise', (profile, model) => {
  expect(at(profile, model, [asked, ...used()])).toEqual([filled(1)]);
  expect(at(profile, model, [asked, ...used()], { thinking: { type: 'disabled' } })).toEqual([]);
  expect(at(profile, model, [asked, ...used({ reasoning_content: 'because' })])).toEqual([]);
});

test('a model that does not think unasked, unless the request says so', () => {
  expect(at('deepseek', 'deepseek-chat', [asked, ...used()])).toEqual([]);
  expect(at('deepseek', 'deepseek-chat', [asked, ...used()], { thinking: { type: 'enabled' } })).toEqual([filled(1)]);
});

test('the same model at a backend that does not want the reasoning', () => {
  for (const profile of ['openai', 'vllm', 'litellm'] as const) expect(at(profile, 'deepseek-v4-pro', [asked, ...used()])).toEqual([]);
});

test('from V4 on in every turn, before only since the last message of the user', () => {
  const messages = [asked, ...used(), { role: 'assistant', content: 'done' }, asked];
  expect(at('deepseek', 'deepseek-v4-flash', messages)).toEqual([filled(1)]);
  expect(at('deepseek', 'deepseek-reasoner', messages)).toEqual([]);
  expect(at('kimi', 'kimi-k2.6', messages)).toEqual([]);
  // The legacy result of a function is no message of the user.
  const legacy = [asked, ...used(), { role: 'function', name: 't', content: 'ok' }];
  expect(at('deepseek', 'deepseek-reasoner', legacy)).toEqual([filled(1)]);
  expect(at('kimi', 'kimi-k2.6', legacy)).toEqual([filled(1)]);
});

test('reasoning that is no text counts as lost', () => {
  expect(at('deepseek', 'deepseek-v4-pro', [asked, ...used({ reasoning_content: null })])).toEqual([filled(1)]);
});

test('a message without calls needs none', () => {
  expect(at('deepseek', 'deepseek-v4-pro', [asked, { role: 'assistant', content: 'hi' }, asked])).toEqual([]);
});
