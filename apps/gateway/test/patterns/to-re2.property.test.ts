/** A pattern in the syntax of RE2 matches the same strings as in JavaScript. */
import fc from 'fast-check';
import { RE2JS } from 're2js';
import { expect, test } from 'vitest';
import { toRe2 } from '../../src/patterns/to-re2.ts';

const atoms = [
  'a',
  'b',
  'é',
  '😀',
  '.',
  '\\d',
  '\\D',
  '\\w',
  '\\W',
  '\\s',
  '\\S',
  '\\b',
  '\\.',
  '\\/',
  '\\-',
  '\\[',
  '\\u0061',
  '\\u{1F600}',
  '\\uD83D\\uDE00',
  '\\x41',
  '\\cJ',
  '\\0',
  '\\p{L}',
  '\\P{Lu}',
  '[abc]',
  '[^abc]',
  '[a-f]',
  '[\\s-]',
  '[^\\S]',
  '[\\S\\n]',
  '[\\w.-]',
  '[[]',
  '[\\]]',
  '[&&a]',
  '[~~]',
  '[\\b]',
  '[^]',
  '[]',
  '[\\d\\D]',
  '[é-ü]',
  '[\\u{1F600}-\\u{1F64F}]',
  '[:alpha:]',
  '[[:alpha:]',
  '-',
  ',',
  ' ',
  '_',
  '\\$',
  '\\^',
].map((text) => fc.constant(text));

const { pattern } = fc.letrec<{ pattern: string }>((tie) => ({
  pattern: fc.oneof(
    { maxDepth: 4 },
    ...atoms,
    fc.array(tie('pattern'), { minLength: 2, maxLength: 3 }).map((parts) => parts.join('')),
    fc.array(tie('pattern'), { minLength: 2, maxLength: 3 }).map((parts) => `(?:${parts.join('|')})`),
    fc
      .tuple(tie('pattern'), fc.constantFrom('*', '+', '?', '{2}', '{0,2}', '{1,}', '*?', '+?'))
      .map(([part, times]) => `(${part})${times}`),
    fc.tuple(tie('pattern'), fc.nat(1e6)).map(([part, id]) => `(?<name${id}>${part})`),
    tie('pattern').map((part) => `^${part}$`),
  ),
}));

const text = fc
  .array(
    fc.constantFrom(
      'a',
      'b',
      'A',
      'é',
      '😀',
      '1',
      '_',
      '-',
      '.',
      ' ',
      '\n',
      '\r',
      '\u2028',
      '\u00a0',
      '\ufeff',
      '\v',
      '\b',
      '\0',
      '[',
      ']',
      '&',
      '~',
      ':',
      '/',
      'l',
      'ü',
      '^',
      '$',
      ',',
    ),
    { maxLength: 8 },
  )
  .map((parts) => parts.join(''));

test('any pattern that is translated matches the same strings', () => {
  let translated = 0;
  fc.assert(
    fc.property(pattern, fc.array(text, { minLength: 4, maxLength: 8 }), (source, texts) => {
      let native: RegExp;
      try {
        native = new RegExp(source, 'u');
      } catch {
        return;
      }
      const other = toRe2(source);
      if (!other) return;
      translated += 1;
      const compiled = RE2JS.compile(other.source);
      for (const each of texts)
        expect([source, other.source, each, compiled.test(each)]).toEqual([source, other.source, each, native.test(each)]);
    }),
    { numRuns: 4_000 },
  );
  expect(translated).toBeGreaterThan(2_000);
});

test.each([
  '(?=a)b',
  'a(?!b)',
  '(?<=a)b',
  '(?<!a)b',
  '(a)\\1',
  '(?<x>a)\\k<x>',
  '(?i:a)',
  '\\p{Script=Greek}',
  '\\p{Letter}',
  '((a{30}){30}){30}',
])('%s is refused', (source) => expect(toRe2(source)).toBeUndefined());

test('the size grows with repetitions', () => {
  expect(toRe2('(?:ab){10}c')?.size).toBeGreaterThan(20);
  expect(toRe2('abc')?.size).toBe(3);
});
