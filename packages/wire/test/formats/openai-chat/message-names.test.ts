/** Names of messages and of the functions in legacy results. */
import { checkRequest, type BackendProfile } from '@holdfast/provider-double/rules';
import { repair } from '@holdfast/wire';
import { describe, expect, test } from 'vitest';

const asked = { role: 'user', content: 'go' };

function at(profile: BackendProfile, ...messages: readonly object[]) {
  const options = { format: 'openai-chat', profile } as const;
  const given = structuredClone(messages);
  const repaired = repair({ model: 'm', messages }, options);
  expect(messages).toEqual(given);
  expect(repaired.problems).toEqual([]);
  expect(checkRequest({ ...options, request: repaired.request })).toEqual([]);
  expect(repair(repaired.request, options).request).toBe(repaired.request);
  return repaired;
}

describe('OpenAI', () => {
  test.each([
    ['Onboarding Agent', 'Onboarding_Agent'],
    ['a<b>/c|d\\e', 'a_b__c_d_e'],
    ['李 雷', '李_雷'],
  ])('the name %j of a message becomes %j', (name, expected) => {
    const { request, changes } = at('openai', { ...asked, name }, asked);
    expect(request.messages[0]).toEqual({ ...asked, name: expected });
    expect(changes).toEqual([{ rule: 'name-form', path: 'messages.0.name', action: 'edited', before: name, after: expected }]);
  });

  test('letters of any script are accepted', () => {
    expect(at('openai', { ...asked, name: 'Zoë' }, { ...asked, name: '李雷' }).changes).toEqual([]);
  });

  test.each(['', ' ', '< >', 7, {}])('the name %j of a message is removed', (name) => {
    expect(at('openai', { ...asked, name }, asked).request.messages[0]).toEqual(asked);
  });

  test('a legacy result takes the name of the call before it', () => {
    const called = { role: 'assistant', content: null, function_call: { name: 'f', arguments: '{}' } };
    const { request, changes } = at('openai', asked, called, { role: 'function', content: 'ok' });
    expect(request.messages[2]).toEqual({ role: 'function', name: 'f', content: 'ok' });
    expect(changes.map(({ rule, path }) => [rule, path])).toEqual([['name-missing', 'messages.2.name']]);
  });

  test('a legacy result without a call before it has no known name', () => {
    const called = { role: 'assistant', content: null, function_call: { name: 'f', arguments: '{}' } };
    for (const before of [[], [called, asked]])
      expect(at('openai', ...before, { role: 'function', content: 'wait' }, asked).request.messages[before.length]).toEqual({
        role: 'function',
        name: 'unknown_tool',
        content: 'wait',
      });
  });

  test('names in results and of functions that are accepted stay', () => {
    const call = { id: 'a', type: 'function', function: { name: 'f', arguments: '{}' } };
    const messages = [
      asked,
      { role: 'assistant', content: '', tool_calls: [call] },
      { role: 'tool', tool_call_id: 'a', name: 'files.read', content: 'ok' },
    ];
    expect(at('openai', ...messages).changes).toEqual([]);
    expect(
      at('mistral', ...messages.map((each) => JSON.parse(JSON.stringify(each).replaceAll('"a"', '"abcDEF123"')) as object)).changes,
    ).toMatchObject([{ rule: 'name-form', path: 'messages.2.name', before: 'files.read' }]);
  });
});

test('other backends take any name', () => {
  for (const profile of ['vllm', 'deepseek', 'mistral'] as const)
    expect(at(profile, { ...asked, name: 'Onboarding Agent' }, asked).changes).toEqual([]);
});

test('DeepSeek: the role developer becomes system', () => {
  const developer = { role: 'developer', content: 'Be short.' };
  expect(at('openai', developer, asked).changes).toEqual([]);
  const { request, changes } = at('deepseek', developer, asked);
  expect(request.messages[0]).toEqual({ role: 'system', content: 'Be short.' });
  expect(changes.map(({ rule, path }) => [rule, path])).toEqual([['role', 'messages.0.role']]);
});
