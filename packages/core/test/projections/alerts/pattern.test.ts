import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { compilePattern } from '../../../src/projections/alerts/pattern.ts';

describe('a pattern', () => {
  it.each([
    ['search', 'search', 'searches'],
    ['search.*', 'searches', 'research'],
    ['^search$', 'search', 'a search'],
    ['search|book', 'book', 'searchbook'],
    ['(search|book)_v[12]', 'book_v2', 'book_v3'],
    ['(?:a|b)+', 'abba', ''],
    ['a{2,3}', 'aaa', 'aaaa'],
    ['a{2}', 'aa', 'a'],
    ['a{2,}', 'aaaa', 'a'],
    ['a{0}', '', 'a'],
    ['[^a-c]x?', 'dx', 'a'],
    ['[]a]', ']', 'b'],
    ['[a-]', '-', 'b'],
    ['\\d+\\.\\w\\S', '12.a!', '12xa!'],
    ['[\\d-]+', '1-2', 'a'],
    ['a.c', 'a😀c', 'a\nc'],
    ['a+?b*?', 'aab', 'b'],
    ['', '', 'a'],
    ['a\\$', 'a$', 'a'],
  ])('%s matches %j and not %j', (pattern, yes, no) => {
    const matches = compilePattern(pattern);
    expect([matches(yes), matches(no)]).toEqual([true, false]);
  });

  it.each([
    ['(a', 'does not close a group'],
    ['a)', 'closes a group that was not opened'],
    ['[a', 'ends too early'],
    ['*a', 'nothing before "*"'],
    ['a**', 'repeats a repetition'],
    ['(?=a)b', 'group of a kind'],
    ['(a)\\1', '"\\1", which is not understood'],
    ['\\bword', '"\\b", which is not understood'],
    ['a^b', 'has "^" inside'],
    ['[b-a]', 'range that goes backwards'],
    ['a{3,2}', 'repetition count that is too large'],
    ['a{2000}', 'repetition count that is too large'],
    ['((a{100}){100}){100}', 'too many states'],
    ['('.repeat(40) + ')'.repeat(40), 'nests groups too deeply'],
    ['a'.repeat(257), 'at most 256'],
  ])('%s is rejected', (pattern, why) => {
    expect(() => compilePattern(pattern)).toThrow(RangeError);
    expect(() => compilePattern(pattern)).toThrow(why);
  });

  it('agrees with JavaScript regular expressions', () => {
    const atom = fc.constantFrom('a', 'b', '.', '[ab]', '[^a]', '(a|b)', '(?:ab|c)', '\\d');
    const piece = fc.tuple(atom, fc.constantFrom('', '*', '+', '?', '{2}', '{1,2}')).map((parts) => parts.join(''));
    const pattern = fc
      .array(
        fc.array(piece, { maxLength: 4 }).map((parts) => parts.join('')),
        { minLength: 1, maxLength: 3 },
      )
      .map((parts) => parts.join('|'));
    fc.assert(
      fc.property(pattern, fc.string({ unit: fc.constantFrom('a', 'b', 'c', '1'), maxLength: 6 }), (source, text) => {
        expect(compilePattern(source)(text)).toBe(new RegExp(`^(?:${source})$`, 'v').test(text));
      }),
      { numRuns: 500 },
    );
  });

  it('compiles at once when it repeats an empty group very often', () => {
    const started = performance.now();
    const test = compilePattern('(((((){1000}){1000}){1000}){1000}){1000}');
    expect([test(''), test('a')]).toEqual([true, false]);
    expect(performance.now() - started).toBeLessThan(1_000);
  });

  it('takes time linear in the text where backtracking would never end', () => {
    const text = 'a'.repeat(5_000);
    for (const pattern of ['(a*)*b', '(a|a)*b', '(a|aa)+b', '.*.*.*.*.*.*.*.*.*.*x', `${'(a?){1,9}'.repeat(20)}b`])
      expect(compilePattern(pattern)(text)).toBe(false);
  });
});
