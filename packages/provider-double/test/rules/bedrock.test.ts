import { describe, expect, it } from 'vitest';
import { checkRequest, type RequestProblem } from '@holdfast/provider-double/rules';

const text = { text: 'go' };
const user = (...content: unknown[]): object => ({ role: 'user', content: content.length > 0 ? content : [text] });
const assistant = (...content: unknown[]): object => ({ role: 'assistant', content });
const use = (id: string, fields: object = {}): object => ({ toolUse: { toolUseId: id, name: 'f', input: {}, ...fields } });
const result = (id: string, fields: object = {}): object => ({ toolResult: { toolUseId: id, content: [{ text: 'ok' }], ...fields } });
const toolConfig = (fields: object = {}): object => ({
  tools: [{ toolSpec: { name: 'f', inputSchema: { json: { type: 'object' } }, ...fields } }],
});

const claude = 'anthropic.claude-sonnet-4-20250514-v1:0';
const check = (messages: unknown, rest: object = {}): readonly RequestProblem[] =>
  checkRequest({ format: 'bedrock-converse', request: { modelId: claude, messages, toolConfig: toolConfig(), ...rest } });

const loop = [user(), assistant(use('a')), user(result('a'))];

type Row = readonly [title: string, messages: unknown, rule: string, words: string, rest?: object];

const refused: readonly Row[] = [
  [
    'a call at the end',
    [user(), assistant(use('a'))],
    'missing-result',
    'Expected toolResult blocks at messages.2.content for the following Ids: a',
  ],
  [
    'two results',
    [user(), assistant(use('a')), user(result('a'), result('a'))],
    'duplicate-result',
    'The toolResult blocks at messages.2.content contain duplicate Ids: a',
  ],
  [
    'a result of another call',
    [user(), assistant(use('a')), user(result('b'))],
    'orphan-result',
    'exceeds the number of toolUse blocks of previous turn',
  ],
  [
    'an id of 65 characters',
    [user(), assistant(use('i'.repeat(65))), user(result('i'.repeat(65)))],
    'call-id-form',
    'length less than or equal to 64',
  ],
  [
    'a name with a dot',
    [user(), assistant(use('a', { name: 'a.b' })), user(result('a'))],
    'name-form',
    'regular expression pattern: [a-zA-Z0-9_-]+',
  ],
  [
    'an error without content',
    [user(), assistant(use('a')), user(result('a', { content: [], status: 'error' }))],
    'empty-content',
    'The content field at messages.2.content.0.toolResult cannot be empty when status value is error.',
  ],
  [
    'a list as json',
    [user(), assistant(use('a')), user(result('a', { content: [{ json: [1] }] }))],
    'content-form',
    'toolResult.content.0.json is invalid. Provide a json object',
  ],
  [
    'blank text',
    [user(), assistant({ text: ' ' }, use('a')), user(result('a'))],
    'empty-content',
    'The text field in the ContentBlock object at messages.1.content.0 is blank.',
  ],
  [
    'an empty assistant message',
    [user(), assistant(), user()],
    'empty-content',
    'The content field in the Message object at messages.1 is empty.',
  ],
  ['a document alone', [user({ document: { name: 'd' } })], 'empty-content', 'A text block must be included when using documents.'],
  [
    'a document beside results',
    [user(), assistant(use('a')), user(result('a'), { document: {} }, text)],
    'mixed-turn',
    'cannot be provided in the same turn',
  ],
  [
    'a status for Writer',
    [user(), assistant(use('a')), user(result('a', { status: 'success' }))],
    'status-flag',
    "doesn't support the status field",
    { modelId: 'us.writer.palmyra-x5-v1:0' },
  ],
  ['no messages', [], 'empty-messages', 'A conversation must start with a user message.'],
  [
    'a schema without type',
    [user()],
    'tool-schema',
    'The value at toolConfig.tools.0.toolSpec.inputSchema.json.type must be one of the following: object.',
    { toolConfig: toolConfig({ inputSchema: { json: {} } }) },
  ],
  ['an empty description', [user()], 'tool-form', 'length greater than or equal to 1', { toolConfig: toolConfig({ description: '' }) }],
  ['tool choice none', [user()], 'tool-choice', 'auto, any, tool', { toolConfig: { ...toolConfig(), toolChoice: { none: {} } } }],
];

describe('refused', () => {
  for (const [title, messages, rule, words, rest] of refused) {
    it(title, () => {
      const problems = check(messages, rest);
      expect(problems.map((problem) => [problem.rule, problem.message.includes(words)])).toContainEqual([rule, true]);
    });
  }
});

const accepted: readonly (readonly [title: string, messages: unknown, rest?: object])[] = [
  ['a loop', loop],
  [
    'text and images beside results, for Claude',
    [user(), assistant(use('a')), user(result('a', { status: 'error' }), text, { image: {} }, { cachePoint: {} })],
  ],
  ['neighbours of one role', [user(), assistant(use('a')), assistant(use('b')), user(result('b')), user(result('a'))]],
  ['one id in two turns', [...loop, assistant(use('a')), user(result('a'))]],
  [
    'an id with newly allowed characters',
    [user(), assistant(use('functions.f:0')), user(result('functions.f:0', { content: [{ json: {} }] }))],
  ],
  ['the assistant first, for Claude', [assistant(text), user()]],
  ['the assistant last, for a Claude that takes prefill', [user(), assistant(text)]],
  [
    'a cache point among the tools',
    loop,
    { toolConfig: { tools: [...(toolConfig() as { tools: object[] }).tools, { cachePoint: { type: 'default' } }] } },
  ],
  ['no tools, no tool blocks', [user()], { toolConfig: undefined }],
  ['results alone, for Llama', loop, { modelId: 'us.meta.llama4-maverick-17b-instruct-v1:0' }],
];

describe('taken', () => {
  for (const [title, messages, rest] of accepted) {
    it(title, () => {
      expect(check(messages, rest)).toEqual([]);
    });
  }
});
