/** The other results of the small classifier: names of rules, waits in all supported fields and headers, and the depth of causes. */
import { describe, expect, it } from 'vitest';
import { classifyStructure } from '../../src/standalone/classify-structure.ts';

const classify = (error: unknown, more: object = {}) => classifyStructure(error, { nowEpochMs: 0, ...more });

describe('the rule', () => {
  it.each<[unknown, string, string]>([
    [{ status: 502 }, 'status:502', 'unavailable'],
    [{ status: 418 }, 'status:418', 'invalid_input'],
    [{ statusCode: '404' }, 'status:404', 'not_found'],
    [{ status: 599 }, 'status:599', 'unavailable'],
    [{ status: 600 }, 'unknown', 'unknown'],
    [{ status: 399 }, 'unknown', 'unknown'],
    [{ code: 'ENOENT' }, 'code:ENOENT', 'not_found'],
    [{ name: 'TimeoutError' }, 'name:TimeoutError', 'timeout'],
    [{ name: 'AbortError' }, 'name:AbortError', 'cancelled'],
    [{ code: 'transient' }, 'unknown', 'unknown'],
    [{ code: 'network' }, 'unknown', 'unknown'],
    [{ response: { status: 404 } }, 'status:404', 'not_found'],
    [{ response: { code: 'ENOENT' } }, 'code:ENOENT', 'not_found'],
  ])('%j', (error, rule, category) => expect(classify(error)).toMatchObject({ rule, category }));
  it('is `caller:aborted` after an abort of the caller', () => {
    expect(classify({ status: 503 }, { callerAborted: true })).toEqual({
      classification: 'neutral',
      category: 'cancelled',
      rule: 'caller:aborted',
      ambiguous: true,
    });
  });
  it('is a timeout after an abort that is not by the caller', () => {
    expect(classify({ name: 'AbortError' }, { callerAborted: false })).toEqual({
      classification: 'transient',
      category: 'timeout',
      rule: 'name:AbortError+caller:not aborted',
      ambiguous: true,
    });
    expect(classify({ status: 503 }, { callerAborted: false }).rule).toBe('status:503');
  });
  it('is read from up to five levels of causes', () => {
    const nested = (depth: number): object => (depth === 0 ? { status: 404 } : { cause: nested(depth - 1) });
    expect(classify(nested(4)).rule).toBe('status:404');
    expect(classify(nested(5)).rule).toBe('unknown');
  });
});

describe('a wait', () => {
  const waitOf = (fields: object): number | undefined => classify({ status: 503, ...fields }).retryAfterMs;
  it.each<[object, number | undefined]>([
    [{ retryAfterMs: 7 }, 7],
    [{ retryAfterMs: '7' }, 7],
    [{ retryAfterMs: 7, headers: { 'retry-after': '9' } }, 7],
    [{ headers: { 'retry-after': '9' } }, 9000],
    [{ headers: { 'retry-after': 9 } }, 9000],
    [{ headers: { 'Retry-After': '9' } }, 9000],
    [{ headers: { 'retry-after': ['9', '3'] } }, 9000],
    [{ headers: { 'retry-after': true } }, undefined],
    [{ headers: { 'retry-after': {} } }, undefined],
    [{ headers: { 'retry-after-ms': '9' } }, 9],
    [{ headers: { 'retry-after-ms': '9', 'retry-after': '1' } }, 9],
    [{ headers: { 'retry-after-ms': 'x', 'retry-after': '1' } }, 1000],
    [{ headers: {} }, undefined],
    [{ headers: 'retry-after: 9' }, undefined],
    [{ response: { headers: new Map([['retry-after', '9']]) } }, 9000],
    [{ cause: { retryAfterMs: 9 } }, 9],
    [{ retryAfterMs: 7, cause: { retryAfterMs: 9 } }, 7],
  ])('%j', (fields, expected) => expect(waitOf(fields)).toBe(expected));
});
