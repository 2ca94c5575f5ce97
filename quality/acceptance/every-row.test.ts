/** Tables of words and of limits, row by row: a test that reads one row says nothing about the others. */
import { ToolExecutionService } from '@holdfast/core';
import { Session, type SessionEventBody } from '@holdfast/core/agent';
import { manualSystem } from '@holdfast/core/testing';
import { ResponseValidationMiddleware } from '@holdfast/wire';
import { expect, test } from 'vitest';
import { listLogger } from './support/agent.ts';

const status = (code: number, message = 'refused'): Error => Object.assign(new Error(message), { status: code });

test.each([
  [status(429), 'The assistant is busy. Please try again in a moment.'],
  [status(402), 'The quota of the assistant is used up.'],
  [status(504), 'The answer took too long. Please try again.'],
  [Object.assign(new Error('socket hang up'), { code: 'ECONNRESET' }), 'The assistant could not be reached. Please try again.'],
  [status(503), 'The assistant is not available. Please try again.'],
  [status(401), 'The assistant could not sign in to its service.'],
  [status(403), 'The assistant is not allowed to use its service.'],
  [status(400), 'The request could not be processed.'],
  [status(413), 'The conversation is too long.'],
  [Object.assign(new Error('This operation was aborted'), { name: 'AbortError' }), 'The answer was cancelled.'],
] as const)('%s is shown to the user as: %s', { tags: ['S4-middleware-methods'] }, (error, content) => {
  expect(new ResponseValidationMiddleware().createErrorResponse(error).content).toBe(content);
});

test('a response is read in the format of the middleware, not in the one that it resembles', { tags: ['S4-response-validation'] }, () => {
  const ofOpenai = { choices: [{ message: { role: 'assistant', content: 'Sunny.' }, finish_reason: 'stop' }] };
  const read = (format?: 'openai-chat' | 'anthropic-messages'): boolean =>
    new ResponseValidationMiddleware({ format }).validateResponse(ofOpenai).valid;
  expect([read(), read('openai-chat'), read('anthropic-messages')]).toEqual([true, true, false]);
});

test('a call that its provider marks as incomplete makes the response unready', { tags: ['S4-response-validation'] }, () => {
  const read = (status: string) =>
    new ResponseValidationMiddleware({ format: 'openai-responses' }).validateResponse({
      status: 'completed',
      output: [{ type: 'function_call', call_id: 'a', name: 'weather', arguments: '{}', status }],
    });
  expect(read('completed')).toMatchObject({ valid: true, ready: true });
  expect(read('incomplete')).toMatchObject({ valid: false, ready: false });
});

const failed = {
  source: 'tool',
  tool_id: 'book',
  call_id: 'c',
  attempt: 1,
  max_attempts: 3,
  error_type: 'ToolValidationError',
  error: 'no',
};
const logged = { toolName: 'book', callId: 'c', source: 'tool', attempt: 1, maxAttempts: 3, errorType: 'ToolValidationError', error: 'no' };
test.each([
  [
    { event_type: 'ValidationRetryScheduled', ...failed, delay_ms: 1_500 },
    { level: 'warn', details: { ...logged, delaySeconds: 1.5 }, text: 'validation failed, the model may retry' },
  ],
  [
    { event_type: 'ValidationRetryExhausted', ...failed, stopped_by: 'attempts', history: [] },
    { level: 'error', details: { ...logged, stoppedBy: 'attempts' }, text: 'validation failed, no further attempt' },
  ],
  [
    { event_type: 'ValidationRecovered', source: 'tool', tool_id: 'book', call_id: 'c', attempts: 2 },
    { level: 'info', details: { toolName: 'book', callId: 'c', attempts: 2 }, text: 'validation succeeded after retries' },
  ],
  [
    { event_type: 'AgentCallRefused', tool_id: 'book', call_id: 'c', code: 'UNKNOWN_TOOL', error: 'no' },
    { level: 'warn', details: { toolName: 'book', callId: 'c', code: 'UNKNOWN_TOOL', error: 'no' }, text: 'call refused' },
  ],
  [
    { event_type: 'AgentRunStopped', reason: 'validation_exhausted', message: 'no' },
    { level: 'error', details: { reason: 'validation_exhausted', error: 'no' }, text: 'agent run stopped' },
  ],
])('the log has $event_type with every field', { tags: ['S2-logs'] }, (event, { level, details, text }) => {
  const { logger, entries } = listLogger();
  new Session({ logger, correlationId: 'c-1' }).append(event as unknown as SessionEventBody);
  expect(entries).toEqual([{ level, details: { correlationId: 'c-1', ...details }, text }]);
});

test('both histograms count a value in the first bucket whose limit it does not exceed', { tags: ['S2-metrics'] }, () => {
  const session = new Session();
  for (const attempts of [1, 2, 3, 4, 5, 6, 10, 11])
    session.append({ event_type: 'ValidationRecovered', source: 'tool', tool_id: 'book', attempts } as SessionEventBody);
  for (const delay_ms of [0, 100, 101, 1_000, 60_000, 60_001])
    session.append({ event_type: 'ValidationRetryScheduled', ...failed, delay_ms } as unknown as SessionEventBody);
  expect(session.metrics).toEqual({
    validation_retry_total: 6,
    reducer_error_total: 0,
    validation_exhausted_total: 0,
    validation_retry_delay_seconds: {
      bounds: [0, 0.1, 0.5, 1, 2, 5, 10, 30, 60],
      counts: [1, 1, 1, 1, 0, 0, 0, 0, 1, 1],
      count: 6,
      sum: expect.closeTo(121.202, 9),
    },
    validation_attempts: { bounds: [1, 2, 3, 4, 5, 10], counts: [1, 1, 1, 1, 1, 2, 1], count: 8, sum: 42 },
  });
});

test('a session records the same events with and without readers', { tags: ['S2-correlation'] }, () => {
  const bodies: readonly SessionEventBody[] = [
    { event_type: 'ToolInvoked', call_id: 'a', tool_id: 'book', status: 'success', arguments: { room: 7 }, output: 'booked' },
    { event_type: 'Custom', name: 'paid', payload: { amount: 3 } },
    { event_type: 'ToolInvoked', call_id: 'b', tool_id: 'book', status: 'error', code: 'TIMEOUT', error: 'too slow' },
  ];
  const recorded = (options: object) => {
    const session = new Session({ system: manualSystem(), correlationId: 'c-1', ...options });
    const appended = bodies.map((body) => session.append(body).event);
    expect(session.events).toEqual(appended);
    return appended;
  };
  const unread = recorded({});
  expect(unread).toEqual(bodies.map((body, index) => ({ ...body, seq: index + 1, timestamp: expect.any(String), correlation_id: 'c-1' })));
  expect(recorded({ logger: listLogger().logger })).toEqual(unread);
});

test.each([
  ['store', { append: () => undefined }, 'store.flush'],
  ['errorHandler', { handle: () => undefined }, 'errorHandler.subscribe'],
] as const)('a %s without one of its methods is refused with the name of the method', { tags: ['S0-2.2'] }, (name, part, field) => {
  expect(() => new ToolExecutionService({ tools: [], [name]: part } as never)).toThrow(`${field} must be of type function, got undefined`);
});

test('every check of the middleware reports what it found and changed', { tags: ['S4-middleware-methods'] }, () => {
  const reports: [readonly string[], readonly string[]][] = [];
  const middleware = new ResponseValidationMiddleware({
    format: 'openai-chat',
    onReport: ({ problems, changes }) => reports.push([problems.map(({ rule }) => rule), changes.map(({ rule }) => rule)]),
  });
  const ask = { role: 'user', content: 'Warm?' };
  middleware.validateRequest({ model: 'm', messages: [ask] });
  expect(reports).toEqual([]);
  middleware.validateRequest({ model: 'm', messages: [ask, { role: 'tool', tool_call_id: 'a', content: 'yes' }] });
  middleware.validateResponse({});
  expect(reports).toEqual([
    [['orphan-result'], []],
    [[expect.any(String)], []],
  ]);
});
