/** Owns what stands in the README and in `docs/conformance.md`: both are printed from the results. */
import { table } from '../../../tools/docs/page.ts';
import { behaviours } from './behaviours/index.ts';
import { contenders } from './contenders/index.ts';
import type { Behaviour, Cell, ContenderNotes, Verdict } from './port.ts';
import type { Results } from './run.ts';

export const readmePath = 'README.md';
export const pagePath = 'docs/conformance.md';
export const resultsPath = 'quality/conformance/results.json';
const begin = '<!-- conformance:begin -->';
const end = '<!-- conformance:end -->';

const words: Readonly<Record<Verdict, string>> = { pass: 'yes', fail: '**no**', 'n/a': '–' };
const missing: Cell = { verdict: 'n/a', seen: 'not run' };
const cellOf = (results: Results, { id }: Behaviour, { name }: ContenderNotes): Cell => results[id]?.[name] ?? missing;
const shortTitle = (title: string): string => title.replaceAll(/ \d+\.\d+\.\d+/g, '');

function totals(results: Results, notes: ContenderNotes): string {
  const verdicts = behaviours.map((behaviour) => cellOf(results, behaviour, notes).verdict);
  return `${verdicts.filter((verdict) => verdict === 'pass').length} of ${verdicts.filter((verdict) => verdict !== 'n/a').length}`;
}

function verdictTable(results: Results): string {
  const head = ['', 'Behaviour', ...contenders.map(({ title }) => shortTitle(title))];
  const rows = behaviours.map((behaviour) => [
    behaviour.id,
    behaviour.title,
    ...contenders.map((notes) => words[cellOf(results, behaviour, notes).verdict]),
  ]);
  return table(head, [...rows, ['', 'Of those that apply', ...contenders.map((notes) => totals(results, notes))]]);
}

const versions = contenders.map(({ title }) => title).join(', ');

function readmeBlock(results: Results): string {
  return [
    begin,
    '',
    `24 behaviours of a correct resilience layer, run by \`npm run conformance\` against ${versions}. Each library is set up as its own documentation says is best for the behaviour; \`–\`: it has no such part.`,
    'What was done, expected and seen in every cell is in [docs/conformance.md](docs/conformance.md). Not in the table is what the others have and Holdfast has not; that is above, and in [moving from another library](docs/guide/moving-from.md).',
    '',
    verdictTable(results),
    '',
    end,
  ].join('\n');
}

/** The README with its block replaced. */
export function readmeWith(readme: string, results: Results): string {
  const from = readme.indexOf(begin);
  const to = readme.indexOf(end);
  if (from < 0 || to < from) throw new Error(`README.md has no ${begin} … ${end}.`);
  return `${readme.slice(0, from)}${readmeBlock(results)}${readme.slice(to + end.length)}`;
}

function section(results: Results, behaviour: Behaviour): string {
  const cells = contenders.map((notes) => {
    const { verdict, seen } = cellOf(results, behaviour, notes);
    return `- ${notes.title}: ${words[verdict]} (${seen})`;
  });
  return [`### ${behaviour.id}: ${behaviour.title}`, '', `Done: ${behaviour.done}`, `Expected: ${behaviour.expected}`, '', ...cells].join(
    '\n',
  );
}

export function printPage(results: Results): string {
  return [
    '# Conformance',
    '',
    '24 behaviours of a correct resilience layer, run against Holdfast and five other libraries at pinned versions.',
    'This page is printed from a run by `npm run conformance`; a test runs every cell again and fails when one differs from this page.',
    '',
    'The list is ours. It is made of what users of such libraries reported and of what we hold to be right, so it says nothing about what the others have and Holdfast has not: see [moving from another library](guide/moving-from.md).',
    '',
    '## How it is judged',
    '',
    '- A library without the part that a behaviour is about is `–`, never a pass or a fail.',
    '- Each library is set up as its own documentation says is best for the behaviour. Where that leaves a choice, such as the order of parts, every choice is tried and the first that passes speaks for it; what the others did stands behind “Otherwise”.',
    '- A behaviour is written once, in `quality/conformance/src/behaviours/`, and knows no library. A library is known by its one adapter, in `quality/conformance/src/contenders/`.',
    '- Every cell has a process of its own on Node 24, the real clock, and short times with wide margins. Each has controls: a breaker that never opens, for example, proves nothing and fails the run.',
    '- To look at one cell: `npm run conformance -- cockatiel B4`. If a library can be set up better than here, that is a mistake of this page: please open an issue with the set-up.',
    '',
    '## Results',
    '',
    verdictTable(results),
    '',
    '## The set-ups',
    '',
    ...contenders.map(({ title, setUp }) => `- ${title}: ${setUp}`),
    '',
    '## What was done and seen',
    '',
    behaviours.map((behaviour) => section(results, behaviour)).join('\n\n'),
  ].join('\n');
}

/** For a terminal: as narrow as it can be. */
export function printTable(results: Results): string {
  const marks: Readonly<Record<Verdict, string>> = { pass: 'yes', fail: 'NO', 'n/a': '-' };
  const line = (cells: readonly string[], title: string): string => [...cells.map((cell) => cell.padEnd(10)), title].join('');
  return [
    line(['', ...contenders.map(({ name }) => name)], ''),
    ...behaviours.map((behaviour) =>
      line([behaviour.id, ...contenders.map((notes) => marks[cellOf(results, behaviour, notes).verdict])], behaviour.title),
    ),
    line(['', ...contenders.map((notes) => totals(results, notes))], 'of those that apply'),
  ].join('\n');
}
