import { describe, expect, it } from 'vitest';
import { checkRequest, type BackendProfile, type RequestProblem } from '@holdfast/provider-double/rules';

const user = { role: 'user', content: 'go' };
const call = (id: string, fields: object = {}): object => ({ type: 'function_call', call_id: id, name: 'f', arguments: '{}', ...fields });
const output = (id: string, value: unknown = 'ok'): object => ({ type: 'function_call_output', call_id: id, output: value });
const reasoning = (fields: object = {}): object => ({ type: 'reasoning', id: 'rs_1', summary: [], ...fields });
const assistant = (text: string): object => ({ type: 'message', role: 'assistant', content: [{ type: 'output_text', text }] });

const check = (input: unknown, rest: object = {}, profile: BackendProfile = 'openai'): readonly RequestProblem[] =>
  checkRequest({ format: 'openai-responses', profile, request: { model: 'gpt-5.2', input, ...rest } });

const tool = (fields: object = {}): object => ({ type: 'function', name: 'f', parameters: { type: 'object', properties: {} }, ...fields });

type Row = readonly [title: string, input: unknown, rule: string, words: string, rest?: object, profile?: BackendProfile];

const refused: readonly Row[] = [
  ['an orphan', [user, output('c1')], 'orphan-result', 'No tool call found for function call output with call_id c1.'],
  ['a call at the end', [user, call('c1')], 'missing-result', 'No tool output found for function call c1.'],
  ['two outputs', [user, call('c1'), output('c1'), output('c1')], 'duplicate-result', 'Duplicate function_call_output for call_id'],
  [
    'one item twice',
    [user, call('c1', { id: 'fc_1' }), output('c1'), call('c2', { id: 'fc_1' }), output('c2')],
    'duplicate-item',
    'Duplicate item found with id fc_1.',
  ],
  [
    'a chat role',
    [user, { role: 'tool', content: 'ok' }],
    'role-form',
    "Invalid value: 'tool'. Supported values are: 'assistant', 'system', 'developer', and 'user'.",
  ],
  [
    'parts of the wrong side',
    [user, { role: 'assistant', content: [{ type: 'input_text', text: 'a' }] }],
    'content-form',
    "Invalid value: 'input_text'. Supported values are: 'output_text' and 'refusal'.",
  ],
  ['an empty call_id', [user, call(''), output('')], 'call-id-form', "Invalid 'input[1].call_id': empty string."],
  ['an output without content', [user, call('c1'), output('c1', null)], 'empty-content', "Missing required parameter: 'input[2].output'."],
  [
    'arguments that are an object',
    [user, call('c1', { arguments: {} }), output('c1')],
    'arguments-form',
    'expected a string, but got an object',
  ],
  ['a reasoning id on a message', [user, { ...assistant('a'), id: 'rs_1' }], 'item-id-form', "Expected an ID that begins with 'msg'."],
  [
    'reasoning without its following item',
    [user, reasoning(), user],
    'reasoning-pair',
    "Item 'rs_1' of type 'reasoning' was provided without its required following item.",
  ],
  [
    'reasoning without summary',
    [user, reasoning({ summary: undefined }), assistant('a')],
    'reasoning-form',
    'Input[1] missing required field `summary`',
  ],
  [
    'reasoning by an id that was not stored',
    [user, reasoning(), assistant('a')],
    'reasoning-form',
    "Item with id 'rs_1' not found.",
    { store: false },
  ],
  [
    'a custom call without output',
    [user, { type: 'custom_tool_call', call_id: 'c1', name: 'f', input: 'x' }],
    'missing-result',
    'No tool output found for custom tool call c1.',
  ],
  [
    'required without tools',
    [user],
    'tool-choice',
    "Tool choice 'required' must be specified with 'tools' parameter.",
    { tool_choice: 'required' },
  ],
  [
    'tool choice with an unknown tool',
    [user],
    'tool-choice',
    "Tool choice 'function' not found in 'tools' parameter.",
    { tools: [tool()], tool_choice: { type: 'function', name: 'g' } },
  ],
  ['a tool name of 129 characters', [user], 'tool-name-form', 'maximum length 128', { tools: [tool({ name: 'f'.repeat(129) })] }],
  ['no input', undefined, 'empty-messages', "Missing required parameter: 'input'."],
  [
    'DeepSeek: a developer between',
    [user, call('c1'), { role: 'developer', content: 'a' }, output('c1')],
    'result-order',
    'No tool output found for tool call c1',
    {},
    'deepseek',
  ],
];

describe('refused', () => {
  for (const [title, input, rule, words, rest, profile] of refused) {
    it(title, () => {
      const problems = check(input, rest, profile);
      expect(problems.map((problem) => [problem.rule, problem.message.includes(words)])).toContainEqual([rule, true]);
    });
  }
});

const accepted: readonly (readonly [title: string, input: unknown, rest?: object, profile?: BackendProfile])[] = [
  ['a string', 'go'],
  ['a loop', [user, call('c1'), output('c1')]],
  ['a message between call and output', [user, call('c1'), assistant('a'), user, output('c1')]],
  ['an output before its call, for which no rule is known', [user, output('c1'), call('c1')]],
  ['a call with its reasoning', [user, reasoning(), call('c1', { id: 'fc_1' }), call('c2', { id: 'fc_2' }), output('c1'), output('c2')]],
  ['a call of a model that does not always reason', [user, call('c1', { id: 'fc_1' }), output('c1')], { model: 'gpt-4.1' }],
  ['a message with its reasoning', [user, reasoning(), { ...assistant('a'), id: 'msg_1' }, user]],
  ['a message of a model that does not always reason', [user, { ...assistant('a'), id: 'msg_1' }, user], { model: 'gpt-4.1' }],
  ['a message without reasoning that was not stored', [user, { ...assistant('a'), id: 'msg_1' }, user], { store: false }],
  ['tools of the provider', [user], { tools: [{ type: 'web_search' }, tool()] }],
  ['encrypted reasoning', [user, reasoning({ encrypted_content: 'x' }), call('c1'), output('c1')], { store: false }],
  ['an output for what the server holds', [output('c1')], { previous_response_id: 'resp_1' }],
  ['references', [user, { type: 'item_reference', id: 'rs_1' }, { type: 'item_reference', id: 'fc_1' }, output('c1')]],
  ['an empty list of tools', [user], { tools: [] }],
  ['parts as output', [user, call('c1'), output('c1', [{ type: 'input_text', text: 'a' }])]],
  ['DeepSeek: two calls, then two outputs', [user, reasoning(), call('c1'), call('c2'), output('c2'), output('c1'), user], {}, 'deepseek'],
];

describe('taken', () => {
  for (const [title, input, rest, profile] of accepted) {
    it(title, () => {
      expect(check(input, rest, profile)).toEqual([]);
    });
  }
});
