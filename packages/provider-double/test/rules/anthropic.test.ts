import { describe, expect, it } from 'vitest';
import { checkRequest, type BackendProfile, type RequestProblem } from '@holdfast/provider-double/rules';

const user = (...content: unknown[]): object => ({ role: 'user', content: content.length > 0 ? content : 'go' });
const assistant = (...content: unknown[]): object => ({ role: 'assistant', content });
const text = (words: string): object => ({ type: 'text', text: words });
const use = (id: string, fields: object = {}): object => ({ type: 'tool_use', id, name: 'f', input: {}, ...fields });
const result = (id: string, fields: object = {}): object => ({ type: 'tool_result', tool_use_id: id, content: 'ok', ...fields });
const thinking = { type: 'thinking', thinking: 'a', signature: 'S' };
const search = { type: 'server_tool_use', id: 's1', name: 'web_search', input: {} };
const found = { type: 'web_search_tool_result', tool_use_id: 's1', content: [] };
const tool = (fields: object = {}): object => ({ name: 'f', input_schema: { type: 'object' }, ...fields });

const check = (messages: unknown, rest: object = {}, profile: BackendProfile = 'anthropic'): readonly RequestProblem[] =>
  checkRequest({ format: 'anthropic-messages', profile, request: { model: 'claude-opus-4-8', max_tokens: 9, messages, ...rest } });

const loop = [user(), assistant(use('a')), user(result('a'))];
const on = { thinking: { type: 'enabled', budget_tokens: 1_024 } };

type Row = readonly [title: string, messages: unknown, rule: string, words: string, rest?: object, profile?: BackendProfile];

const refused: readonly Row[] = [
  [
    'results after text',
    [user(), assistant(use('a')), user(text('x'), result('a'))],
    'missing-result',
    '`tool_use` ids were found without `tool_result` blocks immediately after: a.',
  ],
  [
    'results two turns later',
    [user(), assistant(use('a')), user(), assistant(text('x')), user(result('a'))],
    'orphan-result',
    'messages.4.content.0: unexpected `tool_use_id` found',
  ],
  ['a call at the end', [user(), assistant(use('a'))], 'missing-result', 'messages.1: `tool_use` ids were found without'],
  [
    'two results of one call',
    [user(), assistant(use('a')), user(result('a'), result('a'))],
    'duplicate-result',
    'each tool_use must have a single result. Found multiple `tool_result` blocks with id: a',
  ],
  [
    'an id of an earlier turn',
    [...loop, assistant(use('a')), user(result('a'))],
    'duplicate-call',
    'messages.3.content.0: `tool_use` ids must be unique',
  ],
  [
    'input as text',
    [user(), assistant(use('a', { input: '{}' })), user(result('a'))],
    'arguments-form',
    'messages.1.content.0.tool_use.input: Input should be a valid dictionary',
  ],
  [
    'blank text',
    [user(), assistant(text(' \n'), use('a')), user(result('a'))],
    'empty-content',
    'text content blocks must contain non-whitespace text',
  ],
  [
    'an empty user',
    [user(), assistant(text('x')), { role: 'user', content: '' }],
    'empty-content',
    'all messages must have non-empty content',
  ],
  [
    'a call by the user',
    [user(use('a')), assistant(text('x')), user()],
    'role-form',
    '`tool_use` blocks can only be in `assistant` messages',
  ],
  [
    'a result of null',
    [user(), assistant(use('a')), user(result('a', { content: null }))],
    'content-form',
    'tool_result.content: Input should be a valid list',
  ],
  ['a role of another provider', [user(), { role: 'tool', content: 'ok' }], 'role-form', 'Unexpected role "tool"'],
  ['no messages', [], 'empty-messages', 'messages: at least one message is required'],
  [
    'prefill of a new model',
    [user(), assistant(text('x'))],
    'conversation-end',
    'This model does not support assistant message prefill. The conversation must end with a user message.',
  ],
  [
    'trailing whitespace in prefill',
    [user(), assistant(text('x '))],
    'conversation-end',
    'final assistant content cannot end with trailing whitespace',
    { model: 'claude-sonnet-4-20250514' },
  ],
  ['a lone surrogate', [user(text('a\ud800'))], 'unicode', 'The request body is not valid JSON: no low surrogate in string: line 1 column'],
  [
    'a search without a result',
    [user(), assistant(search, text('x')), user()],
    'missing-result',
    '`web_search` tool use with id `s1` was found without a corresponding `web_search_tool_result` block',
  ],
  [
    'a result without a search',
    [user(), assistant(found, text('x')), user()],
    'orphan-result',
    'must have a corresponding `server_tool_use` block before it.',
  ],
  [
    'thinking without signature',
    [user(), assistant({ type: 'thinking', thinking: 'a' }, use('a')), user(result('a'))],
    'thinking-form',
    'thinking.signature: Field required',
  ],
  [
    'thinking with an empty signature',
    [user(), assistant({ type: 'thinking', thinking: 'a', signature: '' }, use('a')), user(result('a'))],
    'thinking-form',
    'messages.1.content.0: Invalid `signature` in `thinking` block',
  ],
  [
    'a forced tool while thinking',
    [user()],
    'tool-choice',
    'Thinking may not be enabled when tool_choice forces tool use.',
    { ...on, tools: [tool()], tool_choice: { type: 'any' } },
  ],
  [
    'a schema without type',
    [user()],
    'tool-schema',
    'tools.0.custom.input_schema.type: Field required',
    { tools: [tool({ input_schema: {} })] },
  ],
  [
    'a name of 129 characters',
    [user()],
    'tool-name-form',
    "tools.0.custom.name: String should match pattern '^[a-zA-Z0-9_-]{1,128}$'",
    { tools: [tool({ name: 'f'.repeat(129) })] },
  ],
  ['only deferred tools', [user()], 'tool-form', 'defer_loading', { tools: [tool({ defer_loading: true })] }],
  [
    'DeepSeek: thinking that is not sent back',
    loop,
    'thinking-missing',
    'The `content[].thinking` in the thinking mode must be passed back',
    on,
    'deepseek',
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
  [
    'thinking without signature, at DeepSeek',
    [user(), assistant({ type: 'thinking', thinking: 'a' }, use('a')), user(result('a'))],
    on,
    'deepseek',
  ],
  ['a loop', loop],
  ['text after results', [user(), assistant(use('a')), user(result('a', { content: [text('x')], is_error: true }), text('y'))]],
  ['neighbours of one role', [user(), assistant(use('a')), assistant(use('b')), user(result('b')), user(result('a')), user()]],
  [
    'results in another order, without content',
    [user(), assistant(use('a'), use('b')), user(result('b', { content: undefined }), result('a'))],
  ],
  ['a conversation that begins with the assistant', [assistant(text('x')), user()]],
  ['a result without content', [user(), assistant(use('a')), user(result('a', { content: '', is_error: false }))]],
  ['a forced tool that is reached by MCP', [user()], { mcp_servers: [{ name: 'm' }], tool_choice: { type: 'tool', name: 'g' } }],
  [
    'a forced tool of the provider',
    [user()],
    { tools: [{ type: 'web_search_20250305', name: 'web_search' }], tool_choice: { type: 'tool', name: 'web_search' } },
  ],
  ['thinking before calls', [user(), assistant(thinking, use('a')), user(result('a'))], on],
  ['an earlier turn without thinking', [...loop, assistant(text('x')), user()], on],
  ['calls after a search', [user(), assistant(search, found, use('a')), user(result('a'))]],
  ['calls on both sides of thinking', [user(), assistant(use('a'), thinking, search, found), user(result('a'))]],
  ['a pause', [user(), assistant(text('x'), search)]],
  ['prefill of an older model', [user(), assistant(text('x'))], { model: 'claude-3-5-sonnet-20241022' }],
  ['complete surrogate pairs, and a backslash that only looks like a lone surrogate', [user(text('🌧 \\ud800'))]],
  ['a thread', [user(result('a'))], { thread: { type: 'continue', previous_message_id: 'msg_1' } }],
  ['a search tool of the provider', [user()], { tools: [{ type: 'web_search_20250305', name: 'web_search' }, tool()] }],
  ['a system message after the user', [user(), { role: 'system', content: 'x' }]],
];

describe('taken', () => {
  for (const [title, messages, rest, profile] of accepted) {
    it(title, () => {
      expect(check(messages, rest, profile)).toEqual([]);
    });
  }
});
