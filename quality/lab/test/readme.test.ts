/** The README's table has the figures of docs/lab. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { normalize } from '../../../tools/docs/page.ts';
import { readmeWith } from '../src/readme.ts';

const read = (path: string): string => readFileSync(join(import.meta.dirname, '../../..', path), 'utf8');
const pageOf = (world: string): string => read(`docs/lab/${world}.md`);

test('the table in the README is what docs/lab gives', () => {
  expect(normalize(readmeWith(read('README.md'), pageOf))).toBe(normalize(read('README.md')));
});

test('a figure that changes on a page changes in the README', () => {
  const changed = (world: string): string => pageOf(world).replace(/(?<=\| cockatiel +\| +)[\d.]+/u, '12.3');
  expect(readmeWith(read('README.md'), changed).match(/\| 12\.3 % \|/gu)).toHaveLength(4);
});

test('a README without the markers and a page without the policy are refused', () => {
  expect(() => readmeWith('# Holdfast', pageOf)).toThrow('lab:begin');
  expect(() => readmeWith(read('README.md'), (world) => pageOf(world).replaceAll('cockatiel', 'other'))).toThrow(
    "docs/lab has no 'success %' of cockatiel.",
  );
});
