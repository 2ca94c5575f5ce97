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

  test('a tool without a name', () => {
    expect(
      repair({ ...claude({}), tools: [{ input_schema: { type: 'object' } }] }, { format: 'anthropic-messages' }).problems,
    ).toMatchObject([{ rule: 'tool-shape' }]);
  });
});
