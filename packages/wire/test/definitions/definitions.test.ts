/** Tools of a request: repaired if this does not change what a tool accepts; otherwise reported. */
import { checkRequest, type WireFormat } from '@holdfast/provider-double/rules';
import { repair, type Format } from '@holdfast/wire';
import { describe, expect, test } from 'vitest';

const asked = { role: 'user', content: 'go' };
const chat = (parameters: unknown, more: object = {}) => ({
  model: 'm',
  messages: [asked],
  tools: [{ type: 'function', function: { name: 'f', parameters, ...more } }],
});
const gemini = (parameters: unknown) => ({
  model: 'gemini-2.5-flash',
  contents: [{ role: 'user', parts: [{ text: 'a' }] }],
  tools: [{ functionDeclarations: [{ name: 'f', parameters }] }],
});
const claude = (tool: object) => ({ model: 'claude-opus-4-8', max_tokens: 9, messages: [asked], tools: [{ name: 'f', ...tool }] });
const bedrock = (toolSpec: object) => ({
  modelId: 'anthropic.claude-3',
  messages: [{ role: 'user', content: [{ text: 'a' }] }],
  toolConfig: { tools: [{ toolSpec: { name: 'f', ...toolSpec } }] },
});
const loose = { type: 'object', properties: { a: { type: 'string' }, b: { type: 'object' } }, required: ['a'] };

const repaired: readonly (readonly [string, Format, object])[] = [
  ['no properties', 'openai-chat', chat({ type: 'object' })],
  ['an empty schema', 'openai-chat', chat({})],
  ['an undefined type', 'openai-chat', chat({ type: undefined, properties: {} })],
  ['empty lists', 'openai-chat', chat({ type: 'object', properties: { a: { type: 'array' } } })],
  ['strict, but invalid', 'openai-chat', chat(loose, { strict: true })],
  ['null keywords', 'openai-chat', chat({ type: 'object', properties: { a: { type: 'object', required: null } }, required: null })],
  [
    'keywords that OpenAPI does not support',
    'gemini',
    gemini({ type: 'OBJECT', properties: { a: { type: 'STRING', nullable: true } }, additionalProperties: false }),
  ],
  ['an empty nested object', 'gemini', gemini({ type: 'object', properties: { a: { type: 'object', properties: {} } } })],
  ['a list of types', 'gemini', gemini({ type: 'object', $schema: 'x', properties: { a: { type: ['string', 'null'] } } })],
  [
    'a single tool in place of a list',
    'gemini',
    { ...gemini({}), tools: gemini({ type: 'object', properties: { a: { type: ['string', 'null'] } } }).tools[0] },
  ],
  ['no schema', 'anthropic-messages', claude({})],
  ['combinators at the top', 'anthropic-messages', claude({ input_schema: { type: 'object', anyOf: [{ required: ['a'] }] } })],
  ['no type', 'bedrock-converse', bedrock({ inputSchema: { json: { properties: {} } } })],
  ['an empty description', 'bedrock-converse', bedrock({ description: '', inputSchema: { json: { type: 'object' } } })],
];

test.each(repaired)('%s is repaired for %s', (_title, format, request) => {
  expect(checkRequest({ format: format as WireFormat, request })).not.toEqual([]);
  const repaired = repair(request, { format });
  expect(repaired.problems).toEqual([]);
  expect(checkRequest({ format: format as WireFormat, request: repaired.request })).toEqual([]);
  expect(repair(repaired.request, { format }).request).toBe(repaired.request);
});

describe('reported', () => {
  test('a schema that is not an object schema', () => {
    expect(repair(chat({ type: 'array', items: {} }), { format: 'openai-chat' }).problems).toMatchObject([
      { rule: 'tool-schema', kind: 'definition' },
    ]);
  });

  test('a forced tool with a thinking model', () => {
    const request = {
      ...claude({ input_schema: { type: 'object' } }),
      thinking: { type: 'enabled', budget_tokens: 1024 },
      tool_choice: { type: 'any' },
    };
    expect(repair(request, { format: 'anthropic-messages' }).problems).toMatchObject([{ rule: 'tool-choice', path: 'tool_choice' }]);
  });

  test.each([
    [
      'a choice that names no tool',
      'anthropic-messages',
      { ...claude({ input_schema: { type: 'object' } }), tool_choice: { type: 'tool' } },
    ],
    [
      'a choice that names no function',
      'openai-chat',
      { ...chat({ type: 'object', properties: {} }), tool_choice: { type: 'function', function: {} } },
    ],
    [
      'a choice whose name is no string',
      'openai-responses',
      {
        model: 'm',
        input: 'go',
        tools: [{ type: 'function', name: 'f', parameters: { type: 'object', properties: {} } }],
        tool_choice: { type: 'function', name: 7 },
      },
    ],
    [
      'a choice of an unknown kind',
      'bedrock-converse',
      { ...bedrock({}), toolConfig: { tools: bedrock({ inputSchema: { json: { type: 'object' } } }).toolConfig.tools, toolChoice: {} } },
    ],
    [
      'a calling configuration without functions',
      'gemini',
      { ...gemini({}), tools: [], toolConfig: { functionCallingConfig: { mode: 'ANY' } } },
    ],
    [
      'a calling configuration beside an empty list of functions',
      'gemini',
      { ...gemini({}), tools: [{ functionDeclarations: [] }], toolConfig: { functionCallingConfig: { mode: 'ANY' } } },
    ],
  ] as const)('%s', (_title, format, request) => {
    expect(checkRequest({ format, request })).toMatchObject([{ rule: 'tool-choice' }]);
    expect(repair(request, { format }).problems).toMatchObject([{ rule: 'tool-choice' }]);
    expect(repair(request, { format }).request).toBe(request);
  });

  test('a forced tool with a model that thinks unasked', () => {
    const at = (model: string, more: object = {}) =>
      repair(
        { ...chat({ type: 'object', properties: {} }), model, tool_choice: 'required', ...more },
        { format: 'openai-chat', profile: 'deepseek' },
      ).problems.map(({ rule }) => rule);
    for (const model of ['deepseek-reasoner', 'deepseek-v4-flash']) expect(at(model)).toEqual(['tool-choice']);
    expect(at('deepseek-v4-flash', { thinking: { type: 'disabled' } })).toEqual([]);
    expect(at('deepseek-v4-flash', { tool_choice: 'auto' })).toEqual([]);
    expect(at('deepseek-chat')).toEqual([]);
  });

  test.each(['description', 'strict', 'name'])('a field of functions beside the functions of a Gemini tool: %s', (field) => {
    const request = { ...gemini({}), tools: [{ functionDeclarations: [{ name: 'f' }], [field]: 'd' }] };
    expect(repair(request, { format: 'gemini' }).problems).toMatchObject([
      { rule: 'tool-shape', message: expect.stringContaining(`unknown field '${field}'`) as string },
    ]);
  });

  test.each([{ mode: 'NONE' }, undefined])('a calling configuration that calls nothing is no problem: %j', (functionCallingConfig) => {
    const request = { ...gemini({}), tools: [{ googleSearch: {} }], toolConfig: { functionCallingConfig } };
    expect(checkRequest({ format: 'gemini', request })).toEqual([]);
    expect(repair(request, { format: 'gemini' }).problems).toEqual([]);
  });

  test.each([{ functionDeclarations: [{ name: 'f' }] }, [{ function_declarations: [{ name: 'f' }] }]])(
    'functions in another spelling count: %j',
    (tools) => {
      const request = { ...gemini({}), tools, toolConfig: { functionCallingConfig: { mode: 'ANY' } } };
      expect(checkRequest({ format: 'gemini', request })).toEqual([]);
      expect(repair(request, { format: 'gemini' })).toMatchObject({ changes: [], problems: [] });
    },
  );

  test('content of a type that the provider does not accept', () => {
    const content = [
      { type: 'text', text: 'go' },
      { type: 'video_url', video_url: {} },
    ];
    const messages = [{ role: 'user', content }];
    for (const profile of ['openai', 'ollama'])
      expect(repair({ model: 'm', messages }, { format: 'openai-chat', profile })).toMatchObject({
        changes: [],
        problems: [{ rule: 'content-form', path: 'messages.0.content.1' }],
      });
    expect(repair({ model: 'm', messages }, { format: 'openai-chat', profile: 'vllm' }).problems).toEqual([]);
    const input = [{ role: 'user', content: [{ type: 'input_video' }] }];
    expect(repair({ model: 'm', input }, { format: 'openai-responses' }).problems).toMatchObject([{ rule: 'content-form' }]);
  });

  test('a schema of a tool that is no object', () => {
    const repaired = repair(bedrock({ inputSchema: [null] }), { format: 'bedrock-converse' });
    expect(repaired).toMatchObject({ changes: [], problems: [{ rule: 'tool-shape' }] });
  });

  test('a tool without a name', () => {
    expect(
      repair({ ...claude({}), tools: [{ input_schema: { type: 'object' } }] }, { format: 'anthropic-messages' }).problems,
    ).toMatchObject([{ rule: 'tool-shape' }]);
  });
});
