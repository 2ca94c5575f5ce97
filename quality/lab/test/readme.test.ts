/** The README's table has the figures of docs/lab and docs/conformance.md. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { normalize } from '../../../tools/docs/page.ts';
import { readmeWith } from '../src/readme.ts';

const read = (path: string): string => readFileSync(join(import.meta.dirname, '../../..', path), 'utf8');
const pageOf = (world: string): string => read(`docs/lab/${world}.md`);
const sources = { pageOf, conformance: read('docs/conformance.md') };

test('the table in the README is what docs/lab and docs/conformance.md give (npm run docs)', () => {
  expect(normalize(read('README.md'))).toBe(normalize(readmeWith(read('README.md'), sources)));
});

test('a figure that changes on a page changes in the README', () => {
  const changed = (world: string): string => pageOf(world).replace(/(?<=\| cockatiel +\| +)[\d.]+/u, '12.3');
  expect(readmeWith(read('README.md'), { ...sources, pageOf: changed }).match(/12\.3 % · /gu)).toHaveLength(4);
  const conformance = sources.conformance.replace('| 11 of 23', '| 12 of 23');
  expect(readmeWith(read('README.md'), { ...sources, conformance })).toContain('12 of 23');
});

test('a README without the markers and a page without the policy are refused', () => {
  expect(() => readmeWith('# Holdfast', sources)).toThrow('lab:begin');
  const without = { ...sources, pageOf: (world: string) => pageOf(world).replaceAll('cockatiel', 'other') };
  expect(() => readmeWith(read('README.md'), without)).toThrow("docs/lab has no 'success %' of cockatiel.");
  expect(() => readmeWith(read('README.md'), { ...sources, conformance: '' })).toThrow('docs/conformance.md has no total of Holdfast.');
});
