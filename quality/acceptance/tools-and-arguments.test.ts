/** Tools in the form of another provider, and arguments in another form: every row of every table, with the verdict of the provider. */
/* oxlint-disable vitest/no-conditional-expect -- the provider says what is expected */
import { checkRequest } from '@holdfast/provider-double';
import { repair, ResponseValidationMiddleware, type ToolTurn } from '@holdfast/wire';
import { describe, expect, test } from 'vitest';
import type { ProviderFormat } from './support/conversation.ts';

type Json = Readonly<Record<string, unknown>>;

const input = { type: 'object', properties: { city: { type: 'string' } } };
const ask = 'Warm?';
/** The request of each format with one tool, and with one call that has an answer. */
const requestOf: Readonly<Record<ProviderFormat, (tool: unknown, args: unknown) => Json>> = {
  'openai-chat': (tool, args) => ({
    model: 'm',
    tools: [tool],
    messages: [
      { role: 'user', content: ask },
      { role: 'assistant', content: null, tool_calls: [{ id: 'a', type: 'function', function: { name: 'weather', arguments: args } }] },
      { role: 'tool', tool_call_id: 'a', content: 'yes' },
    ],
  }),
  'openai-responses': (tool, args) => ({
    model: 'm',
    tools: [tool],
    input: [
      { role: 'user', content: ask },
      { type: 'function_call', call_id: 'a', name: 'weather', arguments: args },
      { type: 'function_call_output', call_id: 'a', output: 'yes' },
    ],
  }),
  'anthropic-messages': (tool, args) => ({
    model: 'm',
    max_tokens: 100,
    tools: [tool],
    messages: [
      { role: 'user', content: ask },
      { role: 'assistant', content: [{ type: 'tool_use', id: 'a', name: 'weather', input: args }] },
      { role: 'user', content: [{ type: 'tool_result', tool_use_id: 'a', content: 'yes' }] },
    ],
  }),
  gemini: (tool, args) => ({
    model: 'm',
    tools: [tool],
    contents: [
      { role: 'user', parts: [{ text: ask }] },
      { role: 'model', parts: [{ functionCall: { id: 'a', name: 'weather', args } }] },
      { role: 'user', parts: [{ functionResponse: { id: 'a', name: 'weather', response: { output: 'yes' } } }] },
    ],
  }),
  'bedrock-converse': (tool, args) => ({
    modelId: 'm',
    toolConfig: { tools: [tool] },
    messages: [
      { role: 'user', content: [{ text: ask }] },
      { role: 'assistant', content: [{ toolUse: { toolUseId: 'a', name: 'weather', input: args } }] },
      { role: 'user', content: [{ toolResult: { toolUseId: 'a', content: [{ text: 'yes' }] } }] },
    ],
  }),
};
const toolOf: Readonly<Record<ProviderFormat, Json>> = {
  'openai-chat': { type: 'function', function: { name: 'weather', parameters: input } },
  'openai-responses': { type: 'function', name: 'weather', parameters: input, strict: false },
  'anthropic-messages': { name: 'weather', input_schema: input },
  gemini: { functionDeclarations: [{ name: 'weather', parameters: input }] },
  'bedrock-converse': { toolSpec: { name: 'weather', inputSchema: { json: input } } },
};
/** What a tool has in one format or another. */
const fields: Json = {
  type: 'function',
  function: { name: 'weather', parameters: input },
  name: 'weather',
  description: 'd',
  parameters: input,
  input_schema: input,
  inputSchema: { json: input },
  strict: true,
  functionDeclarations: [{ name: 'weather' }],
  toolSpec: { name: 'weather', inputSchema: { json: input } },
};
const formats = Object.keys(requestOf) as readonly ProviderFormat[];
const asObject = (format: ProviderFormat): boolean => !format.startsWith('openai');
const argumentsIn = (format: ProviderFormat, city: string): unknown => (asObject(format) ? { city } : JSON.stringify({ city }));

describe.each(formats)('tools in the format %s', (format) => {
  const validator = new ResponseValidationMiddleware({ format });
  const own = toolOf[format];
  const inner = format === 'gemini' ? 'functionDeclarations' : format === 'openai-chat' ? 'function' : 'toolSpec';
  const nested = (own[inner] ?? {}) as Json | readonly Json[];
  const withInner = (part: Json): Json => ({ ...own, [inner]: Array.isArray(nested) ? [part] : part });
  const part = (Array.isArray(nested) ? nested[0] : nested) as Json;
  const hasInner = Object.hasOwn(own, inner);
  const variants: readonly (readonly [string, unknown])[] = [
    ...formats.map((other) => [`as in ${other}`, toolOf[other]] as const),
    ...Object.entries(fields).map(([name, value]) => [`with ${name}`, { ...own, [name]: own[name] ?? value }] as const),
    ...Object.keys(own).map(
      (name) => [`without ${name}`, Object.fromEntries(Object.entries(own).filter(([key]) => key !== name))] as const,
    ),
    ...Object.keys(own).flatMap((name) =>
      [null, '', ' ', 7, [], {}].map((value) => [`${name}: ${JSON.stringify(value)}`, { ...own, [name]: value }] as const),
    ),
    ...(hasInner ? Object.entries(fields) : []).map(
      ([name, value]) => [`with ${inner}.${name}`, withInner({ ...part, [name]: part[name] ?? value })] as const,
    ),
    ...(hasInner ? Object.keys(part) : []).map(
      (name) => [`without ${inner}.${name}`, withInner(Object.fromEntries(Object.entries(part).filter(([key]) => key !== name)))] as const,
    ),
  ];

  test.each(variants)('%s', { tags: ['S4-request-validation', 'S4-auto-correction'] }, (_name, tool) => {
    const request = requestOf[format](tool, argumentsIn(format, 'Oslo'));
    const refused = checkRequest({ format, request });
    const { valid, problems } = validator.validateRequest(request);
    if (valid) expect(refused).toEqual([]);
    expect(valid).toBe(problems.length === 0);
    const corrected = repair(request, { format });
    if (corrected.problems.length === 0) expect(checkRequest({ format, request: corrected.request })).toEqual([]);
    if (JSON.stringify(tool) === JSON.stringify(own)) expect([valid, corrected.request]).toEqual([true, request]);
  });
});

const readArguments = (value: unknown): unknown => {
  const text = JSON.stringify(value);
  const found = /"(?:arguments|input|args)":("(?:[^"\\]|\\.)*"|\{[^{}]*\})/gu;
  const all = [...text.matchAll(found)].map(([, given = '']) => JSON.parse(given) as unknown);
  const given = all.at(-1);
  return typeof given === 'string' ? (JSON.parse(given) as unknown) : given;
};

describe.each(formats)('arguments in the format %s', (format) => {
  test.each([
    ['an object', { city: 'Oslo' }, { city: 'Oslo' }],
    ['JSON', '{"city":"Oslo"}', { city: 'Oslo' }],
    ['JSON in JSON', JSON.stringify('{"city":"Oslo"}'), { city: 'Oslo' }],
    ['an empty object', {}, {}],
    ['an empty string', '', {}],
    ['spaces', '  ', {}],
    ['null', null, {}],
    ['an empty list', [], {}],
    ['no JSON', 'Oslo', { _invalid_arguments: 'Oslo' }],
    ['a number', 7, { _invalid_arguments: 7 }],
  ])('%s: nothing is lost', { tags: ['S4-auto-correction', 'S4-request-validation'] }, (_name, given, expected) => {
    const request = requestOf[format](toolOf[format], given);
    const { request: corrected, problems } = repair(request, { format });
    expect([problems, checkRequest({ format, request: corrected })]).toEqual([[], []]);
    // Some providers take any text, which the tool then refuses.
    const isKept = !asObject(format) && typeof given === 'string' && JSON.stringify(corrected) === JSON.stringify(request);
    if (!isKept) expect(readArguments(corrected)).toEqual(expected);
    const isOwn = asObject(format) ? typeof given === 'object' && given !== null && !Array.isArray(given) : given === '{"city":"Oslo"}';
    if (isOwn) expect(corrected).toBe(request);
  });
});

const turn = {
  content: 'Let me see.',
  toolCalls: [
    { callId: 'a', toolName: 'weather', arguments: {} },
    { callId: 'b', toolName: 'weather', arguments: {} },
  ],
  toolResults: [
    { callId: 'a', toolName: 'weather', status: 'success', output: 21 },
    { callId: 'b', toolName: 'weather', status: 'error', error: { message: 'no such city' } },
  ],
};

test.each<readonly [string, object, readonly (readonly [rule: string, path: string])[]]>([
  ['a content that is no text', { content: 7 }, [['response-shape', 'content']]],
  ['calls that are no list', { toolCalls: 'x' }, [['response-shape', 'toolCalls']]],
  ['a call without a tool', { toolCalls: [{ callId: 'a' }, turn.toolCalls[1]] }, [['malformed-call', 'toolCalls.0']]],
  [
    'a call of a tool that was not offered',
    { toolCalls: [turn.toolCalls[0], { ...turn.toolCalls[1], toolName: 'hotels' }] },
    [['unknown-tool', 'toolCalls.1']],
  ],
  [
    'arguments that are a number',
    { toolCalls: [turn.toolCalls[0], { ...turn.toolCalls[1], arguments: 7 }] },
    [['malformed-call', 'toolCalls.1']],
  ],
  ['a result that is no object', { toolResults: [turn.toolResults[0], 'b'] }, [['response-shape', 'toolResults.1']]],
  ['a result without a status', { toolResults: [{ callId: 'a' }, turn.toolResults[1]] }, [['response-shape', 'toolResults.0.status']]],
  [
    'a failed result without an error',
    { toolResults: [turn.toolResults[0], { callId: 'b', status: 'timeout' }] },
    [['response-shape', 'toolResults.1.error']],
  ],
  [
    'a call without a result',
    { toolResults: [turn.toolResults[0]] },
    [
      ['count-mismatch', 'toolResults'],
      ['missing-result', 'toolResults'],
    ],
  ],
  [
    'a result without a call',
    { toolCalls: [turn.toolCalls[0]] },
    [
      ['count-mismatch', 'toolResults'],
      ['orphan-result', 'toolResults'],
    ],
  ],
  ['results in another order', { toolResults: turn.toolResults.toReversed() }, [['result-place', 'toolResults']]],
  [
    'a result of another tool',
    { toolResults: [{ ...turn.toolResults[0], toolName: 'radar' }, turn.toolResults[1]] },
    [['result-name', 'toolResults.0']],
  ],
])('%s is found by its rule, at its place', { tags: ['S4-response-validation', 'S4-middleware-methods'] }, (_name, damage, expected) => {
  const middleware = new ResponseValidationMiddleware({ tools: ['weather'] });
  expect(middleware.validateResponse(turn)).toMatchObject({ valid: true, problems: [] });
  const { valid, problems } = middleware.validateResponse({ ...turn, ...damage } as ToolTurn);
  expect(valid).toBe(false);
  const found = problems.map(({ rule, path }) => [rule, path]);
  for (const each of expected) expect(found).toContainEqual(each);
});
