import { describe, expect, it } from 'vitest';
import type { ValidationIssue } from '../../../src/engine/schema/issue.ts';
import type { StandardIssue, StandardSchema } from '../../../src/engine/schema/standard-schema.ts';
import { isStandardSchema } from '../../../src/engine/schema/standard-schema.ts';
import { createValidator, describeIssues } from '../../../src/engine/schema/validator.ts';

/** A schema that reports these issues for every value. */
const finding = (...issues: readonly StandardIssue[]): StandardSchema => ({
  '~standard': { version: 1, vendor: 'test', validate: () => ({ issues }) },
});
const issuesOf = async (value: unknown, ...issues: readonly StandardIssue[]): Promise<readonly ValidationIssue[]> => {
  const validation = await createValidator(finding(...issues), undefined)(value);
  return validation.ok === false ? validation.issues : [];
};

describe('a Standard Schema', () => {
  it('may be an object or a function, and is recognized by its mark', () => {
    const callable = Object.assign(() => undefined, finding());
    expect([finding(), callable, { type: 'object' }].map(isStandardSchema)).toEqual([true, true, false]);
  });

  it('may be asynchronous', async () => {
    const schema: StandardSchema = {
      '~standard': { version: 1, vendor: 'test', validate: (value) => Promise.resolve({ value: [value] }) },
    };
    expect(await createValidator(schema, undefined)(7)).toEqual({ ok: true, value: [7] });
  });

  it.each<readonly [string, () => never | Promise<never>]>([
    [
      'throws',
      () => {
        throw new TypeError('broken');
      },
    ],
    ['rejects', () => Promise.reject(new TypeError('broken'))],
  ])('that %s has checked nothing', async (_name, validate) => {
    const schema: StandardSchema = { '~standard': { version: 1, vendor: 'test', validate } };
    expect(await createValidator(schema, undefined)(7)).toMatchObject({ ok: 'unchecked', error: { message: 'broken' } });
  });
});

describe('a JSON Schema', () => {
  it('passes the value on unchanged', () => {
    const value = { a: 1 };
    const validation = createValidator({ type: 'object' }, undefined)(value);
    expect(validation).toEqual({ ok: true, value });
    expect(createValidator({ type: 'object' }, () => () => [])(value)).toEqual({ ok: true, value });
  });

  it('checked later, or not at all, is unchecked', async () => {
    const later = createValidator({}, () => () => Promise.reject(new Error('nobody waits for this')) as never);
    expect(await later(7)).toMatchObject({
      ok: 'unchecked',
      error: { message: 'the JSON Schema compiler returned an asynchronous check; make it synchronous' },
    });
  });
});

describe('an issue', () => {
  it('has a path of keys and numbers, in any notation of the schema', async () => {
    const path = ['legs', { key: 1 }, { key: 'price' }, Symbol('unit')];
    expect(await issuesOf({ legs: [] }, { message: 'wrong', path })).toEqual([
      { path: ['legs', 1, 'price', 'Symbol(unit)'], message: 'wrong' },
    ]);
  });

  it.each<readonly [string, unknown, StandardIssue['path'], boolean]>([
    ['a missing value', {}, ['symbol'], true],
    ['an existing value', { symbol: 7 }, ['symbol'], false],
    ['a value that is null', { symbol: null }, ['symbol'], false],
    ['a path in nothing', { leg: null }, ['leg', 'symbol'], false],
    ['a path in a string', { leg: 'text' }, ['leg', 'symbol'], false],
    ['a path in a missing value', {}, ['leg', 'symbol'], false],
    ['the whole value', undefined, [], false],
    ['the whole value, without a path', undefined, undefined, false],
  ])('of %s: missing or wrong', async (_name, value, path, missing) => {
    const [issue] = await issuesOf(value, { message: 'wrong', ...(path === undefined ? {} : { path }) });
    expect(issue?.missing ?? false).toBe(missing);
    expect(issue?.path).toEqual(path ?? []);
  });

  it('is one of at most fifty', async () => {
    const many = Array.from({ length: 60 }, (_, index) => ({ message: `wrong ${index}` }));
    const issues = await issuesOf({}, ...many);
    expect([issues.length, issues[49]?.message]).toEqual([50, 'wrong 49']);
  });
});

describe('texts', () => {
  const wrong = (count: number): readonly ValidationIssue[] =>
    Array.from({ length: count }, (_, index) => ({ path: ['legs', index], message: 'wrong' }));

  it('contain five issues, and the number of further ones', () => {
    expect(describeIssues(wrong(5), {}, 'parameter')).toEqual([0, 1, 2, 3, 4].map((index) => `Parameter 'legs.${index}': wrong`));
    expect(describeIssues(wrong(8), {}, 'parameter').slice(5)).toEqual(['and 3 more']);
  });

  it('call a field of the output a field', () => {
    expect(describeIssues([{ path: ['price'], message: 'wrong' }], {}, 'field')).toEqual(["Field 'price': wrong"]);
  });

  const missing = (...path: readonly string[]): ValidationIssue => ({ path, message: 'required', missing: true });

  it('suggest a similar name that was sent, at any level', () => {
    expect(describeIssues([missing('leg', 'symbol')], { leg: { symbl: 1 } }, 'parameter')).toEqual([
      "Required parameter 'leg.symbol' missing (you sent 'symbl')",
    ]);
  });

  it('do not suggest a name that is itself required and missing', () => {
    const value = { leg: { side1: undefined, side2: undefined } };
    expect(describeIssues([missing('leg', 'side1'), missing('leg', 'side2')], value, 'parameter')).toEqual([
      "Required parameter 'leg.side1' missing",
      "Required parameter 'leg.side2' missing",
    ]);
  });

  it('may suggest a name that has its own issue', () => {
    const issues = [missing('symbol'), { path: ['symbl'], message: 'unknown name' }];
    expect(describeIssues(issues, { symbl: 1 }, 'parameter')[0]).toBe("Required parameter 'symbol' missing (you sent 'symbl')");
  });

  it.each([null, 'text', undefined])('have no suggestion for %j', (leg) => {
    expect(describeIssues([missing('leg', 'symbol')], { leg }, 'parameter')).toEqual(["Required parameter 'leg.symbol' missing"]);
  });

  it('suggest only strings', () => {
    const issue: ValidationIssue = { path: ['side'], message: 'wrong', allowed: ['buy', 'sell', 10] };
    expect(describeIssues([issue], { side: 'by' }, 'parameter')).toEqual(["Parameter 'side': wrong (did you mean 'buy'?)"]);
    expect(describeIssues([issue], { side: 11 }, 'parameter')).toEqual(["Parameter 'side': wrong"]);
  });
});
