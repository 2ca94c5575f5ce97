/** Owns what the pages say that the code does not do: which sentences these are, and which test proves each of them. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { read } from './pages.ts';

/** A test by its file and its name. */
export type Proof = readonly [file: string, name: string];

interface PageClaims {
  /** Sentences about behaviour, with the tests that prove them. */
  readonly proved: Readonly<Record<string, readonly Proof[]>>;
  /** Sentences with a negative word that promise nothing about behaviour: advice, conditions, the world outside. */
  readonly other: readonly string[];
}

export const claims = JSON.parse(readFileSync(join(import.meta.dirname, 'claims.json'), 'utf8')) as Readonly<Record<string, PageClaims>>;

const negative = /\b(?:never|not|no|cannot|only|at most|nothing|neither|nor|none|without)\b|n't\b/iu;

/** Without blocks of code, figures that runs write, and the addresses of links. */
const proseOf = (page: string): string =>
  read(page)
    .replaceAll(/^```[\s\S]*?^```/gmu, '')
    .replaceAll(/<!-- lab:begin -->[\s\S]*?<!-- lab:end -->/gu, '')
    .replaceAll(/^(?: {4}|#|\|[\s|:-]+$|<).*$/gmu, '')
    .replaceAll(/\[([^\][]*)\]\([^)]*\)/gu, '$1');

/** A line, an entry of a list or a cell of a table, in sentences. */
const sentencesOf = (line: string): readonly string[] =>
  line
    .split(line.startsWith('|') ? /(?<!\\)\|/u : /^- |^\d+\. /u)
    .flatMap((part) => part.split(/(?<=[.?!]\**)\s+(?=["*`A-Z])/u))
    .map((sentence) => sentence.trim());

/** The sentences of a page that deny something. Words between code ticks do not count. */
export const negativeSentences = (page: string): readonly string[] => [
  ...new Set(
    proseOf(page)
      .split('\n')
      .flatMap(sentencesOf)
      .filter((sentence) => negative.test(sentence.replaceAll(/`[^`]*`/gu, 'code'))),
  ),
];
