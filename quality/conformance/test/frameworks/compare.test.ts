/** What counts as a difference, and what differences have in common. */
import { describe, expect, test } from 'vitest';
import { compare, familyOf, groups } from '../../frameworks/compare.ts';
import type { SuiteResults, TestResult } from '../../frameworks/run-suite.ts';

const results = (given: Readonly<Record<string, TestResult['state'] | TestResult>>): SuiteResults =>
  new Map(Object.entries(given).map(([test, result]) => [test, typeof result === 'string' ? { state: result } : result]));

describe('differences', () => {
  test('are tests that end otherwise, that are new or that are missing', () => {
    const bare = results({
      same: 'passed',
      worse: 'passed',
      better: { state: 'failed', error: 'was wrong' },
      gone: 'passed',
      both: 'failed',
    });
    const wrapped = results({
      same: 'passed',
      worse: { state: 'failed', error: 'is wrong' },
      better: 'passed',
      both: 'failed',
      fresh: 'hung',
    });
    expect(compare(bare, wrapped)).toEqual([
      { test: 'worse', bare: 'passed', wrapped: 'failed', error: 'is wrong' },
      { test: 'better', bare: 'failed', wrapped: 'passed', error: 'was wrong' },
      { test: 'gone', bare: 'passed', wrapped: 'absent' },
      { test: 'fresh', bare: 'absent', wrapped: 'hung' },
    ]);
  });

  test('are left out where a control without Holdfast differs as well', () => {
    const bare = results({ a: 'passed', b: 'passed' });
    const wrapped = results({ a: 'failed', b: 'failed' });
    expect(compare(bare, wrapped, results({ a: 'failed', b: 'passed' })).map(({ test }) => test)).toEqual(['b']);
  });
});

describe('families', () => {
  const failed = (test: string, error: string) => ({ test, bare: 'passed', wrapped: 'failed', error }) as const;

  test('ignore names, numbers and all lines but the first', () => {
    expect(familyOf(failed('a', `expected "spy" to be called 3 times\nwith 'x'`))).toBe('passed → failed: expected … to be called n times');
  });

  test('are printed with the largest first', () => {
    const found = groups([failed('a', 'one 1'), failed('b', 'two'), failed('c', 'one 2')]);
    expect(found.map(({ family, differences }) => [family, differences.length])).toEqual([
      ['passed → failed: one n', 2],
      ['passed → failed: two', 1],
    ]);
  });
});
