/** The type of a call in Chat Completions. */
import { repair } from '@holdfast/wire';
import { expect, test } from 'vitest';

const at = (call: object, profile?: string) =>
  repair(
    {
      model: 'm',
      messages: [
        { role: 'user', content: 'go' },
        { role: 'assistant', tool_calls: [call] },
        { role: 'tool', tool_call_id: 'a', content: 'sunny' },
      ],
    },
    { format: 'openai-chat', profile },
  );
const own = { function: { name: 'weather', arguments: '{}' } };

test.each([undefined, '', 'tool', 7])('a call of the type %j is a function', (type) => {
  const { request, changes } = at({ id: 'a', type, ...own });
  expect(changes).toMatchObject([{ rule: 'content-form', action: 'edited', path: 'messages.1.tool_calls.0.type', after: 'function' }]);
  expect(request.messages[1]).toMatchObject({ tool_calls: [{ id: 'a', type: 'function', ...own }] });
});

test('a custom call stays one', () => {
  const custom = { id: 'a', custom: { name: 'weather', input: 'Oslo' } };
  expect(at({ ...custom, type: 'custom' }).changes).toEqual([]);
  expect(at({ ...custom, type: 'tool' }).request.messages[1]).toMatchObject({ tool_calls: [{ type: 'custom' }] });
});

test('other providers have types of their own', () => {
  expect(at({ id: 'a', type: 'builtin_function', ...own }, 'kimi').changes).toEqual([]);
});
