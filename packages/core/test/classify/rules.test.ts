import { describe, expect, it } from 'vitest';
import { classify, compileRules } from '../../src/classify/index.ts';
import type { ClassificationRule } from '../../src/classify/index.ts';
import { errorWith, wrapped } from './errors.ts';

const withRules = (error: unknown, ...rules: readonly ClassificationRule[]) =>
  classify(error, { nowEpochMs: 0, overrides: compileRules(rules) });

describe("a manifest's rules", () => {
  it('outrank everything (S1 1.5), also for a status that only the message names', () => {
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
  it('can make a permanent error wait as the server asked', () => {
    const error = errorWith({ status: 413, headers: { 'retry-after': '9' } });
    expect(withRules(error, { status: 413, as: 'transient' }).retryAfterMs).toBe(9000);
  });
  it('match nothing where the condition is nowhere', () => {
    expect(withRules(new Error('503 seats'), { code: '503', as: 'permanent' }).classification).toBe('transient');
  });
  it("do not make the caller's own abort a failure", () => {
    const overrides = compileRules([{ name: 'AbortError', as: 'permanent' }]);
    expect(classify(errorWith({}, 'x', 'AbortError'), { nowEpochMs: 0, overrides, callerAborted: true }).classification).toBe('neutral');
  });
});

describe('bad rules', () => {
  it.each<[unknown, RegExp]>([
    [{ as: 'permanent' }, /rule 1: rule is "without a condition"; give at least one of status, code, name, message/],
    [{ status: 503 }, /rule 1: as is undefined; say "transient" or "permanent"/],
    [{ status: 503, as: 'neutral' }, /rule 1: as is "neutral"/],
    [{ status: 42, as: 'permanent' }, /rule 1: status is 42; give whole numbers from 100 to 599/],
    [{ status: [], as: 'permanent' }, /rule 1: status is/],
    [{ status: '503', as: 'permanent' }, /rule 1: status is "503"/],
    [{ code: '', as: 'permanent' }, /rule 1: code is ""; give a text/],
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
