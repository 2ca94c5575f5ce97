/** Late outcomes of UI messages: a second part of the same call. */
import { repair } from '@holdfast/wire';
import { describe, expect, test } from 'vitest';

const none = 'Tool call was not completed: no result was recorded. It may or may not have run.';
const part = (state: string, more: object = {}) => ({ type: 'tool-pay', toolCallId: 'c', state, input: { to: 'a' }, ...more });
const model = (...parts: readonly object[]) => ({ role: 'assistant', parts });
const user = { role: 'user', parts: [{ type: 'text', text: 'go' }] };
const done = part('output-available', { output: 'paid' });
const ui = (...messages: readonly object[]) => repair(messages, { format: 'ai-sdk-ui' });

describe('a late outcome', () => {
  test.each([
    ['a placeholder', part('output-error', { errorText: none })],
    ['a call without outcome', part('input-available')],
    ['a call that was still streamed', part('input-streaming', { input: { to: '' } })],
  ])('takes the place of %s', (_title, first) => {
    const given = [user, model(first), user, model(done), user];
    const { request, changes } = ui(...given);
    expect(request).toEqual([user, model(done), user, user]);
    expect(changes.map(({ rule, action, path }) => [rule, action, path])).toEqual([
      ['result-place', 'edited', '1.parts.0'],
      ['duplicate-call', 'removed', '3.parts.0'],
    ]);
    expect(ui(...request).request).toEqual(request);
    expect(repair(request, { format: 'ai-sdk-ui' }).request).toBe(request);
  });

  test('takes the place of several placeholders, also if it came twice', () => {
    const placeholder = part('output-error', { errorText: none });
    const given = [user, model(placeholder), user, model({ ...placeholder }), user, model(done), model({ ...done }), user];
    const { request } = ui(...given);
    expect(request).toEqual([user, model(done), user, user, user]);
    expect(repair(request, { format: 'ai-sdk-ui' }).request).toBe(request);
  });

  test('that contradicts another one is left alone', () => {
    const placeholder = part('output-error', { errorText: none });
    const given = [user, model(placeholder), user, model(done), model({ ...done, output: 'refused' }), user];
    expect(repair(given, { format: 'ai-sdk-ui' }).request).toBe(given);
  });

  test('of another call, tool or input is left alone', () => {
    for (const other of [{ toolCallId: 'd' }, { type: 'tool-look' }, { input: { to: 'b' } }]) {
      const { request } = ui(user, model(part('input-available')), user, model({ ...done, ...other }), user);
      expect(JSON.stringify(request[1])).toContain('no result was recorded');
      expect(request).toHaveLength(5);
    }
  });

  test('does not replace a real one', () => {
    const given = [user, model(part('output-error', { errorText: 'no money' })), user, model(done), user];
    expect(repair(given, { format: 'ai-sdk-ui' }).request).toBe(given);
  });
});
