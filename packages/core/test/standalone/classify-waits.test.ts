/** What the small classifier tells besides a class: the words of its rules, waits in every carrier, how far it looks. */
import { describe, expect, it } from 'vitest';
import { classifyStructure } from '../../src/standalone/classify-structure.ts';

const of = (error: unknown, more: object = {}) => classifyStructure(error, { nowEpochMs: 0, ...more });

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
  ])('%j', (error, rule, category) => expect(of(error)).toMatchObject({ rule, category }));
  it("is the caller's where the caller gave up", () => {
    expect(of({ status: 503 }, { callerAborted: true })).toEqual({
      classification: 'neutral',
      category: 'cancelled',
      rule: 'caller:aborted',
      ambiguous: false,
    });
  });
  it("of an abort that was not the caller's is a timeout's", () => {
    expect(of({ name: 'AbortError' }, { callerAborted: false })).toEqual({
      classification: 'transient',
      category: 'timeout',
      rule: 'name:AbortError+caller:not aborted',
      ambiguous: true,
    });
    expect(of({ status: 503 }, { callerAborted: false }).rule).toBe('status:503');
  });
  it('comes from five levels of causes', () => {
    const below = (depth: number): object => (depth === 0 ? { status: 404 } : { cause: below(depth - 1) });
    expect(of(below(4)).rule).toBe('status:404');
    expect(of(below(5)).rule).toBe('unknown');
  });
});

describe('a wait', () => {
  const waitOf = (fields: object): number | undefined => of({ status: 503, ...fields }).retryAfterMs;
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
