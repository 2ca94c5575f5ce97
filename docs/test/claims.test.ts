/** Each sentence of the first pages that denies something is listed, with a test that proves it, or as no claim about behaviour. */
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { claims, negativeSentences, type Proof } from './claims.ts';
import { allPages, root } from './pages.ts';

const pages = Object.keys(claims);

const texts = new Map<string, string>();
function textOf(file: string): string {
  const known = texts.get(file) ?? readFileSync(join(root, file), 'utf8');
  texts.set(file, known);
  return known;
}

/** A block on a page is a test too: it is compiled and run. Its name is one of its lines. */
function exists([file, name]: Proof): boolean {
  if (!existsSync(join(root, file))) return false;
  return file.endsWith('.md')
    ? [...textOf(file).matchAll(/^```ts\n([\s\S]*?)^```/gmu)].some(([, block = '']) => block.includes(name))
    : [`'${name.replaceAll("'", String.raw`\'`)}'`, `"${name}"`, `\`${name}\``].some((quoted) => textOf(file).includes(quoted));
}

test('the pages that are read first are covered', () => {
  const first = allPages.filter((page) => /^README\.md$|^docs\/(?:README|why|faq|comparison)\.md$|^docs\/(?:start|how-to)\//u.test(page));
  expect(first.filter((page) => !pages.includes(page))).toEqual([]);
});

test('finds what a sentence denies, outside of code', () => {
  expect(negativeSentences('docs/faq.md').some((sentence) => sentence.startsWith('No, except that an output'))).toBe(true);
  expect(negativeSentences('docs/faq.md').every((sentence) => !sentence.startsWith('See '))).toBe(true);
});

describe.each(pages)('%s', (page) => {
  const { proved, other } = claims[page] ?? { proved: {}, other: [] };
  const listed = [...Object.keys(proved), ...other];

  test('every sentence that denies something is listed', () => {
    expect(negativeSentences(page).filter((sentence) => !listed.includes(sentence))).toEqual([]);
  });

  test('every listed sentence is on the page', () => {
    const present = negativeSentences(page);
    expect(listed.filter((sentence) => !present.includes(sentence))).toEqual([]);
  });

  test('every claim has a test, and the test exists', () => {
    const missing = Object.entries(proved).filter(([, proofs]) => proofs.length === 0 || !proofs.every(exists));
    expect(missing).toEqual([]);
  });
});
