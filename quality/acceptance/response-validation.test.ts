import { ToolExecutionService } from '@holdfast/core';
import { ResponseValidationMiddleware, type Format } from '@holdfast/wire';
import { describe, expect, test } from 'vitest';

const middleware = new ResponseValidationMiddleware();
const rulesOf = ({ problems }: { readonly problems: readonly { readonly rule: string }[] }): readonly string[] =>
  problems.map(({ rule }) => rule);

const parameters = { type: 'object', properties: { city: { type: 'string' } } };
/** A request of each format with one user message and one tool. */
const requests: readonly (readonly [Format, Readonly<Record<string, unknown>>, unknown])[] = [
  ['openai-chat', { messages: [{ role: 'user', content: 'hi' }] }, { type: 'function', function: { name: 'weather', parameters } }],
  ['openai-responses', { input: [{ role: 'user', content: 'hi' }] }, { type: 'function', name: 'weather', parameters, strict: false }],
  ['anthropic-messages', { messages: [{ role: 'user', content: 'hi' }] }, { name: 'weather', input_schema: parameters }],
  ['gemini', { contents: [{ role: 'user', parts: [{ text: 'hi' }] }] }, { functionDeclarations: [{ name: 'weather' }] }],
  [
    'bedrock-converse',
    { messages: [{ role: 'user', content: [{ text: 'hi' }] }] },
    { toolSpec: { name: 'weather', inputSchema: { json: parameters } } },
  ],
];
const withTools = (format: Format, request: object, tools: unknown): object =>
  format === 'bedrock-converse' ? { ...request, toolConfig: { tools } } : { ...request, tools };

describe.each(requests)('a request in the format %s', (format, request, tool) => {
  const validator = new ResponseValidationMiddleware({ format });
  const list = Object.keys(request)[0] ?? '';

  test('with messages and a tool is valid', { tags: ['S4-request-validation'] }, () => {
    expect(validator.validateRequest(withTools(format, request, [tool]))).toEqual({ valid: true, problems: [] });
    expect(validator.validateRequest(request).valid).toBe(true);
  });

  test('without its array of messages is not', { tags: ['S4-request-validation'] }, () => {
    for (const messages of [undefined, null, 7, 'hi', []]) {
      if (messages === 'hi' && (format === 'openai-responses' || format === 'gemini')) continue; // there a string is an input
      expect(validator.validateRequest({ ...request, [list]: messages }).valid, JSON.stringify(messages)).toBe(false);
    }
    for (const broken of [undefined, null, 'x', 7, []]) expect(validator.validateRequest(broken).valid).toBe(false);
  });

  test('with tools that are no definitions is not', { tags: ['S4-request-validation'] }, () => {
    const broken: readonly unknown[] = [
      'x',
      {},
      [null],
      [7],
      ['weather'],
      [[]],
      [{}],
      [tool, {}],
      [{ type: 'function' }],
      [{ function: null }],
    ];
    for (const tools of broken) {
      const { valid, problems } = validator.validateRequest(withTools(format, request, tools));
      expect(valid, JSON.stringify(tools)).toBe(false);
      expect(problems[0]?.path, JSON.stringify(tools)).toMatch(/tools/i);
    }
  });

  test('with a tool whose schema or name has the wrong type is not', { tags: ['S4-request-validation'] }, () => {
    const whole = JSON.stringify(tool);
    const broken = [whole.replace('"name":"weather"', '"name":7'), whole.replace(JSON.stringify(parameters), '7')].filter(
      (text) => text !== whole,
    );
    for (const text of broken) {
      const { valid } = validator.validateRequest(withTools(format, request, [JSON.parse(text)]));
      expect(valid, text).toBe(false);
    }
  });

  test('with a tool without a name is not', { tags: ['S4-request-validation'] }, () => {
    const nameless = JSON.parse(JSON.stringify(tool).replace('"name":"weather"', '"description":"d"')) as unknown;
    expect(rulesOf(validator.validateRequest(withTools(format, request, [nameless])))).toContain('tool-shape');
  });
});

test.each([
  ['anthropic-messages', { name: 'weather', input_schema: 7 }, "A tool's 'input_schema' is not an object."],
  ['bedrock-converse', { toolSpec: { name: 'weather', inputSchema: 7 } }, "A tool's 'inputSchema' is not an object."],
] as const)('a schema that is none is named: %s', { tags: ['S4-request-validation'] }, (format, tool, message) => {
  const [, request = {}] = requests.find(([name]) => name === format) ?? [];
  const { problems } = new ResponseValidationMiddleware({ format }).validateRequest(withTools(format, request, [tool]));
  expect(problems).toContainEqual(expect.objectContaining({ rule: 'tool-shape', message }));
});

test('a request without a known format and without messages is not valid', { tags: ['S4-request-validation'] }, () => {
  for (const broken of [undefined, null, 'x', 7, [], {}, { model: 'any' }, { messages: 'hi' }, { messages: [] }]) {
    const { valid, problems } = middleware.validateRequest(broken);
    expect(valid, JSON.stringify(broken)).toBe(false);
    expect(problems[0]?.message).not.toBe('');
  }
});

const call = (callId: string, toolName = 'weather'): object => ({ callId, toolName, arguments: {} });
const result = (callId: string, more: object = {}): object => ({
  callId,
  toolName: 'weather',
  status: 'success',
  output: 21,
  executionTime: 1,
  ...more,
});

describe('a response', () => {
  test('with content, calls and their results is valid', { tags: ['S4-response-validation'] }, () => {
    const turn = { content: 'sunny', toolCalls: [call('a'), call('b')], toolResults: [result('a'), result('b')] };
    expect(middleware.validateResponse(turn)).toMatchObject({ valid: true, problems: [], text: 'sunny' });
    expect(middleware.validateResponse({ content: 'sunny' }).valid).toBe(true);
  });

  test('that is none says what is wrong', { tags: ['S4-response-validation'] }, () => {
    const messageOf = (response: unknown): string => {
      const { valid, ready, problems } = middleware.validateResponse(response);
      expect([valid, ready]).toEqual([false, false]);
      return problems.map(({ message }) => message).join(' ');
    };
    expect(messageOf(undefined)).toBe('The response is not an object.');
    expect(messageOf({})).toBe('The response has neither content nor calls, and the form of no known provider.');
    expect(messageOf({ foo: 1 })).toBe('The response has neither content nor calls, and the form of no known provider.');
    expect(messageOf({ error: { message: 'Overloaded, key sk-abcdefghijklmnopqrstuvwxyz123456' } })).toMatch(
      /^The response is an error: Overloaded, key (?!sk-)/,
    );
    expect(messageOf({ choices: [] })).toBe('The response has no content.');
  });

  test('of a provider is recognised without its format, and broken calls in it are found', { tags: ['S4-response-validation'] }, () => {
    const tool_calls = [{ id: 'c', type: 'function', function: { name: 'weather', arguments: '[1]' } }];
    const chat = { choices: [{ message: { role: 'assistant', tool_calls }, finish_reason: 'tool_calls' }] };
    expect(rulesOf(middleware.validateResponse(chat))).toEqual(['malformed-call']);
    const content = [{ type: 'tool_use', id: 'c', input: {} }];
    expect(rulesOf(middleware.validateResponse({ type: 'message', role: 'assistant', stop_reason: 'tool_use', content }))).toContain(
      'malformed-call',
    );
  });

  test('with content, calls or results of the wrong structure is not valid', { tags: ['S4-response-validation'] }, () => {
    const broken: readonly object[] = [
      { content: 7, toolCalls: [] },
      { content: '', toolCalls: 'x' },
      { content: '', toolCalls: [null], toolResults: [result('call-1')] },
      { content: '', toolCalls: [{ callId: 'a' }], toolResults: [result('a')] },
      { content: '', toolCalls: [{ ...call('a'), arguments: 7 }], toolResults: [result('a')] },
      { content: '', toolCalls: [], toolResults: 'x' },
      { content: '', toolCalls: [call('a')], toolResults: [null] },
      { content: '', toolCalls: [call('a')], toolResults: [{ callId: 'a' }] },
      { content: '', toolCalls: [call('a')], toolResults: [result('a', { status: 'weird' })] },
      { content: '', toolCalls: [call('a')], toolResults: [result('a', { status: 'weird', error: { message: 'no' } })] },
      { content: '', toolCalls: [call('a')], toolResults: [result('a', { status: 'error' })] },
      { content: '', toolCalls: [call('a')], toolResults: [result('a', { toolName: 'calendar' })] },
    ];
    for (const turn of broken) expect(middleware.validateResponse(turn).valid, JSON.stringify(turn)).toBe(false);
  });

  test('calls a tool that was offered', { tags: ['S4-response-validation'] }, () => {
    const offering = new ResponseValidationMiddleware({ tools: ['weather'] });
    expect(offering.validateResponse({ content: '', toolCalls: [call('a')], toolResults: [result('a')] }).valid).toBe(true);
    const other = { content: '', toolCalls: [call('a', 'zzz')], toolResults: [result('a', { toolName: 'zzz' })] };
    expect(rulesOf(offering.validateResponse(other))).toEqual(['unknown-tool']);
  });

  test('has as many results as calls, with the same ids', { tags: ['S4-response-validation'] }, () => {
    const turnOf = (...results: readonly object[]): object => ({ content: '', toolCalls: [call('a'), call('b')], toolResults: results });
    expect(rulesOf(middleware.validateResponse(turnOf(result('a'))))).toEqual(['count-mismatch', 'missing-result']);
    expect(rulesOf(middleware.validateResponse(turnOf(result('a'), result('x'))))).toEqual(['missing-result', 'orphan-result']);
    expect(rulesOf(middleware.validateResponse(turnOf(result('b'), result('a'))))).toEqual(['result-place']);
  });
});

describe('auto-correction', () => {
  interface Turn {
    readonly toolCalls?: readonly unknown[];
    readonly toolResults?: readonly { readonly callId?: unknown; readonly status?: unknown; readonly error?: unknown }[];
  }
  const corrected = (turn: object): Turn => {
    const { response, problems } = middleware.sanitizeResponse(turn as Turn);
    expect(problems).toEqual([]);
    expect(middleware.validateResponse(response)).toMatchObject({ valid: true });
    expect(middleware.sanitizeResponse(response)).toEqual({ response, changes: [], problems: [] });
    expect(middleware.sanitizeResponse(response).response).toBe(response);
    return response;
  };
  const placeholder = {
    status: 'error',
    error: { code: 'RESULT_MISSING', retryable: false, message: expect.any(String), userMessage: expect.any(String) },
  };

  test('adds missing results as error placeholders, in call order', { tags: ['S4-auto-correction'] }, () => {
    const { toolResults } = corrected({
      content: '',
      toolCalls: [call('a'), call('b'), call('c')],
      toolResults: [result('c'), result('a')],
    });
    expect(toolResults).toMatchObject([
      { callId: 'a', status: 'success' },
      { callId: 'b', ...placeholder },
      { callId: 'c', status: 'success' },
    ]);
    const swapped = corrected({ content: '', toolCalls: [call('a'), call('b')], toolResults: [result('b'), result('a')] });
    expect(swapped.toolResults).toEqual([result('a'), result('b')]);
    expect(corrected({ toolCalls: [call('a')] }).toolResults).toMatchObject([{ callId: 'a', toolName: 'weather', ...placeholder }]);
  });

  test('completes incomplete data', { tags: ['S4-auto-correction'] }, () => {
    const one = (given: object): unknown => corrected({ content: '', toolCalls: [call('a')], toolResults: [given] }).toolResults?.[0];
    expect(corrected({ content: null, toolCalls: [] })).toMatchObject({ content: '' });
    expect(corrected({ content: 7, toolCalls: [] })).toMatchObject({ content: '7' });
    expect(corrected({ content: '', toolCalls: 'x' }).toolCalls).toEqual([]);
    expect(corrected({ content: '', toolCalls: [null, call('a')], toolResults: [result('a')] })).toMatchObject({
      toolCalls: [call('a')],
      toolResults: [result('a')],
    });
    expect(
      corrected({ content: '', toolCalls: [{ callId: 'n' }, call('a')], toolResults: [result('n'), result('a')] }).toolResults,
    ).toEqual([result('a')]);
    expect(corrected({ content: '', toolCalls: [call('a')], toolResults: 'x' }).toolResults).toMatchObject([placeholder]);
    expect(corrected({ content: '', toolCalls: [call('a')], toolResults: [null, result('a')] }).toolResults).toEqual([result('a')]);
    expect(one({ callId: 'a', output: 21 })).toMatchObject({ status: 'success', output: 21 });
    expect(one({ callId: 'a' })).toMatchObject({ status: 'error', error: { code: 'RESULT_INCOMPLETE' } });
    expect(one({ callId: 'a', status: 'weird', output: 21 })).toMatchObject({ status: 'success', output: 21 });
    expect(one({ callId: 'a', status: 'error', error: 'no such city' })).toMatchObject({
      status: 'error',
      error: { message: 'no such city' },
    });
    expect(one({ tool_call_id: 'a', status: 'success', output: 21 })).toMatchObject({ status: 'success', output: 21 });
  });

  test('keeps the ids of calls without one when a call before them is removed', { tags: ['S4-auto-correction'] }, () => {
    const paid = (callId: string, output: string): object => ({ callId, toolName: 'pay', status: 'success', output });
    const { toolResults } = corrected({
      toolCalls: [{ arguments: {} }, { toolName: 'pay', arguments: { to: 'Ann' } }, { toolName: 'pay', arguments: { to: 'Bob' } }],
      toolResults: [paid('call-2', 'paid Ann'), paid('call-3', 'paid Bob')],
    });
    expect(toolResults).toMatchObject([{ output: 'paid Ann' }, { output: 'paid Bob' }]);
    const twice = corrected({
      toolCalls: [call('x', 'a'), call('x', 'b')],
      toolResults: [result('x', { toolName: 'b', output: 'B' }), result('x', { toolName: 'a', output: 'A' })],
    });
    expect(twice.toolResults).toMatchObject([{ output: 'A' }, { output: 'B' }]);
  });

  test("never gives a call the result of another tool, and never drops a call's own", { tags: ['S4-auto-correction'] }, () => {
    const { toolResults } = corrected({
      content: '',
      toolCalls: [call('a')],
      toolResults: [result('a', { toolName: 'calendar', output: 'dates' })],
    });
    expect(toolResults).toMatchObject([placeholder]);
    const turn = { content: '', toolCalls: [call('a')], toolResults: [result('a')] };
    expect(middleware.sanitizeResponse(turn).response).toBe(turn);
  });
});

describe('the methods of the middleware', () => {
  test('validateToolCallResultMatch answers as the service does', { tags: ['S4-middleware-methods'] }, () => {
    const service = new ToolExecutionService({ tools: [] });
    const lists: readonly unknown[] = [
      undefined,
      null,
      [],
      [null],
      [call('a')],
      [call('a'), call('b')],
      [result('b'), result('a')],
      [{ id: 1 }],
      'x',
    ];
    for (const calls of lists)
      for (const results of lists)
        expect(middleware.validateToolCallResultMatch(calls as never, results as never)).toEqual(
          service.validateResponseMatch(calls as never, results as never),
        );
    expect(middleware.validateToolCallResultMatch([{ callId: 'a' }], [{ callId: 'a' }]).matches).toBe(true);
  });

  test.each([
    [
      Object.assign(new Error('Too Many Requests'), { status: 429, headers: { 'retry-after': '7' } }),
      { category: 'rate_limit', retryable: true },
    ],
    [Object.assign(new Error('Service Unavailable'), { status: 503 }), { category: 'unavailable', retryable: true }],
    [Object.assign(new Error('Overloaded'), { status: 529 }), { retryable: true }],
    [Object.assign(new Error('socket hang up'), { code: 'ECONNRESET' }), { category: 'network', retryable: true }],
    [Object.assign(new Error('timed out'), { name: 'TimeoutError' }), { category: 'timeout', retryable: true }],
    [Object.assign(new Error('Unauthorized'), { status: 401 }), { category: 'auth', retryable: false }],
    [Object.assign(new Error('Bad Request'), { status: 400 }), { category: 'invalid_input', retryable: false }],
    [new Error("'tool_calls' did not have response messages: call_1"), { code: 'TRANSCRIPT_REFUSED', retryable: false }],
    [new Error("Invalid schema for function 'weather'"), { code: 'TOOL_DEFINITION_REFUSED', retryable: false }],
    [new Error('tool_use_failed'), { code: 'MODEL_OUTPUT_REFUSED', retryable: true }],
  ])('createErrorResponse of %s', { tags: ['S4-middleware-methods'] }, (error, expected) => {
    const response = middleware.createErrorResponse(error);
    expect(response).toMatchObject({
      toolCalls: [],
      toolResults: [],
      error: { code: expect.any(String), message: expect.any(String), ...expected },
    });
    expect(response.content).toBe(response.error.userMessage);
    expect(/try again/i.test(response.content)).toBe(response.error.retryable);
    expect(middleware.validateResponse(response).valid).toBe(true);
  });

  test('createErrorResponse shows no secret, neither to the user nor in the technical message', { tags: ['S4-middleware-methods'] }, () => {
    const secret = 'sk-abcdefghijklmnopqrstuvwxyz123456';
    const { content, error } = middleware.createErrorResponse(new Error(`Incorrect API key provided: ${secret}`));
    expect(error.message).toMatch(/^Incorrect API key provided: /);
    expect(`${content} ${JSON.stringify(error)}`).not.toContain(secret);
  });
});
