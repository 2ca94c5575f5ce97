/** The pages follow the style that CONTRIBUTING.md describes, as far as a program can tell. */
import { expect, test } from 'vitest';
import { allPages, read, rowsOf } from './pages.ts';

/** Printed from the results of runs, or dated records that stay as they were. */
const printed = /^docs\/(?:adapters\.md|conformance\.md|lab\/|decisions\/)|^CHANGELOG\.md$/u;

const phrases = rowsOf('CONTRIBUTING.md', 'Style').flatMap(([left = '']) => left.split(', '));
/** Without code, the addresses of links, and the list itself. */
const proseOf = (page: string): string =>
  read(page)
    .replace(/^A test searches the pages[\s\S]*?(?=^## )/mu, '')
    .replaceAll(/^```[\s\S]*?^```/gmu, '')
    .replaceAll(/^ {4}.*$/gmu, '')
    .replaceAll(/`[^`]*`/gu, 'code')
    .replaceAll(/\]\([^)]*\)/gu, ']');

const found = (text: string): readonly string[] =>
  phrases.filter((phrase) => new RegExp(`(?<![\\w-])${phrase}(?![\\w-])`, 'iu').test(text));

test('the list has phrases, and finds them', () => {
  expect(phrases.length).toBeGreaterThan(30);
  expect(found('Whoever mends it is told of the mending.')).toEqual(['mends', 'mending', 'is told', 'told of', 'whoever']);
});

test('no page has a phrase that the list replaces', () => {
  const pages = allPages.filter((page) => !printed.test(page));
  expect(pages.flatMap((page) => found(proseOf(page)).map((phrase) => `${page}: ${phrase}`))).toEqual([]);
});

/** The pages that are read first. */
const first = /^README\.md$|^docs\/(?:why|faq|README)\.md$|^docs\/(?:start|how-to)\//u;

test('sentences on the pages that are read first have at most 30 words', () => {
  const long = allPages
    .filter((page) => first.test(page))
    .flatMap((page) =>
      proseOf(page)
        .replaceAll(/^(?:\||#|<).*$/gmu, '\n')
        .split(/(?<=[.:;?!])\s|\n\s*\n|^- /mu)
        .filter((sentence) => sentence.trim().split(/\s+/u).length > 30)
        .map((sentence) => `${page}: ${sentence.trim()}`),
    );
  expect(long).toEqual([]);
});
