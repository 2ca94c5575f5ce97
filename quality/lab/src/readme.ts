/** Owns the README's table of success rates: its figures are those of the pages in docs/lab. */
import { markdownTable } from '@holdfast/simulate/report';

const begin = '<!-- lab:begin -->';
const end = '<!-- lab:end -->';

/** The worlds of the table, and how the README calls them. */
const rows: Readonly<Record<string, string>> = {
  outage: 'outage of a minute',
  flapping: 'flapping for two minutes',
  rate_limit: 'bursts against a limit of 800 per 10 s',
  random_failures: '30 % of requests fail at random',
};
const policies = ['none', 'cockatiel', 'spec', 'adaptive'];
const titles = ['one attempt', 'cockatiel, as modelled', 'profile `spec`', 'profile `adaptive`'];

/** The README with its block replaced. `pageOf` reads a world's page of docs/lab. */
export function readmeWith(readme: string, pageOf: (world: string) => string): string {
  const from = readme.indexOf(begin);
  const to = readme.indexOf(end);
  if (from < 0 || to < from) throw new Error(`README.md has no ${begin} … ${end}.`);
  return `${readme.slice(0, from)}${block(pageOf)}${readme.slice(to)}`;
}

function block(pageOf: (world: string) => string): string {
  const table = markdownTable(
    ['Scenario', ...titles, 'mean time of successful turns: one attempt, `adaptive`'],
    Object.entries(rows).map(([world, title]) => {
      const page = pageOf(world);
      const success = policies.map((policy) => `${figureOf(page, policy, 'success %').replace(/ ±.*/u, '')} %`);
      return [title, ...success, `${figureOf(page, 'none', 'mean')}, ${figureOf(page, 'adaptive', 'mean')}`];
    }),
  );
  const seeds = new Set(Object.keys(rows).map((world) => /--seeds (\d+)/u.exec(pageOf(world))?.[1]));
  const command = `npm run lab -- --world ${Object.keys(rows).join(',')} --policy ${policies.join(',')} --seeds ${[...seeds].join()}`;
  return [
    begin,
    '',
    table,
    '',
    `The figures are means over ${[...seeds].join()} seeds. To reproduce them:`,
    '',
    `    ${command}`,
    '',
    '',
  ].join('\n');
}

/** The cell of a policy in the first table of a page. */
function figureOf(page: string, policy: string, title: string): string {
  const lines = page.split('\n').map((line) => line.split('|').map((cell) => cell.trim()));
  const cell = lines.find((cells) => cells[1] === policy)?.[lines.find((cells) => cells[1] === 'policy')?.indexOf(title) ?? -1];
  if (cell === undefined || cell === '') throw new Error(`docs/lab has no '${title}' of ${policy}.`);
  return cell;
}
