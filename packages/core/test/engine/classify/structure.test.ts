import { describe, expect, it } from 'vitest';
import { classify } from '../../../src/engine/classify/classify.ts';
import { describeError } from '../../../src/engine/classify/describe-error.ts';
import { errorWith, wrapped } from './errors.ts';

const of = (error: unknown) => classify(error, { nowEpochMs: 0 });

describe('causes', () => {
  it('classifies a wrapper by the innermost meaningful error', () => {
    const inner = errorWith({ code: 'ECONNRESET', syscall: 'read' }, 'read ECONNRESET');
    expect(of(wrapped('booking failed', wrapped('fetch failed', inner)))).toMatchObject({
      category: 'network',
      rule: 'code:ECONNRESET',
      ambiguous: true,
    });
  });
  it('lets an outer status take precedence over its cause', () => {
    expect(of(errorWith({ status: 404, cause: errorWith({ status: 503 }) })).rule).toBe('status:404');
  });
  it.each(['cause', 'originalError', 'innerError', 'error', 'reason', 'lastError', 'driverError'])('follows %s', (link) => {
    expect(of(errorWith({ [link]: errorWith({ status: 404 }, 'x') }, 'wrapper')).category).toBe('not_found');
  });
  it('ends on cycles and on chains without end', () => {
    const a = errorWith({}, 'a');
    const b = errorWith({ code: 'ECONNREFUSED', cause: a }, 'b');
    expect(of(Object.assign(a, { cause: b })).rule).toBe('code:ECONNREFUSED');
    let deep = errorWith({ code: 'ENOENT' });
    for (let depth = 0; depth < 10_000; depth += 1) deep = wrapped('deep', deep);
    expect(of(deep).rule).toBe('unknown');
  });
});

describe('parallel errors', () => {
  const refused = errorWith({ code: 'ECONNREFUSED' });
  const missing = errorWith({ status: 404 });
  it('is transient if one of them is', () => {
    expect(of(new AggregateError([missing, refused], 'all failed'))).toMatchObject({ classification: 'transient', category: 'network' });
  });
  it('is permanent if all of them are', () => {
    expect(of(new AggregateError([missing, errorWith({ status: 403 })], 'all failed')).classification).toBe('permanent');
  });
  it('is neutral if all were aborted', () => {
    const abort = errorWith({}, 'aborted', 'AbortError');
    expect(of(new AggregateError([abort, errorWith({}, 'aborted', 'AbortError')])).classification).toBe('neutral');
  });
  it('is ambiguous if one of them is', () => {
    expect(of(new AggregateError([refused, errorWith({ code: 'ECONNRESET', syscall: 'read' })])).ambiguous).toBe(true);
  });
  it('reads the results of Promise.allSettled', () => {
    expect(
      of([
        { status: 'fulfilled', value: 1 },
        { status: 'rejected', reason: refused },
      ]).category,
    ).toBe('network');
  });
  it('has no meaning if it is empty', () => {
    expect(of(new AggregateError([], 'none')).rule).toBe('unknown');
  });
});

describe('ambiguity', () => {
  it.each([
    [true, 'reset while reading', errorWith({ code: 'ECONNRESET', syscall: 'read' })],
    [false, 'reset while connecting', errorWith({ code: 'ECONNRESET', syscall: 'connect' })],
    [
      false,
      'reset before the TLS handshake was done',
      errorWith({ code: 'ECONNRESET' }, 'Client network socket disconnected before secure TLS connection was established'),
    ],
    [false, 'refused', errorWith({ code: 'ECONNREFUSED' })],
    [true, 'no answer in time', errorWith({ code: 'UND_ERR_HEADERS_TIMEOUT' })],
    [false, 'connect timeout', errorWith({ code: 'UND_ERR_CONNECT_TIMEOUT' })],
    [false, 'connect timeout of the system', errorWith({ code: 'ETIMEDOUT', syscall: 'connect' })],
    [true, 'gateway timeout', errorWith({ status: 504 })],
    [false, 'rate limit', errorWith({ status: 429 })],
    [false, 'a definite refusal', errorWith({ status: 404 })],
    [true, 'a deadline', errorWith({ code: 4, details: 'x', metadata: {} })],
    [false, 'a lock that was not free', errorWith({ code: '55P03' })],
    [true, "the tool's own time limit", new Error('Tool timeout after 30s')],
  ])('%s: %s', (ambiguous, _what, error) => {
    expect(of(error).ambiguous).toBe(ambiguous);
  });
});

describe('serialized errors', () => {
  const live = errorWith({ code: 'ECONNRESET', syscall: 'read' }, 'read ECONNRESET');
  it('reads what JSON keeps', () => {
    const json: unknown = JSON.parse(
      JSON.stringify({ name: 'Error', message: 'Request failed with status code 429', code: 'ERR_BAD_REQUEST', status: 429 }),
    );
    expect(of(json)).toMatchObject({ category: 'rate_limit', status: 429 });
    expect(of(JSON.parse(JSON.stringify(Object.fromEntries(Object.entries(live))))).category).toBe('network');
  });
  it('reads what structured clone keeps: the message', () => {
    expect(of(new Error(live.message)).rule).toBe('text:ECONNRESET');
  });
  it('reads results with an error flag', () => {
    expect(of({ data: null, error: { message: 'x', statusCode: 422 } }).category).toBe('invalid_input');
    expect(of({ ok: false, error: { code: 'ECONNREFUSED' } }).category).toBe('network');
  });
});

describe('further information', () => {
  it('contains status and code', () => {
    const error = errorWith({ code: 'model_not_found', status: 404 });
    expect(of(error)).toMatchObject({ status: 404, code: 'model_not_found' });
    expect(of(wrapped('x', errorWith({ code: 'ECONNRESET' }))).code).toBe('ECONNRESET');
    expect(of(new Error('Service unavailable (503)')).status).toBe(503);
  });
  it('omits codes without a meaning', () => {
    expect(of(errorWith({ code: 'ERR_BAD_REQUEST', status: 404 }))).not.toHaveProperty('code');
  });
});

describe('describeError', () => {
  it.each([
    [new TypeError('no'), { name: 'TypeError', message: 'no' }],
    [errorWith({ code: 'ENOENT' }, 'gone'), { name: 'Error', message: 'gone', code: 'ENOENT' }],
    ['boom', { name: 'Error', message: 'boom' }],
    [undefined, { name: 'Error', message: 'undefined was thrown' }],
    [null, { name: 'Error', message: 'null' }],
    [42, { name: 'Error', message: '42' }],
    [10n, { name: 'Error', message: '10' }],
    [Symbol('s'), { name: 'Error', message: 'Symbol(s)' }],
    [
      { isError: true, content: [{ type: 'text', text: 'no such city' }] },
      { name: 'Object', message: 'no such city' },
    ],
    [{ status: 404 }, { name: 'Object', message: 'HTTP status 404' }],
    [new AggregateError([new Error('first')]), { name: 'AggregateError', message: 'first' }],
  ])('%#', (error, expected) => {
    expect(describeError(error)).toEqual(expected);
  });
  it('is bounded', () => {
    expect(describeError(new Error('x'.repeat(1_000_000))).message.length).toBeLessThanOrEqual(4096);
  });
});
