/** Whether the calls of an answer may be run: in every format, with every end, and next to calls that are incomplete. */
import { describe, expect, test } from 'vitest';
import { validateResponse, type TranscriptFormat } from '@holdfast/wire';

type Json = Readonly<Record<string, unknown>>;

/** An answer with one call, by format. `end` is its finish reason. */
const answers: Readonly<Record<TranscriptFormat, (end: unknown, text?: string) => Json>> = {
  'openai-chat': (end, text = '{"a":1}') => ({
    choices: [
      {
        finish_reason: end,
        message: {
          role: 'assistant',
          content: null,
          tool_calls: [{ id: 'c1', type: 'function', function: { name: 'pay', arguments: text } }],
        },
      },
    ],
  }),
  'openai-responses': (end, text = '{"a":1}') => ({
    status: end,
    output: [{ type: 'function_call', call_id: 'c1', name: 'pay', arguments: text, status: 'completed' }],
  }),
  'anthropic-messages': (end) => ({
    role: 'assistant',
    stop_reason: end,
    content: [{ type: 'tool_use', id: 'c1', name: 'pay', input: { a: 1 } }],
  }),
  gemini: (end) => ({
    candidates: [{ finishReason: end, content: { role: 'model', parts: [{ functionCall: { name: 'pay', args: { a: 1 } } }] } }],
  }),
  'bedrock-converse': (end) => ({
    stopReason: end,
    output: { message: { role: 'assistant', content: [{ toolUse: { toolUseId: 'c1', name: 'pay', input: { a: 1 } } }] } },
  }),
  'ai-sdk': (end, text = '{"a":1}') => ({ finishReason: end, toolCalls: [{ toolCallId: 'c1', toolName: 'pay', input: text }] }),
};

const complete: Readonly<Record<TranscriptFormat, readonly string[]>> = {
  'openai-chat': ['tool_calls', 'stop', 'function_call', 'eos', 'COMPLETE', 'TOOL_CALL', 'tool_execution'],
  'openai-responses': ['completed'],
  'anthropic-messages': ['tool_use', 'end_turn'],
  gemini: ['STOP'],
  'bedrock-converse': ['tool_use', 'end_turn'],
  'ai-sdk': ['tool-calls', 'stop'],
};

/** Reasons of other servers, which no provider of the format documents. */
const otherWords = ['abort', 'USER_CANCEL', 'max_new_tokens', 'ERROR_LIMIT', 'timeout', 'context_length_exceeded', ' length '];

const incomplete: Readonly<Record<TranscriptFormat, readonly unknown[]>> = {
  'openai-chat': [null, undefined, '', 'length', 'content_filter', 'error', 'insufficient_system_resource', ...otherWords],
  'openai-responses': [null, undefined, 'in_progress', 'queued', 'incomplete', 'failed', 'cancelled'],
  'anthropic-messages': [null, undefined, 'max_tokens', 'refusal', 'model_context_window_exceeded'],
  gemini: [null, undefined, 'FINISH_REASON_UNSPECIFIED', 'MAX_TOKENS', 'SAFETY', 'OTHER', 'LANGUAGE', 'MALFORMED_FUNCTION_CALL'],
  'bedrock-converse': [null, undefined, 'max_tokens', 'guardrail_intervened', 'malformed_tool_use'],
  'ai-sdk': [null, undefined, 'unknown', 'length', 'error'],
};

const formats = Object.keys(answers) as readonly TranscriptFormat[];
const rows = (reasons: Readonly<Record<TranscriptFormat, readonly unknown[]>>): readonly (readonly [TranscriptFormat, unknown])[] =>
  formats.flatMap((format) => reasons[format].map((reason) => [format, reason] as const));

describe('an answer with a call', () => {
  test.each(rows(complete))('%s: with the reason %s, it is ready', (format, reason) => {
    expect(validateResponse(answers[format](reason), { format })).toMatchObject({
      ready: true,
      valid: true,
      truncated: false,
      problems: [],
    });
  });

  test.each(rows(incomplete))('%s: with the reason %s, it is not', (format, reason) => {
    const { ready, valid, calls } = validateResponse(answers[format](reason), { format });
    expect(calls).toHaveLength(1);
    // A filtered answer is as the provider meant it, and yet its calls may be incomplete.
    expect([ready, valid && reason !== 'content_filter' && !/refusal|guardrail|SAFETY/.test(String(reason))]).toEqual([false, false]);
  });

  test.each(formats)('%s: without a reason, it counts as truncated', (format) => {
    expect(validateResponse(answers[format](null), { format })).toMatchObject({ truncated: true, finish: 'none' });
  });
});

test('an answer without calls and without a reason has no problem', () => {
  const response = { choices: [{ finish_reason: null, message: { role: 'assistant', content: 'Hello' } }] };
  expect(validateResponse(response, { format: 'openai-chat' })).toMatchObject({ valid: true, ready: false, truncated: false });
});

describe('open arguments are not ready, whatever the finish reason', () => {
  const open = ['{"path":"/tmp/a', '{"a":1', '"{\\"a\\":1', "{'a': 'x", '{"a":[1,2]', 'Sure: {"a":'];
  const texts = ['openai-chat', 'openai-responses', 'ai-sdk'] as const;
  test.each(texts.flatMap((format) => complete[format].flatMap((reason) => open.map((text) => [format, reason, text] as const))))(
    '%s, %s: %s',
    (format, reason, text) => {
      const { ready, valid, calls, problems } = validateResponse(answers[format](reason, text), { format });
      expect({ ready, valid, truncated: calls[0]?.truncated }).toEqual({ ready: false, valid: false, truncated: true });
      expect(problems).toMatchObject([{ rule: 'truncated' }]);
    },
  );

  test('neither are the other calls of the answer', () => {
    const call = (id: string, text: string): Json => ({ id, type: 'function', function: { name: 'pay', arguments: text } });
    const message = { role: 'assistant', content: null, tool_calls: [call('c1', '{}'), call('c2', '{"a":')] };
    const { ready, calls } = validateResponse({ choices: [{ finish_reason: 'tool_calls', message }] }, { format: 'openai-chat' });
    expect([ready, calls.map(({ truncated }) => truncated)]).toEqual([false, [false, true]]);
  });
});

test.each(['incomplete', 'in_progress'])('an item of Responses with the status %s is not ready in a completed response', (status) => {
  const output = [{ type: 'function_call', call_id: 'c1', name: 'pay', arguments: '{}', status }];
  const { ready, valid } = validateResponse({ status: 'completed', output }, { format: 'openai-responses' });
  expect({ ready, valid }).toEqual({ ready: false, valid: false });
});

test('arguments that are complete and not JSON may be read; a name twice is reported', () => {
  const dict = validateResponse(answers['openai-chat']('stop', "{'a': 1}"), { format: 'openai-chat' });
  expect(dict).toMatchObject({ ready: true, valid: false, problems: [{ rule: 'malformed-call' }] });
  const twice = validateResponse(answers['openai-chat']('stop', '{"a":1,"a":2}'), { format: 'openai-chat' });
  expect(twice).toMatchObject({ valid: false, problems: [{ rule: 'malformed-call' }] });
});

describe('an answer without content', () => {
  const answer = (end: unknown, message: Json): Json => ({ choices: [{ finish_reason: end, message: { role: 'assistant', ...message } }] });
  const problemsOf = (end: unknown, message: Json) =>
    validateResponse(answer(end, message), { format: 'openai-chat' }).problems.map(({ message: text }) => text);

  test.each([[{ content: null }], [{ content: '' }], [{ content: [] }], [{}], [{ content: null, reasoning_content: 'First …' }]])(
    'that was cut off, or has no end, is not valid: %j',
    (message) => {
      expect(problemsOf('length', message)).toEqual(['The response has no content.']);
      expect(problemsOf(null, message)).toEqual(['The response has no content.']);
    },
  );
  test('may be what a model had to say', () => {
    expect(problemsOf('stop', { content: null })).toEqual([]);
    expect(problemsOf('content_filter', { content: null })).toEqual([]);
    expect(problemsOf('length', { content: 'The first' })).toEqual([]);
  });
});
