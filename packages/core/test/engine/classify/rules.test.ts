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
  it.each<[unknown, RegExp]>([
    [{ as: 'permanent' }, /rule 1: rule is "without a condition"; give at least one of status, code, name, message/],
    [{ status: 503 }, /rule 1: as is undefined; say "transient" or "permanent"/],
    [{ status: 503, as: 'neutral' }, /rule 1: as is "neutral"/],
    [{ status: 42, as: 'permanent' }, /rule 1: status is 42; give whole numbers from 100 to 599/],
    [{ status: [], as: 'permanent' }, /rule 1: status is ; give an HTTP status or a list of them/],
    [{ status: '503', as: 'permanent' }, /rule 1: status is "503"; give an HTTP status or a list of them/],
    [{ status: 99, as: 'permanent' }, /rule 1: status is 99;/],
    [{ status: 600, as: 'permanent' }, /rule 1: status is 600;/],
    [{ status: 404.5, as: 'permanent' }, /rule 1: status is 404.5;/],
    [{ status: [503, '504'], as: 'permanent' }, /rule 1: status is "504"; give whole numbers/],
    [{ message: 7, as: 'permanent' }, /rule 1: message is 7; give a string that is not empty/],
    [{ message: '(.*)*', as: 'permanent' }, /do not repeat a group that repeats/],
    [{ message: '(a|b*){2,}', as: 'permanent' }, /do not repeat a group that repeats/],
    [{ message: '(a{2}){3,}', as: 'permanent' }, /do not repeat a group that repeats/],
    [{ message: '(a\\)+)+', as: 'permanent' }, /do not repeat a group that repeats/],
    [{ message: '(?<x>a)\\k<x>', as: 'permanent' }, /do not refer back/],
    [{ message: 'x'.repeat(257), as: 'permanent' }, /rule 1: message is "x{80}"; keep the pattern under 256 characters/],
    [{ code: 'X', category: 'odd', as: 'permanent' }, /use one of network, timeout, rate_limit, /],
    ['no rule', /rule 1: rule is "no rule"; give an object with a condition and `as`/],
    [{ code: Object.create(null) as unknown, as: 'permanent' }, /rule 1: code is a value that cannot be displayed; give a string/],
    [{ code: '', as: 'permanent' }, /rule 1: code is ""; give a string/],
    [{ name: 7, as: 'permanent' }, /rule 1: name is 7/],
    [{ code: 'X', category: 'odd', as: 'permanent' }, /rule 1: category is "odd"; use one of network/],
    [{ message: '(', as: 'permanent' }, /rule 1: message is "\("; give a regular expression/],
    [{ message: '(a+)+$', as: 'permanent' }, /rule 1: message .* do not repeat a group that repeats/],
    [{ message: '(a)\\1', as: 'permanent' }, /rule 1: message .* do not refer back/],
    [{ message: 'x'.repeat(300), as: 'permanent' }, /rule 1: message .* under 256 characters/],
    [null, /rule 1: rule is null; give an object/],
  ])('%j', (rule, complaint) => {
    const rules = [{ status: 503, as: 'permanent' }, rule] as readonly ClassificationRule[];
    expect(() => compileRules(rules)).toThrow(TypeError);
    expect(() => compileRules(rules)).toThrow(complaint);
  });
});
