/** Writes Stryker's results into the table of docs/quality.md; a folder without a report keeps its row. */
import { existsSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { folders } from './folders.ts';

interface Mutant {
  readonly mutatorName: string;
  readonly status: string;
}

interface Report {
  readonly files: Readonly<Record<string, { readonly mutants: readonly Mutant[] }>>;
}

const page = 'docs/quality.md';
const start = '<!-- mutation table: written by npm run mutation -->';
const end = '<!-- end of the mutation table -->';
const head = [
  '| Folder | Mutants | Killed | Timeout | Survived | Not reached | Texts of these | Score | At load | Day |',
  '| --- | --: | --: | --: | --: | --: | --: | --: | --: | --- |',
];

/** The data of a folder's row: killed, timed out, survived, not reached, strings among the last two, not run because computed at load. */
type Counts = readonly [number, number, number, number, number, number];

const row = (name: string, counts: Counts, day: string): string => {
  const [killed, late, survived, unreached, texts, atLoad] = counts;
  const mutants = killed + late + survived + unreached;
  const score = mutants === 0 ? '–' : `${((100 * (killed + late)) / mutants).toFixed(1)} %`;
  return `| ${[name, mutants, killed, late, survived, unreached, texts, score, atLoad, day].join(' | ')} |`;
};

/** Mutants that broke the test run itself are not counted, as in Stryker's own score. */
const countsOf = (mutants: readonly Mutant[]): Counts => {
  const count = (...statuses: readonly string[]): number => mutants.filter(({ status }) => statuses.includes(status)).length;
  const texts = mutants.filter(({ mutatorName, status }) => mutatorName === 'StringLiteral' && /^(?:Survived|NoCoverage)$/.test(status));
  return [count('Killed'), count('Timeout'), count('Survived'), count('NoCoverage'), texts.length, count('Ignored')];
};

/** Parses a row: the other columns are computed from these. */
const countsIn = (line: string): Counts => {
  const cells = line.split('|').map((cell) => Number(cell.trim()));
  const at = (column: number): number => cells[column] ?? 0;
  return [at(3), at(4), at(5), at(6), at(7), at(9)];
};

const mutantsIn = (file: string): readonly Mutant[] =>
  Object.values((JSON.parse(readFileSync(file, 'utf8')) as Report).files).flatMap(({ mutants }) => mutants);

const keptRow = (table: string, name: string): readonly string[] => table.split('\n').filter((line) => line.split('|')[1]?.trim() === name);

export const writeTable = (root: string): void => {
  const path = join(root, page);
  const text = readFileSync(path, 'utf8');
  const from = text.indexOf(start);
  const to = text.indexOf(end);
  if (from < 0 || to < from) throw new TypeError(`${page} has no place for the table: it needs the lines ${start} and ${end}`);
  const rows = Object.keys(folders).flatMap((name) => {
    const file = join(root, `reports/mutation/${name}/mutation.json`);
    if (!existsSync(file)) return keptRow(text.slice(from, to), name);
    return [row(name, countsOf(mutantsIn(file)), statSync(file).mtime.toISOString().slice(0, 10))];
  });
  const total = rows
    .map(countsIn)
    .reduce<Counts>(([a, b, c, d, e, f], [g, h, i, j, k, l]) => [a + g, b + h, c + i, d + j, e + k, f + l], [0, 0, 0, 0, 0, 0]);
  writeFileSync(
    path,
    `${text.slice(0, from)}${[start, '', ...head, ...rows, row('**all**', total, ''), '', end].join('\n')}${text.slice(to + end.length)}`,
  );
};
