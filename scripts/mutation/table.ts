/** Writes what Stryker reported into the table of docs/quality.md; a folder without a report here keeps its row. */
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
  '| Folder | Mutants | Killed | Time-out | Survived | Not reached | Score | Score without texts | Day |',
  '| --- | --: | --: | --: | --: | --: | --: | --: | --- |',
];

const score = (mutants: readonly Mutant[]): string => {
  const found = mutants.filter(({ status }) => status === 'Killed' || status === 'Timeout').length;
  return mutants.length === 0 ? '–' : `${((100 * found) / mutants.length).toFixed(1)} %`;
};

/** Mutants that could not be judged (they broke the test run itself) count in no column, as in Stryker's score. */
const judged = new Set(['Killed', 'Timeout', 'Survived', 'NoCoverage']);

const rowOf = (name: string, mutants: readonly Mutant[], day: string): string => {
  const count = (status: string): string => String(mutants.filter((mutant) => mutant.status === status).length);
  const counts = ['Killed', 'Timeout', 'Survived', 'NoCoverage'].map(count);
  const code = mutants.filter(({ mutatorName }) => mutatorName !== 'StringLiteral');
  return `| ${[name, String(mutants.length), ...counts, score(mutants), score(code), day].join(' | ')} |`;
};

const mutantsIn = (file: string): readonly Mutant[] => {
  const report = JSON.parse(readFileSync(file, 'utf8')) as Report;
  return Object.values(report.files)
    .flatMap(({ mutants }) => mutants)
    .filter(({ status }) => judged.has(status));
};

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
    return [rowOf(name, mutantsIn(file), statSync(file).mtime.toISOString().slice(0, 10))];
  });
  writeFileSync(path, `${text.slice(0, from)}${[start, '', ...head, ...rows, '', end].join('\n')}${text.slice(to + end.length)}`);
};
