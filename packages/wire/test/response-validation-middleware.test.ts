/** The middleware: requests, responses, and turns in the library's own form (docs/specification.md#s4). */
import { ToolExecutionService, type TraceEvent } from '@holdfast/core';
import { detectFormat, guardFetch, ResponseValidationMiddleware, validateResponse } from '@holdfast/wire';
import { describe, expect, test } from 'vitest';

const middleware = new ResponseValidationMiddleware();
const calls = [
  { callId: 'a', toolName: 't' },
  { callId: 'b', toolName: 't' },
];
const result = (callId: string) => ({ callId, toolName: 't', status: 'success', output: callId });

describe('requests', () => {
  test('a valid one, a broken one, an invalid value', () => {
    expect(middleware.validateRequest({ messages: [{ role: 'user', content: 'a' }] })).toEqual({ valid: true, problems: [] });
    const broken = middleware.validateRequest({ messages: [{ role: 'tool', tool_call_id: 'x', content: 'y' }] });
    expect(broken.problems.map(({ rule }) => rule)).toEqual(['orphan-result', 'request-shape']);
    expect(middleware.validateRequest({}).problems.map(({ rule }) => rule)).toEqual(['request-shape']);
    expect(
      middleware.validateRequest({ messages: [{ role: 'user', content: 'a' }], tools: [{ type: 'function', function: {} }] }).valid,
    ).toBe(false);
  });

  test('is notified of what it found', () => {
    const reported: string[] = [];
    const listening = new ResponseValidationMiddleware({
      format: 'openai-chat',
      onReport: ({ changes, problems }) => void reported.push(...[...changes, ...problems].map(({ rule }) => rule)),
    });
    listening.repair({ messages: [{ role: 'user', content: null }] });
    listening.validateRequest({ messages: [] });
    expect(reported).toEqual(['empty-content', 'request-shape']);
  });

  test('what fails is recorded by the service, what is repaired is not', () => {
    const service = new ToolExecutionService({ tools: [] });
    const events: TraceEvent[] = [];
    service.subscribe((event) => void events.push(event));
    const recording = new ResponseValidationMiddleware({ service });
    recording.validateRequest({ messages: [{ role: 'user', content: 'a' }] });
    recording.validateResponse({ content: 'a', toolCalls: calls, toolResults: [result('a'), result('b')] });
    recording.sanitizeResponse({ content: 'a', toolCalls: calls, toolResults: [result('a')] });
    recording.repair({
      messages: [
        { role: 'assistant', content: null, tool_calls: [] },
        { role: 'user', content: 'a' },
      ],
    });
    expect(events).toEqual([]);
    recording.validateRequest({ messages: [{ role: 'tool', tool_call_id: 'x', content: 'y' }] });
    recording.validateResponse({ content: 'a', toolCalls: calls, toolResults: [result('a')] });
    recording.validateResponse({ error: { message: 'busy' } });
    expect(events).toMatchObject([
      { event_type: 'ResponseValidationFailed', stage: 'request', format: 'openai-chat', problems: [{ rule: 'orphan-result' }, {}] },
      { stage: 'response', problems: [{ message: expect.stringContaining('2 calls') }, {}] },
      { stage: 'response', problems: [{ rule: 'response-shape' }] },
    ]);
  });

  test.each([{}, 'x', null, { recordValidationFailure: 1 }])('a service that is %j is refused', (service) => {
    expect(() => new ResponseValidationMiddleware({ service } as never)).toThrow(/service/);
    expect(() => guardFetch(fetch, { service } as never)).toThrow(/service/);
  });

  test.each([
    [{ contents: [] }, 'gemini'],
    [{ input: [] }, 'openai-responses'],
    [{ modelId: 'x', messages: [] }, 'bedrock-converse'],
    [{ messages: [{ role: 'user', content: [{ text: 'a' }] }] }, 'bedrock-converse'],
    [{ messages: [{ role: 'user', content: [{ type: 'tool_result', tool_use_id: 'a' }] }] }, 'anthropic-messages'],
    [{ messages: [{ role: 'user', content: 'a' }], tools: [{ name: 'a', input_schema: {} }] }, 'anthropic-messages'],
    [{ messages: [{ role: 'tool', content: [{ type: 'tool-result' }] }] }, 'ai-sdk'],
    [{ messages: [{ role: 'assistant', parts: [] }] }, 'ai-sdk-ui'],
    [{ messages: [{ role: 'tool', tool_call_id: 'a', content: '' }] }, 'openai-chat'],
    [{ messages: [{ role: 'user', content: 'a' }] }, 'openai-chat'],
    [{}, undefined],
  ])('%j is %s', (request, format) => {
    expect(detectFormat(request)).toBe(format);
  });
});

describe("turns in the library's own form", () => {
  test('count and ids', () => {
    expect(middleware.validateToolCallResultMatch(calls, [result('a'), result('b')]).matches).toBe(true);
    const match = middleware.validateToolCallResultMatch(calls, [result('b'), result('x')]);
    expect(match).toEqual({
      matches: false,
      missing: ['a'],
      unexpected: ['x'],
      reordered: false,
      problems: ["No result for call 'a'", "The result 'x' has no matching call"],
    });
    expect(middleware.validateToolCallResultMatch(calls, [result('b'), result('a')]).reordered).toBe(true);
  });

  test('a valid one is unchanged', () => {
    const turn = { content: 'a', toolCalls: calls, toolResults: [result('a'), result('b')] };
    expect(middleware.validateResponse(turn).valid).toBe(true);
    expect(middleware.sanitizeResponse(turn).response).toBe(turn);
  });

  test('missing results are added, others removed, order restored', () => {
    const turn = {
      content: null,
      toolCalls: [...calls, { callId: 'c', toolName: 't' }],
      toolResults: [result('b'), result('x'), result('a')],
    };
    expect(middleware.validateResponse(turn).problems.map(({ rule }) => rule)).toEqual(['missing-result', 'orphan-result']);
    const { response, changes, problems } = middleware.sanitizeResponse(turn);
    expect(problems).toEqual([]);
    expect(response.content).toBe('');
    expect(response.toolResults.map(({ callId, status }) => [callId, status])).toEqual([
      ['a', 'success'],
      ['b', 'success'],
      ['c', 'error'],
    ]);
    expect(changes.map(({ rule, action }) => [rule, action])).toEqual([
      ['empty-content', 'edited'],
      ['orphan-result', 'removed'],
      ['result-place', 'moved'],
      ['missing-result', 'added'],
    ]);
    expect(middleware.sanitizeResponse(response).response).toBe(response);
  });

  test('repeated ids', () => {
    const twice = [
      { callId: 'a', toolName: 't' },
      { callId: 'a', toolName: 't' },
    ];
    expect(middleware.validateToolCallResultMatch(twice, [result('a'), result('a')]).matches).toBe(true);
    expect(middleware.validateToolCallResultMatch(twice, [result('a')]).missing).toEqual(['a']);
  });

  test('an error instead of a response', () => {
    const response = middleware.createErrorResponse(
      new Error('No tool output found for function call x; key sk-abcdefghijklmnopqrstuvwxyz123456'),
    );
    expect(response).toMatchObject({ toolCalls: [], toolResults: [], error: { code: 'TRANSCRIPT_REFUSED', retryable: false } });
    expect(JSON.stringify(response)).not.toContain('sk-abcdefghij');
    expect(middleware.validateResponse(response).valid).toBe(true);
    expect(middleware.createErrorResponse(undefined).error.code).toBe('MODEL_REQUEST_FAILED');
  });
});

describe('responses of providers', () => {
  const chatCall = { id: 'c', type: 'function', function: { name: 't', arguments: '{"a":1}' } };
  test.each([
    ['openai-chat', { choices: [{ message: { role: 'assistant', tool_calls: [chatCall] }, finish_reason: 'stop' }] }],
    ['openai-responses', { status: 'completed', output: [{ type: 'function_call', call_id: 'c', name: 't', arguments: '{"a":1}' }] }],
    [
      'anthropic-messages',
      { role: 'assistant', stop_reason: 'tool_use', content: [{ type: 'tool_use', id: 'c', name: 't', input: { a: 1 } }] },
    ],
    ['gemini', { candidates: [{ finishReason: 'STOP', content: { parts: [{ functionCall: { id: 'c', name: 't', args: { a: 1 } } }] } }] }],
    [
      'bedrock-converse',
      {
        stopReason: 'tool_use',
        output: { message: { role: 'assistant', content: [{ toolUse: { toolUseId: 'c', name: 't', input: { a: 1 } } }] } },
      },
    ],
    [
      'ai-sdk',
      { finishReason: { unified: 'tool-calls' }, content: [{ type: 'tool-call', toolCallId: 'c', toolName: 't', input: { a: 1 } }] },
    ],
  ] as const)('%s: a complete call', (format, response) => {
    const { valid, ready, calls: found } = validateResponse(response, { format, tools: ['t'] });
    expect([valid, ready]).toEqual([true, true]);
    expect(found).toMatchObject([{ callId: 'c', toolName: 't' }]);
    expect(validateResponse(response, { format, tools: ['other'] }).problems.map(({ rule }) => rule)).toEqual(['unknown-tool']);
  });

  test.each([
    ['openai-chat', { choices: [{ message: { role: 'assistant', tool_calls: [chatCall] }, finish_reason: 'length' }] }],
    [
      'openai-responses',
      {
        status: 'incomplete',
        incomplete_details: { reason: 'max_output_tokens' },
        output: [{ type: 'function_call', call_id: 'c', name: 't', arguments: '{' }],
      },
    ],
    [
      'anthropic-messages',
      { role: 'assistant', stop_reason: 'max_tokens', content: [{ type: 'tool_use', id: 'c', name: 't', input: {} }] },
    ],
    [
      'bedrock-converse',
      {
        stopReason: 'model_context_window_exceeded',
        output: { message: { role: 'assistant', content: [{ toolUse: { toolUseId: 'c', name: 't', input: {} } }] } },
      },
    ],
    ['gemini', { candidates: [{ finishReason: 'MAX_TOKENS', content: { role: 'model', parts: [{ functionCall: { name: 't' } }] } }] }],
  ] as const)('%s: no call of a truncated answer is complete', (format, response) => {
    const { ready, truncated, problems } = validateResponse(response, { format });
    expect([ready, truncated]).toEqual([false, true]);
    expect(problems.map(({ rule }) => rule)).toEqual(['truncated']);
  });

  test('faults of the model', () => {
    const malformed = { candidates: [{ content: { role: 'model' }, finishReason: 'MALFORMED_FUNCTION_CALL' }] };
    expect(validateResponse(malformed, { format: 'gemini' }).problems).toMatchObject([{ rule: 'malformed-call', kind: 'model' }]);
    const unread = {
      choices: [
        {
          message: { role: 'assistant', tool_calls: [{ ...chatCall, function: { name: 't', arguments: '[1]' } }] },
          finish_reason: 'tool_calls',
        },
      ],
    };
    expect(validateResponse(unread, { format: 'openai-chat' }).problems.map(({ rule, path }) => [rule, path])).toEqual([
      ['malformed-call', 'choices.0.message.tool_calls.0'],
    ]);
    const none = { choices: [{ message: { role: 'assistant', content: 'hi' }, finish_reason: 'tool_calls' }] };
    expect(validateResponse(none, { format: 'openai-chat' }).problems.map(({ rule }) => rule)).toEqual(['finish-reason']);
    expect(validateResponse({ choices: [] }, { format: 'openai-chat' }).problems.map(({ rule }) => rule)).toEqual(['response-shape']);
  });
});
