import { describe, expect, it } from 'vitest';
import { classify } from '../../../src/engine/classify/classify.ts';
import { compileRules } from '../../../src/engine/classify/rules.ts';
import type { ClassificationRule } from '../../../src/engine/classify/classification.ts';
import { errorWith, wrapped } from './errors.ts';

const withRules = (error: unknown, ...rules: readonly ClassificationRule[]) =>
  classify(error, { nowEpochMs: 0, overrides: compileRules(rules) });

describe('rules of the manifest', () => {
  // docs/specification.md#s1-1-5
  it('take precedence over everything, also for a status that only the message names', () => {
    for (const error of [
      new Error('Service unavailable (503)'),
      errorWith({ status: 503 }),
      errorWith({ response: { statusCode: 503 } }),
      errorWith({ code: 503 }),
    ]) {
      expect(withRules(error, { status: 503, as: 'permanent' })).toMatchObject({
        classification: 'permanent',
        category: 'unavailable',
        rule: 'override:status=503',
      });
    }
  });
  it.each<[ClassificationRule, string]>([
    [{ status: [502, 503], as: 'permanent' }, 'override:status=502|503'],
    [{ code: 'EBUSTED', as: 'permanent' }, 'override:code=EBUSTED'],
    [{ name: 'OddError', as: 'permanent' }, 'override:name=OddError'],
    [{ message: 'sold\\s+out', as: 'permanent' }, 'override:message=sold\\s+out'],
    [{ status: 503, code: 'EBUSTED', as: 'permanent' }, 'override:status=503,code=EBUSTED'],
  ])('%j', (rule, label) => {
    const error = errorWith({ status: 503, code: 'EBUSTED' }, 'SOLD  OUT', 'OddError');
    expect(withRules(error, rule)).toMatchObject({ classification: 'permanent', rule: label });
    expect(withRules(wrapped('x', error), rule).rule).toBe(label);
    expect(withRules(new AggregateError([error]), rule).rule).toBe(label);
  });
  it('need every condition', () => {
    expect(withRules(errorWith({ status: 503 }), { status: 503, code: 'EBUSTED', as: 'permanent' }).rule).toBe('status:503');
  });
  it('decide by the first that matches, and may name the category', () => {
    const first: ClassificationRule = { status: 404, as: 'transient', category: 'unavailable' };
    expect(withRules(errorWith({ status: 404 }), first, { status: 404, as: 'permanent' })).toMatchObject({
      classification: 'transient',
      category: 'unavailable',
    });
  });
  it('can make a permanent error wait for its Retry-After', () => {
    const error = errorWith({ status: 413, headers: { 'retry-after': '9' } });
    expect(withRules(error, { status: 413, as: 'transient' }).retryAfterMs).toBe(9000);
  });
  it('match nothing if the condition occurs nowhere', () => {
    expect(withRules(new Error('503 seats'), { code: '503', as: 'permanent' }).classification).toBe('transient');
  });
  it("do not make the caller's own abort a failure", () => {
    const overrides = compileRules([{ name: 'AbortError', as: 'permanent' }]);
    expect(classify(errorWith({}, 'x', 'AbortError'), { nowEpochMs: 0, overrides, callerAborted: true }).classification).toBe('neutral');
  });
});

describe('a condition', () => {
  type Kind = readonly [ClassificationRule, hit: readonly unknown[], miss: readonly unknown[]];
  const as = 'permanent';
  it.each<Kind>([
    [
      { status: [500, 503], as },
      [
        { status: 503 },
        { code: 503 },
        '(503)',
        { message: 'hm', description: '(503)' },
        { cause: { status: 500 } },
        { statusCode: 200, status: 500 },
      ],
      [{ status: 502 }, { code: '503x' }, '(504)', 'hm', { message: 'x 503 seats' }],
    ],
    [
      { code: 'EODD', as },
      [{ code: 'EODD' }, { errno: 'EODD' }, { cause: { code: 'EODD' } }, { errors: [{ code: 'EODD' }] }, { code: 'EOTHER', errno: 'EODD' }],
      [{ code: 'EODDS' }, { code: 'eodd' }, { code: 'EOD' }, 'EODD', { name: 'EODD' }],
    ],
    [{ code: '14', as }, [{ code: 14 }, { code: 14, metadata: {} }], [{ code: 140 }, { code: 1 }, { status: 14 }]],
    [
      { name: 'OddError', as },
      [errorWith({}, '', 'OddError'), { cause: errorWith({}, '', 'OddError') }, new (class OddError extends Error {})()],
      [errorWith({}, '', 'OddErrors'), { code: 'OddError' }, 'OddError'],
    ],
    [
      { message: 'sold out', as },
      ['all SOLD OUT.', { description: 'sold out' }, { message: 'hm', description: 'sold out' }, { cause: 'sold out' }],
      ['sold-out', { code: 'sold_out' }, errorWith({}, '', 'sold out')],
    ],
  ])('%j', (rule, hit, miss) => {
    for (const error of hit) expect(withRules(error, rule).rule).toMatch(/^override:/);
    for (const error of miss) expect(withRules(error, rule).rule).not.toMatch(/^override:/);
  });
  it('can be combined with any other', () => {
    const all: ClassificationRule = { status: 503, code: 'EODD', name: 'OddError', message: 'out', as };
    const fields = { status: 503, code: 'EODD' };
    expect(withRules(errorWith(fields, 'out', 'OddError'), all).rule).toBe('override:status=503,code=EODD,name=OddError,message=out');
    expect(withRules(errorWith({ ...fields, status: 504 }, 'out', 'OddError'), all).rule).toBe('status:504');
    expect(withRules(errorWith({ ...fields, code: 'EVEN' }, 'out', 'OddError'), all).rule).toBe('status:503');
    expect(withRules(errorWith(fields, 'out', 'EvenError'), all).rule).toBe('status:503');
    expect(withRules(errorWith(fields, 'in', 'OddError'), all).rule).toBe('status:503');
  });
  it('on a message sees its first 512 characters', () => {
    const rule: ClassificationRule = { message: 'sold', as };
    expect(withRules(`${'x'.repeat(508)}sold`, rule).rule).toBe('override:message=sold');
    expect(withRules(`${'x'.repeat(509)}sold`, rule).rule).toBe('unknown');
  });
  it('keeps the other evidence of the error', () => {
    const error = errorWith({ status: 504, code: 'EODD' });
    expect(withRules(error, { code: 'EODD', as })).toEqual({
      classification: 'permanent',
      category: 'timeout',
      rule: 'override:code=EODD',
      ambiguous: true,
      status: 504,
      code: 'EODD',
    });
    expect(withRules(errorWith({ code: 'EODD' }), { code: 'EODD', as, category: 'auth' })).toMatchObject({
      category: 'auth',
      ambiguous: false,
    });
  });
  it('decides before the assumption that the caller aborted', () => {
    const overrides = compileRules([{ name: 'AbortError', as: 'permanent' }]);
    expect(classify(errorWith({}, 'x', 'AbortError'), { nowEpochMs: 0, overrides, callerAborted: false }).rule).toBe(
      'override:name=AbortError',
    );
  });
});

describe('valid rules at the limits', () => {
  it.each<ClassificationRule>([
    { status: 100, as: 'transient' },
    { status: 599, as: 'transient' },
    { message: 'x'.repeat(256), as: 'transient' },
    { message: '(a+)b+', as: 'transient' },
    { message: '(ab)+', as: 'transient' },
    { message: '\\(a+\\)+', as: 'transient' },
    { message: '(a+){2}', as: 'transient' },
  ])('%j', (rule) => expect(compileRules([rule])).toHaveLength(1));
});

describe('invalid rules', () => {
  const status = 'an HTTP status from 100 to 599, or a list of them';
  it.each<[unknown, string]>([
    [{ as: 'permanent' }, ' has no condition, so it would match every error. Give it at least one of status, code, name, message.'],
    [{ status: 503 }, '.as must be one of transient, permanent, got undefined.'],
    [{ status: 503, as: 'neutral' }, ".as must be one of transient, permanent, got 'neutral'."],
    [{ status: 503, as: 'permanant' }, ".as must be one of transient, permanent (did you mean 'permanent'?), got 'permanant'."],
    [{ status: 503, as: 'permanent', categroy: 'auth' }, " has no setting 'categroy'. Did you mean 'category'?"],
    [{ status: 42, as: 'permanent' }, `.status must be ${status}, got 42.`],
    [{ status: [], as: 'permanent' }, `.status must be ${status}, got an array.`],
    [{ status: '503', as: 'permanent' }, `.status must be ${status}, got '503'.`],
    [{ status: 99, as: 'permanent' }, `.status must be ${status}, got 99.`],
    [{ status: 600, as: 'permanent' }, `.status must be ${status}, got 600.`],
    [{ status: 404.5, as: 'permanent' }, `.status must be ${status}, got 404.5.`],
    [{ status: [503, '504'], as: 'permanent' }, `.status[1] must be ${status}, got '504'.`],
    [{ message: 7, as: 'permanent' }, '.message must be a string that is not empty, got 7.'],
    [{ message: '(.*)*', as: 'permanent' }, '.message must be a pattern that repeats no group that repeats inside'],
    [{ message: '(a|b*){2,}', as: 'permanent' }, '.message must be a pattern that repeats no group that repeats inside'],
    [{ message: '(a{2}){3,}', as: 'permanent' }, '.message must be a pattern that repeats no group that repeats inside'],
    [{ message: '(a\\)+)+', as: 'permanent' }, '.message must be a pattern that repeats no group that repeats inside'],
    [{ message: '(a+)+$', as: 'permanent' }, '.message must be a pattern that repeats no group that repeats inside'],
    [{ message: '(?<x>a)\\k<x>', as: 'permanent' }, '.message must be a pattern that does not refer back to a group'],
    [{ message: '(a)\\1', as: 'permanent' }, '.message must be a pattern that does not refer back to a group'],
    [{ message: 'x'.repeat(257), as: 'permanent' }, `.message must be a pattern of at most 256 characters, got '${'x'.repeat(80)}…'.`],
    [{ message: '(', as: 'permanent' }, '.message must be a regular expression (Invalid regular expression'],
    [{ code: Object.create(null) as unknown, as: 'permanent' }, '.code must be a string that is not empty, got an object.'],
    [{ code: '', as: 'permanent' }, ".code must be a string that is not empty, got ''."],
    [{ name: 7, as: 'permanent' }, '.name must be a string that is not empty, got 7.'],
    [{ code: 'X', category: 'odd', as: 'permanent' }, '.category must be one of network, timeout, rate_limit, '],
    ['no rule', " must be an object, got 'no rule'."],
    [null, ' must be an object, got null.'],
  ])('%j', (rule, complaint) => {
    const rules = [{ status: 503, as: 'permanent' }, rule] as readonly ClassificationRule[];
    expect(() => compileRules(rules)).toThrow(`classification[1]${complaint}`);
  });

  it.each([[{}], [null], ['503']])('a list that is %j', (rules) => {
    expect(() => compileRules(rules as never)).toThrow('classification must be an array of rules, got');
  });
});
