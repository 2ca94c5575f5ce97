import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { templateFit } from '../../src/relay/template.ts';

describe('templateFit', () => {
  test.each([
    ['file:///{path}', 'file:///a', 8],
    ['file:///{+path}', 'file:///a/b/c', 8],
    ['{+all}', 'x://y', 0],
    ['db://{table}/rows/{id}', 'db://users/rows/7', 11],
    ['db://{table}/rows/{id}{?page,size}', 'db://users/rows/7?page=1', 11],
    ['db://{table}/rows/{id}.json', 'db://users/rows/7.json', 16],
    ['plain://x', 'plain://x', 9],
  ])('%s has %s', (template, uri, fit) => {
    expect(templateFit(template, uri)).toBe(fit);
  });

  test.each([
    ['file:///{path}', 'http://a'],
    ['db://{table}/rows/{id}', 'db://users/columns/7'],
    ['db://{id}.json', 'db://7.yaml'],
    ['ab{x}ba', 'aba'],
    ['a{x}b{y}b', 'ab'],
    ['plain://x', 'plain://y'],
    [`${'{a}'.repeat(3000)}`, 'x'],
  ])('%s does not have %s', (template, uri) => {
    expect(templateFit(template, uri)).toBeUndefined();
  });

  test('any values of the expressions match', () => {
    const part = fc.string({ maxLength: 6 }).map((text) => text.replaceAll(/[{}]/g, ''));
    fc.assert(
      fc.property(fc.array(fc.tuple(part, part), { minLength: 1, maxLength: 6 }), part, (pairs, last) => {
        const template = pairs.map(([literal]) => `${literal}{x}`).join('') + last;
        const uri = pairs.map(([literal, value]) => literal + value).join('') + last;
        expect(templateFit(template, uri)).toBeTypeOf('number');
      }),
    );
  });

  test('takes linear time for malicious templates', () => {
    const begin = performance.now();
    templateFit('{+a}a'.repeat(800), `${'a'.repeat(1_000_000)}b`);
    expect(performance.now() - begin).toBeLessThan(2_000);
  });
});
