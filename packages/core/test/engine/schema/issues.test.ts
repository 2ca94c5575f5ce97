import { describe, expect, it } from 'vitest';
import type { ValidationIssue } from '../../../src/engine/schema/issue.ts';
import type { StandardIssue, StandardSchema } from '../../../src/engine/schema/standard-schema.ts';
import { isStandardSchema } from '../../../src/engine/schema/standard-schema.ts';
import { createValidator, describeIssues } from '../../../src/engine/schema/validator.ts';

/** A schema that finds these issues in everything. */
const finding = (...issues: readonly StandardIssue[]): StandardSchema => ({
  '~standard': { version: 1, vendor: 'test', validate: () => ({ issues }) },
});
const issuesOf = async (value: unknown, ...issues: readonly StandardIssue[]): Promise<readonly ValidationIssue[]> => {
  const validation = await createValidator(finding(...issues), undefined)(value);
  return validation.ok === false ? validation.issues : [];
};

describe('a Standard Schema', () => {
  it('may be an object or a function, and is known by its mark', () => {
    const callable = Object.assign(() => undefined, finding());
    expect([finding(), callable, { type: 'object' }].map(isStandardSchema)).toEqual([true, true, false]);
  });

  it('may answer later', async () => {
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

  it('checked later, or not at all, is not checked', async () => {
    const later = createValidator({}, () => () => Promise.reject(new Error('nobody waits for this')) as never);
    expect(await later(7)).toMatchObject({
      ok: 'unchecked',
      error: { message: 'the JSON Schema compiler returned an asynchronous check; make it synchronous' },
    });
  });
});

describe('an issue', () => {
  it('names its place by keys and by numbers, however the schema writes them', async () => {
    const path = ['legs', { key: 1 }, { key: 'price' }, Symbol('unit')];
    expect(await issuesOf({ legs: [] }, { message: 'wrong', path })).toEqual([
      { path: ['legs', 1, 'price', 'Symbol(unit)'], message: 'wrong' },
    ]);
  });

  it.each<readonly [string, unknown, StandardIssue['path'], boolean]>([
    ['a value that is not there', {}, ['symbol'], true],
    ['a value that is there', { symbol: 7 }, ['symbol'], false],
    ['a value that is null', { symbol: null }, ['symbol'], false],
    ['a place in nothing', { leg: null }, ['leg', 'symbol'], false],
    ['a place in a string', { leg: 'text' }, ['leg', 'symbol'], false],
    ['a place in what is not there', {}, ['leg', 'symbol'], false],
    ['the whole', undefined, [], false],
    ['the whole, without a path', undefined, undefined, false],
  ])('of %s: missing or wrong', async (_name, value, path, missing) => {
    const [issue] = await issuesOf(value, { message: 'wrong', ...(path === undefined ? {} : { path }) });
    expect(issue?.missing ?? false).toBe(missing);
    expect(issue?.path).toEqual(path ?? []);
  });

  it('is one of fifty at most', async () => {
    const many = Array.from({ length: 60 }, (_, index) => ({ message: `wrong ${index}` }));
    const issues = await issuesOf({}, ...many);
    expect([issues.length, issues[49]?.message]).toEqual([50, 'wrong 49']);
  });
});

describe('in words', () => {
  const wrong = (count: number): readonly ValidationIssue[] =>
    Array.from({ length: count }, (_, index) => ({ path: ['legs', index], message: 'wrong' }));

  it('five are said, and how many there are beyond them', () => {
    expect(describeIssues(wrong(5), {}, 'parameter')).toEqual([0, 1, 2, 3, 4].map((index) => `Parameter 'legs.${index}': wrong`));
    expect(describeIssues(wrong(8), {}, 'parameter').slice(5)).toEqual(['and 3 more']);
  });

  it('a field is called a field', () => {
    expect(describeIssues([{ path: ['price'], message: 'wrong' }], {}, 'field')).toEqual(["Field 'price': wrong"]);
  });

  const missing = (...path: readonly string[]): ValidationIssue => ({ path, message: 'required', missing: true });

  it('a name that was sent instead is said, wherever it is', () => {
    expect(describeIssues([missing('leg', 'symbol')], { leg: { symbl: 1 } }, 'parameter')).toEqual([
      "Required parameter 'leg.symbol' missing (you sent 'symbl')",
    ]);
  });

  it('a name that is itself missing was not sent instead', () => {
    const value = { leg: { side1: undefined, side2: undefined } };
    expect(describeIssues([missing('leg', 'side1'), missing('leg', 'side2')], value, 'parameter')).toEqual([
      "Required parameter 'leg.side1' missing",
      "Required parameter 'leg.side2' missing",
    ]);
  });

  it('a name that has an issue of its own may have been sent instead', () => {
    const issues = [missing('symbol'), { path: ['symbl'], message: 'unknown name' }];
    expect(describeIssues(issues, { symbl: 1 }, 'parameter')[0]).toBe("Required parameter 'symbol' missing (you sent 'symbl')");
  });

  it.each([null, 'text', undefined])('nothing was sent instead where there is %j', (leg) => {
    expect(describeIssues([missing('leg', 'symbol')], { leg }, 'parameter')).toEqual(["Required parameter 'leg.symbol' missing"]);
  });

  it('a guess is made for texts alone', () => {
    const issue: ValidationIssue = { path: ['side'], message: 'wrong', allowed: ['buy', 'sell', 10] };
    expect(describeIssues([issue], { side: 'by' }, 'parameter')).toEqual(["Parameter 'side': wrong (did you mean 'buy'?)"]);
    expect(describeIssues([issue], { side: 11 }, 'parameter')).toEqual(["Parameter 'side': wrong"]);
  });
});
