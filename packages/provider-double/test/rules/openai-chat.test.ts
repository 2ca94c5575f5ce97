import { describe, expect, it } from 'vitest';
import { checkRequest, type BackendProfile, type RequestProblem } from '@holdfast/provider-double/rules';

const user = { role: 'user', content: 'go' };
const call = (id: string, fields: object = {}): object => ({ id, type: 'function', function: { name: 'f', arguments: '{}', ...fields } });
const calls = (...list: object[]): object => ({ role: 'assistant', content: null, tool_calls: list });
const result = (id: string, content: unknown = 'ok'): object => ({ role: 'tool', tool_call_id: id, content });
const loop = [user, calls(call('c1')), result('c1')];
const tool = (parameters?: unknown, fields: object = {}): object => ({ type: 'function', function: { name: 'f', parameters, ...fields } });
const empty = { type: 'object', properties: {} };

const check = (messages: unknown, rest: object = {}, profile: BackendProfile = 'openai'): readonly RequestProblem[] =>
  checkRequest({ format: 'openai-chat', profile, request: { model: 'm', messages, ...rest } });

type Row = readonly [title: string, messages: unknown, rule: string, words: string, rest?: object, profile?: BackendProfile];

const forced = { tools: [tool(empty)], tool_choice: 'required' };
const noForce = 'does not support this tool_choice';

const refused: readonly Row[] = [
  ['a call at the end', [user, calls(call('c1'))], 'missing-result', 'did not have response messages: c1'],
  ['a result of another turn', [...loop, user, result('c1')], 'orphan-result', "messages with role 'tool' must be a response"],
  ['a result that opens the conversation', [result('c1'), user], 'orphan-result', "messages with role 'tool' must be a response"],
  ['a foreign result in the run', [user, calls(call('c1')), result('c1'), result('c2')], 'orphan-result', "messages with role 'tool'"],
  [
    'a message between call and result',
    [user, calls(call('c1')), { role: 'assistant', content: 'hm' }, result('c1')],
    'missing-result',
    'c1',
  ],
  [
    'an id of 41 characters',
    [user, calls(call('i'.repeat(41))), result('i'.repeat(41))],
    'call-id-form',
    'maximum length 40, but got a string with length 41',
  ],
  [
    'arguments that are an object',
    [user, calls(call('c1', { arguments: {} })), result('c1')],
    'arguments-form',
    'expected a string, but got an object instead.',
  ],
  ['a name with a dot', [user, calls(call('c1', { name: 'a.b' })), result('c1')], 'name-form', "pattern '^[a-zA-Z0-9_-]+$'"],
  [
    'an empty list of calls',
    [user, { role: 'assistant', content: 'a', tool_calls: [] }],
    'empty-tool-calls',
    "Invalid 'messages[1].tool_calls': empty array.",
  ],
  [
    'a result without content',
    [user, calls(call('c1')), result('c1', null)],
    'empty-content',
    "Invalid value for 'content': expected a string, got null.",
  ],
  ['an empty assistant message', [user, { role: 'assistant', content: null }], 'empty-content', 'expected a string, got null'],
  [
    'an image as result',
    [user, calls(call('c1')), result('c1', [{ type: 'image_url' }])],
    'content-form',
    "Invalid value: 'image_url'. Supported values are: 'text'.",
  ],
  ['an unknown role', [user, { role: 'model', content: 'a' }], 'role-form', "Invalid value: 'model'."],
  ['no messages', undefined, 'empty-messages', "Missing required parameter: 'messages'."],
  ['a choice without tools', [user], 'tool-choice', "'tool_choice' is only allowed when 'tools' are specified.", { tool_choice: 'auto' }],
  ['parallel calls without tools', [user], 'tool-choice', "'parallel_tool_calls' is only allowed", { parallel_tool_calls: false }],
  [
    'tool choice with an unknown tool',
    [user],
    'tool-choice',
    "Tool choice 'function' not found in 'tools' parameter.",
    { tools: [tool(empty)], tool_choice: { type: 'function', function: { name: 'g' } } },
  ],
  [
    '129 tools',
    [user],
    'tool-count',
    'maximum length 128, but got an array with length 129',
    { tools: Array.from({ length: 129 }, () => tool(empty)) },
  ],
  [
    'a tool name with a slash',
    [user],
    'tool-name-form',
    "Invalid 'tools[0].function.name': string does not match pattern.",
    { tools: [tool(empty, { name: 'a/b' })] },
  ],
  [
    'an array without items',
    [user],
    'tool-schema',
    "In context=('properties', 'paths'), array schema missing items.",
    { tools: [tool({ type: 'object', properties: { paths: { type: 'array' } } })] },
  ],
  [
    'an object without properties',
    [user],
    'tool-schema',
    'In context=(), object schema missing properties',
    { tools: [tool({ type: 'object' })] },
  ],
  ['required: null', [user], 'tool-schema', "None is not of type 'array'", { tools: [tool({ ...empty, required: null })] }],
  [
    'strict without additionalProperties',
    [user],
    'tool-schema',
    "'additionalProperties' is required to be supplied and to be false.",
    { tools: [tool(empty, { strict: true })] },
  ],
  [
    'DeepSeek: a missing result',
    [user, calls(call('c1')), user],
    'missing-result',
    '(insufficient tool messages following tool_calls message)',
    {},
    'deepseek',
  ],
  ['DeepSeek: an empty list of tools', [user], 'tool-count', 'empty array', { tools: [] }, 'deepseek'],
  [
    'DeepSeek: thinking that is not sent back',
    loop,
    'reasoning-missing',
    'The `reasoning_content` in the thinking mode must be passed back to the API.',
    { thinking: { type: 'enabled' } },
    'deepseek',
  ],
  ['DeepSeek: a forced tool while thinking', [user], 'tool-choice', noForce, { ...forced, thinking: { type: 'enabled' } }, 'deepseek'],
  ['DeepSeek: the same, unasked', [user], 'tool-choice', noForce, { ...forced, model: 'deepseek-v4-pro' }, 'deepseek'],
  [
    'Mistral: two calls, one result',
    [user, calls(call('aaaaaaaa1'), call('aaaaaaaa2')), result('aaaaaaaa1')],
    'missing-result',
    'Not the same number of function calls and responses',
    {},
    'mistral',
  ],
  [
    'Mistral: the user after a result',
    [user, calls(call('aaaaaaaa1')), result('aaaaaaaa1'), user],
    'role-order',
    "Unexpected role 'user' after role 'tool'",
    {},
    'mistral',
  ],
  [
    'Mistral: a result after the user',
    [user, result('aaaaaaaa1')],
    'orphan-result',
    "Unexpected role 'tool' after role 'user'",
    {},
    'mistral',
  ],
  ['Kimi: an orphan', [user, result('c1')], 'orphan-result', 'Invalid request: tool_call_id  is not found', {}, 'kimi'],
  [
    'MiniMax: an orphan',
    [user, result('c1')],
    'orphan-result',
    "invalid params, tool result's tool id (c1) not found (2013)",
    {},
    'minimax',
  ],
  [
    'MiniMax: a missing result',
    [user, calls(call('c1')), user],
    'missing-result',
    'invalid params, tool call result does not follow tool call (2013)',
    {},
    'minimax',
  ],
  [
    'Qwen: a missing result',
    [user, calls(call('c1')), user],
    'missing-result',
    'must be followed by tool messages responding to each "tool_call_id"',
    {},
    'qwen',
  ],
  [
    'Qwen: an empty list of calls',
    [user, { role: 'assistant', content: 'a', tool_calls: [] }],
    'empty-tool-calls',
    'Empty tool_calls is not supported in message',
    {},
    'qwen',
  ],
  [
    'Qwen: arguments that are not JSON',
    [user, calls(call('c1', { arguments: '{"a' })), result('c1')],
    'arguments-form',
    'must be in JSON format',
    {},
    'qwen',
  ],
  [
    'Qwen: a forced tool while thinking',
    [user],
    'tool-choice',
    'does not support being set to required or object in thinking mode',
    { tools: [tool(empty)], tool_choice: 'required', enable_thinking: true },
    'qwen',
  ],
  ['xAI: a call without content', loop, 'empty-content', 'Each message must have at least one content element.', {}, 'xai'],
  [
    'Groq: a system message in parts',
    [{ role: 'system', content: [{ type: 'text', text: 'a' }] }, user],
    'content-form',
    "('messages.0.content' : value must be a string)",
    {},
    'groq',
  ],
  [
    'llama-server: arguments cut off',
    [user, calls(call('c1', { arguments: '{"a' })), result('c1')],
    'arguments-form',
    'Failed to parse tool call arguments as JSON',
    {},
    'llama-server',
  ],
  [
    'Ollama: arguments that are a list',
    [user, calls(call('c1', { arguments: '[1]' })), result('c1')],
    'arguments-form',
    'invalid tool call arguments',
    {},
    'ollama',
  ],
  [
    'LiteLLM: arguments that are a list',
    [user, calls(call('c1', { arguments: '[1]' })), result('c1')],
    'arguments-form',
    'arguments must be a valid JSON object string',
    {},
    'litellm',
  ],
];

describe('refused', () => {
  for (const [title, messages, rule, words, rest, profile] of refused) {
    it(title, () => {
      const problems = check(messages, rest, profile);
      expect(problems.map((problem) => [problem.rule, problem.message.includes(words)])).toContainEqual([rule, true]);
    });
  }
});

const accepted: readonly (readonly [title: string, messages: unknown, rest?: object, profile?: BackendProfile])[] = [
  ['a loop', loop],
  ['text beside calls', [user, { ...calls(call('c1')), content: 'a' }, result('c1', [{ type: 'text', text: 'ok' }]), user]],
  ['an id of 40 characters', [user, calls(call('i'.repeat(40))), result('i'.repeat(40))]],
  ['broken arguments, which OpenAI does not read', [user, calls(call('c1', { arguments: '{"a' })), result('c1')]],
  ['one id in two turns', [...loop, user, calls(call('c1')), result('c1')]],
  ['an id with unusual characters', [user, calls(call('functions.f:0')), result('functions.f:0')]],
  ['tools without parameters', [user], { tools: [tool()], tool_choice: 'auto', parallel_tool_calls: true }],
  ['a long id at another backend', [user, calls(call('i'.repeat(60))), result('i'.repeat(60))], {}, 'vllm'],
  ['no arguments at all', [user, calls(call('c1', { arguments: '' })), result('c1')], {}, 'vllm'],
  ['a name with a dot at another backend', [user, calls(call('c1', { name: 'a.b' })), result('c1')], {}, 'kimi'],
  ['an empty text at xAI', [user, { ...calls(call('c1')), content: '' }, result('c1')], {}, 'xai'],
  [
    'nine letters and digits',
    [user, calls(call('abcDEF123')), result('abcDEF123'), { role: 'assistant', content: 'a' }, user],
    {},
    'mistral',
  ],
  [
    'thinking that is sent back',
    [user, { ...calls(call('c1')), reasoning_content: 'r' }, result('c1')],
    { thinking: { type: 'enabled' } },
    'deepseek',
  ],
  ['a forced tool without thinking', [user], { ...forced, thinking: { type: 'disabled' }, model: 'deepseek-v4-pro' }, 'deepseek'],
  ['thinking that is disabled', loop, { model: 'deepseek-v4-pro', thinking: { type: 'disabled' } }, 'deepseek'],
  ['a model that does not think', loop, { model: 'deepseek-chat' }, 'deepseek'],
  ['reasoning of an earlier turn', [...loop, { role: 'assistant', content: 'a' }, user], { model: 'deepseek-reasoner' }, 'deepseek'],
  ['thinking that is disabled at Kimi', loop, { model: 'kimi-k2.6', thinking: { type: 'disabled' } }, 'kimi'],
  ['reasoning of an earlier turn at Kimi', [...loop, { role: 'assistant', content: 'a' }, user], { model: 'kimi-k2.6' }, 'kimi'],
  ['a tool of Kimi itself', [user], { tools: [{ type: 'builtin_function', function: { name: '$web_search' } }] }, 'kimi'],
  ['a tool of Groq itself', [user], { tools: [{ type: 'browser_search' }] }, 'groq'],
  [
    'arguments that are a list at MiniMax, of which nothing is known',
    [user, calls(call('c1', { arguments: '[1]' })), result('c1')],
    {},
    'minimax',
  ],
  ['a call without content at Ollama', loop, {}, 'ollama'],
  ['thinking of an earlier turn', [...loop, user], { thinking: { type: 'enabled' } }, 'deepseek'],
];

describe('taken', () => {
  for (const [title, messages, rest, profile] of accepted) {
    it(title, () => {
      expect(check(messages, rest, profile)).toEqual([]);
    });
  }
});
