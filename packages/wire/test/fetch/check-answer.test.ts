/** Arguments in a complete answer: what is repaired for which tool, and what is only reported. */
import { expect, test } from 'vitest';
import { guardFetch, type GuardFetchOptions } from '../../src/fetch/guard-fetch.ts';

const url = 'https://api.openai.com/v1/chat/completions';
const request = { method: 'POST', body: JSON.stringify({ model: 'm', messages: [{ role: 'user', content: 'hi' }] }) };

const answer = (text: string, finish_reason: unknown): object => ({
  choices: [
    {
      finish_reason,
      message: {
        role: 'assistant',
        content: null,
        tool_calls: [{ id: 'c1', type: 'function', function: { name: 'pay', arguments: text } }],
      },
    },
  ],
});
const passed = async (text: string, finish: unknown, options: GuardFetchOptions = {}): Promise<readonly [string, readonly string[]]> => {
  const rules: string[] = [];
  const fetch = (): Promise<Response> =>
    Promise.resolve(new Response(JSON.stringify(answer(text, finish)), { headers: { 'content-type': 'application/json' } }));
  const guarded = guardFetch(fetch, { ...options, onReport: ({ problems }) => rules.push(...problems.map(({ rule }) => rule)) });
  const body = (await (await guarded(url, request)).json()) as ReturnType<typeof answer>;
  return [/"arguments":("(?:[^"\\]|\\.)*")/.exec(JSON.stringify(body))?.[1] ?? '', rules];
};
const fenced = '```json\n{"a":1}\n```';
const dict = "{'a': 1}";
const twice = '{"a":1,"a":2}';

test.each<readonly [string, string, unknown, GuardFetchOptions, string, readonly string[]]>([
  ['a fence is removed', fenced, 'stop', {}, '{"a":1}', []],
  ['a dict is not read for an undeclared tool', dict, 'stop', {}, dict, ['malformed-call']],
  ['a dict is not read for an unsafe tool', dict, 'stop', { effectOf: () => 'unsafe' }, dict, ['malformed-call']],
  ['a dict is read for a tool that only reads', dict, 'stop', { effectOf: () => 'read' }, '{"a":1}', []],
  ['a dict is read for an idempotent tool', dict, 'stop', { effectOf: () => 'idempotent' }, '{"a":1}', []],
  ['an object in prose is not read', 'not {"a":1}', 'stop', { effectOf: () => 'read' }, 'not {"a":1}', ['malformed-call']],
  ['a name twice is reported', twice, 'stop', { effectOf: () => 'read' }, twice, ['malformed-call']],
  ['nothing is repaired in an answer without an end', fenced, null, {}, fenced, ['finish-reason', 'malformed-call']],
  ['nothing is repaired in an answer that was filtered', fenced, 'content_filter', {}, fenced, ['malformed-call']],
])('%s', async (_name, text, finish, options, expected, rules) => {
  expect(await passed(text, finish, options)).toEqual([JSON.stringify(expected), rules]);
});
