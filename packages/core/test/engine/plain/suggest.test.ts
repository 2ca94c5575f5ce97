import fc from 'fast-check';
import { expect, test } from 'vitest';
import { editDistance, fieldNamedElsewhere, suggest, suggestField } from '../../../src/engine/plain/suggest.ts';

const keys = ['max_attempts', 'max_delay_ms', 'multiplier', 'jitter', 'jitter_percent', 'strategy', 'timeout_ms'];

test.each([
  ['max_atempts', 'max_attempts'],
  ['maxAttempts', 'max_attempts'],
  ['MAX-ATTEMPTS', 'max_attempts'],
  ['timout_ms', 'timeout_ms'],
  ['tiemout_ms', 'timeout_ms'],
  ['jiter', 'jitter'],
  ['stratgey', 'strategy'],
  ['multiplyer', 'multiplier'],
  ['unrelated', undefined],
  ['x', undefined],
  ['', undefined],
] as const)('%s → %s', (word, expected) => {
  expect(suggest(word, keys)).toBe(expected);
});

test('never suggests the word itself, and of equal distances the first', () => {
  expect(suggest('jitter', ['jitter'])).toBeUndefined();
  expect(suggest('bat', ['cat', 'rat'])).toBe('cat');
});

test('does not suggest an entirely different word for a short one', () => {
  expect(suggest('a', ['b', 'c'])).toBeUndefined();
  expect(suggest('id', ['if', 'of'])).toBe('if');
  expect(suggest('a', ['ab'])).toBeUndefined();
});

// One typo is allowed, two from six letters on, three from eleven on.
test.each([
  ['abcde', 'abcdX', true],
  ['abcde', 'abcXX', false],
  ['abcdef', 'abcdXX', true],
  ['abcdef', 'abcXXX', false],
  ['abcdefghij', 'abcdefgXXX', false],
  ['abcdefghijk', 'abcdefghXXX', true],
  ['abcdefghijk', 'abcdefgXXXX', false],
  // The longer of the two words counts.
  ['abcde', 'abcdefg', true],
  ['abcdefg', 'abcde', true],
] as const)('%s and %s: near is %s', (word, candidate, near) => {
  expect(suggest(word, [candidate])).toBe(near ? candidate : undefined);
});

test('ignores case', () => {
  expect(suggest('STRASSE', ['strasse'])).toBe('strasse');
});

test('suggests for words of up to 64 characters', () => {
  const word = 'a'.repeat(64);
  expect(suggest(`${word.slice(1)}b`, [word])).toBe(word);
  expect(suggest(`${word}a`, [word])).toBeUndefined();
  expect(suggest(word, [`${word}a`])).toBeUndefined();
});

test('is fast for very long words', () => {
  expect(suggest('a'.repeat(1_000_000), ['b'.repeat(1_000_000)])).toBeUndefined();
  expect(suggest('aaaa', ['a'.repeat(1_000_000)])).toBeUndefined();
});

test('distance: known values', () => {
  expect(editDistance('kitten', 'sitting')).toBe(3);
  expect(editDistance('ab', 'ba')).toBe(1);
  expect(editDistance('ca', 'abc')).toBe(3);
  expect(editDistance('xab', 'xba')).toBe(1);
  expect(editDistance('abcd', 'badc')).toBe(2);
  expect(editDistance('', 'abc')).toBe(3);
});

const words = fc.string({ maxLength: 12 });

test('distance is symmetric, zero only for equals, and bounded by the longer word', () => {
  fc.assert(
    fc.property(words, words, (first, second) => {
      const distance = editDistance(first, second);
      expect(distance).toBe(editDistance(second, first));
      expect(distance === 0).toBe(first === second);
      expect(distance).toBeLessThanOrEqual(Math.max(first.length, second.length));
    }),
  );
});

test('a typo in a word of four letters or more is recognized', () => {
  const slip = fc
    .tuple(fc.stringMatching(/^[a-z]{4,20}$/), fc.nat(), fc.constantFrom('drop', 'double', 'replace'))
    .map(([word, place, kind]) => {
      const at = place % word.length;
      const middle = kind === 'drop' ? '' : kind === 'double' ? `${word[at]}${word[at]}` : '#';
      return [word, word.slice(0, at) + middle + word.slice(at + 1)] as const;
    });
  fc.assert(
    fc.property(slip, ([word, misspelt]) => {
      expect(suggest(misspelt, [word])).toBe(word);
    }),
  );
});

test('the work is bounded: of very many candidates, the first thousands are compared', () => {
  const many = Array.from({ length: 200_000 }, (_, index) => `candidate_number_${index}`);
  expect(suggest('timeout_m', ['timeout_ms', ...many])).toBe('timeout_ms');
  expect(suggest('timeout_m', [...many, 'timeout_ms'])).toBeUndefined();
});

test.each([
  ['retries', ['retry', 'maxAttempts'], 'retry'],
  ['retries', ['maxAttempts', 'jitter'], 'maxAttempts'],
  ['resetTimeout', ['failureThreshold', 'openMs'], 'openMs'],
  ['reset_timeout', ['openMs'], 'openMs'],
  ['RESET-TIMEOUT', ['openMs'], 'openMs'],
  ['id', ['toolName', 'turnId'], 'turnId'],
  ['maxAttemps', ['maxAttempts'], undefined],
  ['constructor', ['toString', 'openMs'], undefined],
] as const)('%s is the name of another library for one of %j: %s', (name, fields, expected) => {
  expect(fieldNamedElsewhere(name, fields)).toBe(expected);
});

test('a field is suggested by the names of others first, then by its own', () => {
  expect(suggestField('timeout', ['openMs', 'timeoutMs'])).toBe('timeoutMs');
  expect(suggestField('maxAttemps', ['maxAttempts'])).toBe('maxAttempts');
  expect(suggestField('unrelated', ['maxAttempts'])).toBeUndefined();
});
