import { describe, expect, it } from 'vitest';
import { checkRequest } from '@holdfast/provider-double/rules';

const user = { role: 'user', content: 'go' };
const call = (id: string, fields: object = {}): object => ({ type: 'tool-call', toolCallId: id, toolName: 'f', input: {}, ...fields });
const result = (id: string, output: unknown = { type: 'text', value: 'ok' }): object => ({
  type: 'tool-result',
  toolCallId: id,
  toolName: 'f',
  output,
});
const assistant = (...content: unknown[]): object => ({ role: 'assistant', content });
const tools = (...content: unknown[]): object => ({ role: 'tool', content });
const rulesOf = (messages: unknown): readonly string[] => checkRequest({ format: 'ai-sdk', request: { messages } }).map(({ rule }) => rule);

const cases: readonly (readonly [title: string, messages: unknown, rules: readonly string[]])[] = [
  ['a loop', [user, assistant(call('a')), tools(result('a')), user], []],
  ['two tool messages', [user, assistant(call('a'), call('b')), tools(result('b')), tools(result('a'))], []],
  ['one id in two turns', [user, assistant(call('a')), tools(result('a')), assistant(call('a')), tools(result('a'))], []],
  ['a tool of the provider', [user, assistant(call('a', { providerExecuted: true }), result('a')), user], []],
  ['a denial', [user, assistant(call('a')), tools(result('a', { type: 'execution-denied' }))], []],
  ['a call at the end', [user, assistant(call('a'))], ['missing-result']],
  ['a result before its call', [user, tools(result('a')), assistant(call('a'))], ['orphan-result', 'missing-result']],
  ['two results', [user, assistant(call('a')), tools(result('a'), result('a'))], ['duplicate-result']],
  ['two calls of one id', [user, assistant(call('a'), call('a')), tools(result('a'))], ['duplicate-call']],
  [
    'a message between call and result',
    [user, assistant(call('a')), assistant({ type: 'text', text: 'x' }), tools(result('a'))],
    ['result-order'],
  ],
  ['input as text', [user, assistant(call('a', { input: '{"a' })), tools(result('a'))], ['arguments-form']],
  ['no messages', [], ['message-form']],
  ['a role of another library', [{ role: 'ai', content: 'x' }], ['message-form']],
  ['a result without output', [user, assistant(call('a')), tools(result('a', null))], ['message-form']],
  ['NaN in the output', [user, assistant(call('a')), tools(result('a', { type: 'json', value: [Number.NaN] }))], ['message-form']],
];

describe('ModelMessage', () => {
  it.each(cases)('%s', (_title, messages, rules) => {
    expect(rulesOf(messages)).toEqual(rules);
  });
});
