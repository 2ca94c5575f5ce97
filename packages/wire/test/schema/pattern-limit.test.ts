/** Patterns that JavaScript's engine may need years for are not tried on strings that are long enough for it. */
import { compileLenientSchema } from '@holdfast/wire';
import { describe, expect, test } from 'vitest';
import { lengthLimit } from '../../src/schema/pattern-limit.ts';

test.each([
  '^\\d{4}-\\d{2}-\\d{2}$',
  '^[A-Za-z0-9_-]{1,64}$',
  '\\S',
  '^projects/[^/]+/locations/[^/]+$',
  '^arn:aws:[a-z0-9-]+:[a-z0-9-]*:\\d{12}:.+$',
  '^[0-9a-f]{8}-[0-9a-f]{4}-[1-5][0-9a-f]{3}$',
])('%s takes linear time', (pattern) => expect(lengthLimit(pattern)).toBe(Infinity));

test.each([
  ['^[^@\\s]+@[^@\\s]+\\.[^@\\s]+$', 1000],
  ['^[a-z0-9]+(?:-[a-z0-9]+)*$', 150],
  ['^(?:[a-z]+\\.)*[a-z]+$', 1000],
  ['^(?:[^"\\\\]|\\\\.)*$', 1000],
  ['^(?=.*[A-Z])(?=.*\\d).{8,}$', 150],
  ['^(?<word>\\w+)-\\k<word>$', 60],
])('%s is tried on usual lengths', (pattern, least) => expect(lengthLimit(pattern)).toBeGreaterThan(least));

test.each([
  '^(a+)+$',
  '^(a|a)*$',
  '^(\\w+\\s?)*$',
  '(x+x+)+y',
  '(.*)*x',
  '^(a?){20}a{20}$',
  '^(([a-z])+.)+[A-Z]([a-z])+$',
  '(?:-a*a*)*x',
  '(?i:a+b)+c',
  `${'('.repeat(3000)}a${')'.repeat(3000)}`,
])('%s only on a few characters', (pattern) => expect(lengthLimit(pattern)).toBeLessThan(20));

describe('a schema', () => {
  const long = `${'a'.repeat(40)}!`;
  const schema = { type: 'object', properties: { a: { type: 'string', pattern: '^(a+)+$' } } } as const;

  test('is checked at once, whatever its pattern, and what cannot be checked passes', () => {
    const check = compileLenientSchema(schema);
    expect(check({ a: long })).toEqual([]);
    expect(check({ a: 'aaa' })).toEqual([]);
    expect(check({ a: 'ab' })).toMatchObject([{ path: ['a'], keyword: 'pattern', expected: 'a string that matches /^(a+)+$/' }]);
    expect(check.warnings).toEqual([]);
  });

  test('with such a pattern for names: nothing is rejected because of it', () => {
    const check = compileLenientSchema({
      type: 'object',
      properties: { b: { type: 'string' } },
      patternProperties: { '^(a+)+$': { type: 'number' } },
      additionalProperties: false,
    });
    expect(check({ b: 'x', aa: 1 })).toEqual([]);
    expect(check({ aa: 'x' })).toHaveLength(1);
    expect(check({ ab: 1 })).toHaveLength(1);
    expect(check({ [long]: 1 })).toEqual([]);
  });

  test('a maximum length does not replace the condition: the validator checks both', () => {
    const check = compileLenientSchema({ type: 'string', maxLength: 5, pattern: '^(a+)+$' });
    expect(check('aaab')).toHaveLength(1);
    expect(check(long)).toHaveLength(1);
  });

  test('other conditions stay', () => {
    const check = compileLenientSchema({ type: 'string', pattern: '(a|a)*$', allOf: [{ minLength: 2 }] });
    expect(check('a')).toHaveLength(1);
    expect(check('aa')).toEqual([]);
  });
});
