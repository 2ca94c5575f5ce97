/** Exchanges with a model, provider by provider: what S4's validation says of responses that are whole, broken or cut off, and where it is recorded. */
import { defineTool, ToolExecutionService, type StandardSchema, type TraceEvent } from '@holdfast/core';
import { ResponseValidationMiddleware, validateResponse } from '@holdfast/wire';
import { describe, expect, test } from 'vitest';

const chat = (message: object, finish_reason: string): object => ({
  choices: [{ finish_reason, message: { role: 'assistant', ...message } }],
});
const weather = (id: string, given: string): object => ({ id, type: 'function', function: { name: 'weather', arguments: given } });
const rulesOf = (response: unknown): readonly string[] =>
  new ResponseValidationMiddleware().validateResponse(response).problems.map(({ rule }) => rule);

describe('a response of a provider', () => {
  test.each<readonly [string, object]>([
    ['openai-chat', chat({ content: 'It rains.' }, 'stop')],
    ['openai-chat', chat({ content: null, tool_calls: [weather('a', '{"city":"Oslo"}')] }, 'tool_calls')],
    ['anthropic-messages', { type: 'message', role: 'assistant', content: [{ type: 'text', text: 'It rains.' }], stop_reason: 'end_turn' }],
    ['gemini', { candidates: [{ finishReason: 'STOP', content: { role: 'model', parts: [{ text: 'It rains.' }] } }] }],
    ['bedrock-converse', { output: { message: { role: 'assistant', content: [{ text: 'It rains.' }] } }, stopReason: 'end_turn' }],
    ['openai-responses', { status: 'completed', output: [{ type: 'message', content: [{ type: 'output_text', text: 'It rains.' }] }] }],
  ])('is recognised and valid: %s', { tags: ['S4-response-validation'] }, (_format, response) => {
    expect(rulesOf(response)).toEqual([]);
  });

  test.each<readonly [string, object, readonly string[]]>([
    ['has neither content nor calls', chat({}, 'length'), ['response-shape']],
    ['was cut off', chat({ content: null, tool_calls: [weather('a', '{"city":"Oslo"}')] }, 'length'), ['truncated']],
    ['ended with calls, but has none', chat({ content: 'Let me see.' }, 'tool_calls'), ['finish-reason']],
    ['has two calls with one id', chat({ tool_calls: [weather('a', '{}'), weather('a', '{}')] }, 'tool_calls'), ['call-id-duplicate']],
    ['has arguments that are no object', chat({ tool_calls: [weather('a', '[1]')] }, 'tool_calls'), ['malformed-call']],
    ['has a call without a name', chat({ tool_calls: [{ id: 'a', function: { arguments: '{}' } }] }, 'tool_calls'), ['malformed-call']],
  ])('%s', { tags: ['S4-response-validation'] }, (_what, response, rules) => {
    expect(rulesOf(response)).toEqual(rules);
  });

  test('may only call tools that were offered', { tags: ['S4-response-validation'] }, () => {
    const response = chat({ tool_calls: [weather('a', '{}')] }, 'tool_calls');
    expect(validateResponse(response, { format: 'openai-chat', tools: ['weather'] }).valid).toBe(true);
    expect(validateResponse(response, { format: 'openai-chat', tools: ['news'] }).problems).toMatchObject([{ rule: 'unknown-tool' }]);
  });
});

describe('a definition of a tool that its provider does not know', () => {
  const messages = [{ role: 'user', content: 'Does it rain?' }];
  const contents = [{ role: 'user', parts: [{ text: 'Does it rain?' }] }];
  const blocks = [{ role: 'user', content: [{ text: 'Does it rain?' }] }];
  test.each([
    ['anthropic-messages', { messages, tools: [{ name: 'weather', input_schema: 'object' }] }],
    ['bedrock-converse', { messages: blocks, toolConfig: { tools: [{ name: 'weather' }] } }],
    ['gemini', { contents, tools: [{ name: 'weather', parameters: {} }] }],
    ['openai-responses', { input: messages, tools: [{ type: 'function', name: 7 }] }],
  ] as const)('%s', { tags: ['S4-request-validation'] }, (format, request) => {
    expect(new ResponseValidationMiddleware({ format }).validateRequest(request).problems.map(({ kind }) => kind)).toContain('definition');
  });
});

describe('calls and their results', () => {
  const service = new ToolExecutionService({ tools: [] });

  test('have ids that are compared as text, numbers too', { tags: ['S4-methods'] }, () => {
    expect(service.validateResponseMatch([{ callId: 7 }] as never, [{ callId: '7' }]).matches).toBe(true);
    expect(service.validateResponseMatch([{ callId: 7 }] as never, [{ callId: '8' }]).matches).toBe(false);
  });

  test('that are no objects are named by their position', { tags: ['S4-methods'] }, () => {
    const calls = [{ callId: 'a' }, { callId: 'b' }];
    expect(service.validateResponseMatch(calls, [{ callId: 'a' }, null] as never).problems).toContain('Result 2 is not an object');
    expect(service.validateResponseMatch([null, { callId: 'b' }] as never, calls).problems).toContain('Call 1 is not an object');
  });
});

test('failed validations say whether it was the request or the response', { tags: ['S4-alerts'] }, () => {
  const service = new ToolExecutionService({ tools: [] });
  const events: TraceEvent[] = [];
  service.subscribe((event) => void events.push(event));
  const middleware = new ResponseValidationMiddleware({ service });
  middleware.validateRequest({ messages: [] });
  middleware.validateResponse({ choices: [] });
  expect(events).toMatchObject([
    { event_type: 'ResponseValidationFailed', stage: 'request' },
    { event_type: 'ResponseValidationFailed', stage: 'response' },
  ]);
});

test('an asynchronous schema of arguments is awaited', { tags: ['S2-tool', 'S3-error-3'] }, async () => {
  const input: StandardSchema = {
    '~standard': {
      version: 1,
      vendor: 'test',
      validate: (value) =>
        Promise.resolve('symbol' in (value as object) ? { value } : { issues: [{ message: 'missing', path: ['symbol'] }] }),
    },
  };
  const tool = defineTool({ name: 'describe_symbol', input, run: () => 'a function' });
  const service = new ToolExecutionService({ tools: [tool] });
  expect(await service.executeTool({ toolName: 'describe_symbol', arguments: {} })).toMatchObject({
    status: 'error',
    error: { message: "Required parameter 'symbol' missing" },
  });
  expect(await service.executeTool({ toolName: 'describe_symbol', arguments: { symbol: 'car' } })).toMatchObject({ status: 'success' });
});
