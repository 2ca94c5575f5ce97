/** Owns the table of the README: its figures are those of docs/lab and docs/conformance.md. */
import { markdownTable } from '@holdfast/simulate/report';

const begin = '<!-- lab:begin -->';
const end = '<!-- lab:end -->';

/** The worlds of the table, and how the README calls them. */
const rows: Readonly<Record<string, string>> = {
  outage: 'outage of a minute',
  flapping: 'two minutes of flapping',
  rate_limit: 'bursts over a rate limit',
  random_failures: '30 % fail at random',
};

interface Column {
  readonly policy: string;
  readonly title: string;
  /** Title of the column of docs/conformance.md. */
  readonly conformance?: string;
}

/** The default, no layer, and the peers that do best in one of the worlds or are used most. */
const columns: readonly Column[] = [
  { policy: 'adaptive', title: '`adaptive`', conformance: 'Holdfast' },
  { policy: 'spec', title: '`spec`', conformance: 'Holdfast' },
  { policy: 'none', title: 'one attempt' },
  { policy: 'openai-sdk', title: 'OpenAI SDK' },
  { policy: 'p-retry', title: 'p-retry', conformance: 'p-retry + p-timeout' },
  { policy: 'cockatiel', title: 'cockatiel', conformance: 'cockatiel' },
];

export interface ReadmeSources {
  /** Reads a world's page of docs/lab. */
  readonly pageOf: (world: string) => string;
  /** The text of docs/conformance.md. */
  readonly conformance: string;
}

/** The README with its block replaced. */
export function readmeWith(readme: string, sources: ReadmeSources): string {
  const from = readme.indexOf(begin);
  const to = readme.indexOf(end);
  if (from < 0 || to < from) throw new Error(`README.md has no ${begin} … ${end}.`);
  return `${readme.slice(0, from)}${block(sources)}${readme.slice(to)}`;
}

function block({ pageOf, conformance }: ReadmeSources): string {
  const worlds = Object.entries(rows).map(([world, title]) => {
    const page = pageOf(world);
    const cells = columns.map(({ policy }) => {
      const success = figureOf(page, policy, 'success %').replace(/ ±.*/u, '');
      return `${success} % · ${figureOf(page, policy, 'mean')}`;
    });
    return [title, ...cells];
  });
  const behaviours = columns.map((column) => (column.conformance === undefined ? '–' : totalOf(conformance, column.conformance)));
  const table = markdownTable(
    ['', ...columns.map(({ title }) => title)],
    [...worlds, ['[24 behaviours](docs/conformance.md)', ...behaviours]],
  );
  const seeds = [...new Set(Object.keys(rows).map((world) => /--seeds (\d+)/u.exec(pageOf(world))?.[1]))].join();
  const policies = columns.map(({ policy }) => policy).join(',');
  return [
    begin,
    '',
    `Successful turns and their mean time, of 200 simulated agents with 100 calls per second. The profiles are the real engine; other libraries are [models](docs/lab/peers.md) of their defaults. Last row: correct behaviours, of those that apply. To reproduce: \`npm run lab -- --world ${Object.keys(rows).join(',')} --policy ${policies} --seeds ${seeds}\`.`,
    '',
    table,
    '',
    '',
  ].join('\n');
}

const cellsOf = (page: string): readonly (readonly string[])[] =>
  page.split('\n').map((line) => line.split('|').map((cell) => cell.trim()));

/** The cell of a policy in the first table of a page. */
function figureOf(page: string, policy: string, title: string): string {
  const lines = cellsOf(page);
  const cell = lines.find((cells) => cells[1] === policy)?.[lines.find((cells) => cells[1] === 'policy')?.indexOf(title) ?? -1];
  if (cell === undefined || cell === '') throw new Error(`docs/lab has no '${title}' of ${policy}.`);
  return cell;
}

/** How many of the behaviours that apply a library has right. */
function totalOf(page: string, library: string): string {
  const lines = cellsOf(page);
  const index = lines.find((cells) => cells[2] === 'Behaviour')?.indexOf(library) ?? -1;
  const total = lines.find((cells) => cells[2]?.startsWith('Passed') === true)?.[index];
  if (total === undefined || total === '') throw new Error(`docs/conformance.md has no total of ${library}.`);
  return total;
}
