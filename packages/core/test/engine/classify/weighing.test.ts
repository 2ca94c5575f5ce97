/** Which of several pieces of evidence decides, and where a status is corrected. */
import { describe, expect, it } from 'vitest';
import { classify } from '../../../src/engine/classify/classify.ts';
import { errorWith, wrapped } from './errors.ts';
import { of } from './meanings.ts';

const ruleOf = (error: unknown): string => of(error).rule;

describe('the stronger of two', () => {
  it.each<[string, object, string, string]>([
    ["a service's own code before a status", { code: 'ThrottlingException', status: 400 }, '', 'code:ThrottlingException'],
    ['a status before a word that its client made up', { code: 'CLIENT_HTTP_NOT_IMPLEMENTED', status: 503 }, '', 'status:503'],
    ['a status before a system code', { status: 404, code: 'ECONNRESET' }, '', 'status:404'],
    ['a system code before a name', { code: 'ECONNRESET', name: 'NotFoundError' }, '', 'code:ECONNRESET'],
    ['a system code before a quoted one', { code: 'ECONNRESET' }, 'ENOENT', 'code:ECONNRESET'],
    ['a quoted code before a gRPC status', { code: 5, metadata: {} }, 'ECONNREFUSED', 'text:ECONNREFUSED'],
    ['a quoted status before a name', { name: 'NotFoundError' }, '(503)', 'text:status 503'],
    ['a gRPC status before a name', { code: 14, metadata: {}, name: 'NotFoundError' }, '', 'grpc:14'],
    ['a 500 before a name', { status: 500, name: 'NotFoundError' }, '', 'status:500'],
    ['a word in the response before a 500', { status: 500, body: { code: 'NOT_FOUND' } }, '', 'code:NOT_FOUND'],
    ['a 500 before a retry hint', { status: 500, retryable: false }, '', 'status:500'],
    ['a 500 before the message', { status: 500 }, 'not found', 'status:500'],
    ['a vague code before the message', { code: 'validation_error' }, 'not found', 'code:validation_error'],
    ['a retry hint before the message', { retryable: true }, 'not found', 'flag:retryable'],
    ['the message before other evidence', { code: -32_603 }, 'not found', 'text:not found'],
    ['other evidence without a meaningful message', { code: -32_603 }, 'hm', 'mcp:-32603'],
    ['a quoted 404 before a 500', { status: 500 }, 'status 404', 'text:status 404'],
    ['a quoted 500 counts no more than a 500', { name: 'NotFoundError' }, 'status 500', 'name:NotFoundError'],
  ])('%s', (_what, fields, text, rule) => expect(ruleOf(errorWith({ ...fields }, text))).toBe(rule));
});

describe('of two equal ones', () => {
  it.each<[string, object, object, string]>([
    ['the outer status', { status: 404 }, { status: 503 }, 'status:404'],
    ['the outer code of a service, also before an inner status', { code: 'NoSuchBucket' }, { code: 'SlowDown' }, 'code:NoSuchBucket'],
    ['an outer status before an inner code of a service', { status: 404 }, { code: 'SlowDown' }, 'status:404'],
    ['an inner status before an outer system code', { code: 'ECONNRESET' }, { status: 404 }, 'status:404'],
    ['the inner system code', { code: 'ECONNRESET' }, { code: 'ENOENT' }, 'code:ENOENT'],
    ['the inner name', { name: 'TimeoutError' }, { name: 'NotFoundError' }, 'name:NotFoundError'],
    ['the inner message', { message: 'not found' }, { message: 'forbidden' }, 'text:permission'],
    ['an outer code before an inner name', { code: 'ECONNRESET' }, { name: 'NotFoundError' }, 'code:ECONNRESET'],
    ['an outer status before an inner name', { status: 404 }, { name: 'ThrottlingException' }, 'status:404'],
    ['an inner name before an outer 500', { status: 500 }, { name: 'NotFoundError' }, 'name:NotFoundError'],
    ['an inner retry hint', { retryable: true }, { retryable: false }, 'flag:not retryable'],
  ])('%s', (_what, outer, inner, rule) => expect(ruleOf(errorWith({ ...outer, cause: errorWith({ ...inner }) }))).toBe(rule));
  it('the first one within the same error', () => {
    expect(ruleOf({ code: 'ENOENT', errorCode: 'ECONNRESET' })).toBe('code:ENOENT');
    expect(ruleOf({ code: 'ECONNRESET', errorCode: 'ENOENT' })).toBe('code:ECONNRESET');
    expect(ruleOf({ statusCode: 503, httpStatus: 404 })).toBe('status:503');
    expect(ruleOf({ message: 'forbidden', description: 'not found' })).toBe('text:permission');
  });
});

describe('an abort', () => {
  it('is a timeout if any evidence says so', () => {
    const aborted = { name: 'AbortError' };
    expect(ruleOf(errorWith({ ...aborted }, 'aborted'))).toBe('name:AbortError');
    expect(ruleOf(errorWith({ ...aborted, cause: errorWith({ name: 'TimeoutError' }) }))).toBe('name:TimeoutError');
    expect(ruleOf(errorWith({ name: 'TimeoutError', cause: errorWith({ ...aborted }) }))).toBe('name:TimeoutError');
    expect(ruleOf(errorWith({ ...aborted }, 'aborted: took too long'))).toBe('text:timeout');
    expect(ruleOf(errorWith({ code: 'ABORT_ERR' }, 'aborted'))).toBe('code:ABORT_ERR');
    expect(ruleOf(errorWith({ ...aborted, code: 'ETIMEDOUT' }))).toBe('code:ETIMEDOUT');
  });
  it('of a connection is a timeout if its words say so; other system codes are unchanged', () => {
    expect(of(errorWith({ code: 'ECONNABORTED' }, 'timeout of 5ms exceeded'))).toMatchObject({ rule: 'text:timeout', category: 'timeout' });
    expect(of(errorWith({ code: 'ECONNABORTED' }, 'socket hang up'))).toMatchObject({ rule: 'code:ECONNABORTED', category: 'network' });
    expect(of(errorWith({ code: 'ECONNRESET' }, 'timeout of 5ms exceeded'))).toMatchObject({
      rule: 'code:ECONNRESET',
      category: 'network',
    });
  });
});

describe("the caller's signal", () => {
  const classified = (error: unknown, callerAborted: boolean) => classify(error, { nowEpochMs: 0, callerAborted });
  const abort = errorWith({}, 'aborted', 'AbortError');
  it("if aborted, makes any error the caller's, and keeps `ambiguous`", () => {
    expect(classified(errorWith({ code: 'ECONNRESET' }), true)).toMatchObject({
      category: 'cancelled',
      rule: 'caller:aborted',
      ambiguous: true,
    });
    expect(classified(errorWith({ status: 404 }), true)).toMatchObject({
      category: 'cancelled',
      rule: 'caller:aborted',
      ambiguous: false,
      status: 404,
    });
  });
  it('if not aborted, makes an abort a timeout', () => {
    expect(classified(abort, false)).toMatchObject({ category: 'timeout', rule: 'name:AbortError+caller:not aborted' });
  });
  it('if not aborted, changes nothing else', () => {
    expect(classified(errorWith({ code: 'ENOENT' }), false)).toEqual(of(errorWith({ code: 'ENOENT' })));
    expect(classified(errorWith({}, 'hm'), false)).toEqual(of(errorWith({}, 'hm')));
  });
});

describe('status and code of the classification', () => {
  it('are absent if there are none', () => {
    expect(of(new Error('hm'))).toStrictEqual({ classification: 'transient', category: 'unknown', rule: 'unknown', ambiguous: true });
    expect(of(new Error('not found'))).toStrictEqual({
      classification: 'permanent',
      category: 'not_found',
      rule: 'text:not found',
      ambiguous: true,
    });
  });
  it('are those of the deciding evidence', () => {
    expect(of(errorWith({ code: 'ECONNRESET', cause: errorWith({ code: 'ENOENT' }) })).code).toBe('ENOENT');
    expect(of(errorWith({ code: 14, metadata: {} })).code).toBe('14');
    expect(of(errorWith({ code: 404 }))).toMatchObject({ status: 404, code: '404' });
    expect(of(errorWith({ code: 14, metadata: {} }))).not.toHaveProperty('status');
    expect(of(errorWith({ errcode: 5 }))).not.toHaveProperty('status');
  });
  it('else the first code and failing status anywhere', () => {
    expect(of(errorWith({ code: 'odd', status: 404 }))).toMatchObject({ rule: 'status:404', code: 'odd' });
    expect(of(errorWith({ type: 'odd' }))).not.toHaveProperty('code');
    expect(of(errorWith({ type: 'odd', code: 'queer' })).code).toBe('queer');
    expect(of(errorWith({ code: 'NotFound', cause: errorWith({ status: 400 }) })).status).toBe(400);
    expect(of(errorWith({ code: 'NotFound', status: 399, cause: errorWith({ status: 503 }) })).status).toBe(503);
    expect(of(errorWith({ code: 'NotFound', status: 302 }))).not.toHaveProperty('status');
    expect(of(errorWith({ code: 'error', status: 404, cause: errorWith({ code: 'odd' }) })).code).toBe('odd');
  });
});

describe('parallel errors', () => {
  const side = (...errors: readonly unknown[]) => of(new AggregateError(errors));
  const [gone, denied, reset, refused, abort] = [
    { status: 404 },
    { status: 403 },
    { code: 'ECONNRESET' },
    { code: 'ECONNREFUSED' },
    { name: 'AbortError' },
  ];
  it('are transient if one is, permanent if none is, neutral if all were aborted', () => {
    expect(side(gone, refused, abort).rule).toBe('code:ECONNREFUSED');
    expect(side(abort, refused).rule).toBe('code:ECONNREFUSED');
    expect(side(abort, gone).rule).toBe('status:404');
    expect(side(abort, abort).classification).toBe('neutral');
  });
  it('of one class are classified by the strongest, else the first', () => {
    expect(side(refused, { status: 503 }).rule).toBe('status:503');
    expect(side(denied, gone).rule).toBe('status:403');
    expect(side(gone, denied).rule).toBe('status:404');
  });
  it('are ambiguous if one is', () => {
    expect(side(refused, reset).ambiguous).toBe(true);
    expect(side(reset, gone)).toMatchObject({ rule: 'code:ECONNRESET', ambiguous: true });
    expect(side({ status: 503 }, reset)).toMatchObject({ rule: 'status:503', ambiguous: true });
    expect(side(refused, gone).ambiguous).toBe(false);
  });
  it('are compared with the error that contains them', () => {
    expect(of(errorWith({ status: 404, errors: [refused] })).rule).toBe('status:404');
    expect(of(errorWith({ errors: [refused] }, 'not found')).rule).toBe('code:ECONNREFUSED');
    expect(of({ cause: new AggregateError([refused]) }).rule).toBe('code:ECONNREFUSED');
  });
  it('may be strings; other values do not count', () => {
    expect(of({ errors: ['not found'] }).rule).toBe('text:not found');
    expect(of({ errors: [503, true, null, undefined] }).rule).toBe('unknown');
    expect(of(['not found']).rule).toBe('text:not found');
  });
  it('without known evidence do not count', () => {
    expect(side({ message: 'hm' }, refused).rule).toBe('code:ECONNREFUSED');
    expect(side({ message: 'hm' }, { message: 'hm' }).rule).toBe('unknown');
  });
});

describe('a status that is corrected by the message', () => {
  it.each([
    [400, 'rate limit', 'status:400+text:rate limit'],
    [400, 'insufficient funds', 'status:400+text:quota exhausted'],
    [400, 'quota reached', 'status:400+text:quota exhausted'],
    [400, 'no valid session', 'status:400+text:network'],
    [400, 'context length', 'status:400+text:payload too large'],
    [400, 'invalid api key', 'status:400+text:auth'],
    [400, 'not found', 'status:400'],
    [400, 'timed out', 'status:400'],
    [403, 'rate limit', 'status:403+text:rate limit'],
    [403, 'billing', 'status:403+text:quota exhausted'],
    [403, 'quota reached', 'status:403+text:quota exhausted'],
    [403, 'invalid token', 'status:403+text:auth'],
    [403, 'too large', 'status:403'],
    [404, 'unknown session', 'status:404+text:network'],
    [404, 'rate limit', 'status:404'],
    [409, 'deadlock', 'status:409+text:conflict'],
    [409, 'too many write operations', 'status:409+text:rate limit'],
    [413, 'tokens per minute', 'status:413+text:rate limit'],
    [413, 'deadlock', 'status:413'],
    [429, 'insufficient funds', 'status:429+text:quota exhausted'],
    [429, 'quota reached', 'status:429'],
    [429, 'deadlock', 'status:429'],
    [503, 'rate limit', 'status:503'],
    [401, 'rate limit', 'status:401'],
  ])('%i: %s', (status, text, rule) => {
    expect(ruleOf(errorWith({ status }, text))).toBe(rule);
    expect(ruleOf(errorWith({ status, error: { message: text } }, 'hm'))).toBe(rule);
    expect(ruleOf(errorWith({ status, cause: new Error(text) }, 'hm'))).toBe(rule);
  });
  it('keeps the original number', () => {
    expect(of(errorWith({ status: 409 }, 'deadlock'))).toMatchObject({ classification: 'transient', status: 409 });
  });
  it("does not correct a service's own code", () => {
    expect(ruleOf(errorWith({ status: 409, code: 'ResourceAlreadyExists' }, 'deadlock'))).toBe('code:ResourceAlreadyExists');
    expect(ruleOf(errorWith({ code: 'NoSuchBucket', headers: { 'x-should-retry': 'true' } }))).toBe('code:NoSuchBucket');
  });
  it('of 429 is not corrected if it has a Retry-After', () => {
    const spent = 'insufficient funds';
    expect(ruleOf(errorWith({ status: 429, retryAfter: 3 }, spent))).toBe('status:429');
    expect(ruleOf(errorWith({ status: 429 }, `${spent}, try again in 3s`))).toBe('status:429');
    expect(ruleOf(errorWith({ status: 403, retryAfter: 3 }, spent))).toBe('status:403+text:quota exhausted');
    expect(ruleOf(errorWith({ status: 429, headers: { 'x-ratelimit-reset': '3' } }, spent))).toBe('status:429');
  });
});

describe('a status that is corrected by a header', () => {
  const headed = (status: number, headers: Readonly<Record<string, string>>) => of(errorWith({ status, headers }, 'hm'));
  it('x-should-retry determines the class', () => {
    expect(headed(404, { 'x-should-retry': 'true' })).toMatchObject({
      classification: 'transient',
      category: 'not_found',
      rule: 'status:404+header:x-should-retry',
    });
    expect(headed(503, { 'x-should-retry': 'false' })).toMatchObject({ classification: 'permanent', category: 'unavailable' });
    expect(headed(503, { 'x-should-retry': 'maybe' }).rule).toBe('status:503');
    expect(headed(403, { 'x-should-retry': 'false', 'retry-after': '3' }).rule).toBe('status:403+header:x-should-retry');
  });
  it.each(['retry-after', 'retry-after-ms'])('%s makes 403 a rate limit', (name) => {
    expect(headed(403, { [name]: '7' })).toMatchObject({ category: 'rate_limit', rule: 'status:403+header:rate limit' });
    expect(headed(404, { [name]: '7' }).rule).toBe('status:404');
  });
  it('no remaining quota makes 403 a rate limit', () => {
    expect(headed(403, { 'x-ratelimit-remaining': '0' }).rule).toBe('status:403+header:rate limit');
    expect(headed(403, { 'x-ratelimit-remaining': '1' }).rule).toBe('status:403');
    expect(headed(404, { 'x-ratelimit-remaining': '0' }).rule).toBe('status:404');
  });
  it('in a cause or a response counts, too', () => {
    const answer = { status: 403, headers: { 'retry-after': '7' } };
    expect(ruleOf(errorWith({ response: answer }))).toBe('status:403+header:rate limit');
    expect(ruleOf(wrapped('x', errorWith(answer)))).toBe('status:403+header:rate limit');
    expect(ruleOf(errorWith({ status: 403, headers: {}, cause: errorWith({ headers: { 'retry-after': '7' } }) }))).toBe(
      'status:403+header:rate limit',
    );
  });
});

describe('a 4xx status of no table', () => {
  it('is corrected by the words next to it', () => {
    expect(of(errorWith({ status: 440 }, 'Query timeout.'))).toMatchObject({
      classification: 'transient',
      category: 'timeout',
      ambiguous: true,
    });
    expect(of(errorWith({ status: 430 }, 'Too many requests'))).toMatchObject({ category: 'rate_limit', ambiguous: false });
    expect(of(errorWith({ status: 498 }, 'Monthly quota reached'))).toMatchObject({
      classification: 'permanent',
      category: 'quota_exhausted',
    });
  });
  it('is a rejection without them, and a listed one stays what it is', () => {
    expect(of(errorWith({ status: 440 }, 'x'))).toMatchObject({ classification: 'permanent', category: 'invalid_input', ambiguous: false });
    expect(of(errorWith({ status: 422 }, 'timeout'))).toMatchObject({ classification: 'permanent', category: 'invalid_input' });
  });
});
