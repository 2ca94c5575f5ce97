/** Owns the page about the effect of each part. */
import { duration, markdownTable, percent, type RunDescription, type Standing } from '@holdfast/simulate/report';
import { nameWith, nameWithout } from './contenders.ts';
import { parts, type Part } from './parts.ts';

/** `standings`: of `adaptive`, `spec` and every ablated contender, in every world. */
export function ablationPage(standings: readonly Standing[], worlds: readonly string[], { command, seeds }: RunDescription): string {
  const find = (world: string, contender: string): Standing | undefined =>
    standings.find((standing) => standing.world === world && standing.contender === contender);
  const table = (rows: readonly (readonly [string, (world: string) => string])[]): string =>
    markdownTable(
      ['', ...worlds],
      rows.map(([name, cell]) => [name, ...worlds.map(cell)]),
    );
  const without = (title: string, cell: (own: Standing | undefined, whole: Standing | undefined) => string): string =>
    `## ${title}\n\n${table([
      ['**adaptive**', (world) => cell(find(world, 'adaptive'), undefined)],
      ...parts.map(({ name }): [string, (world: string) => string] => [
        `without ${name}`,
        (world) => cell(find(world, nameWithout(name)), find(world, 'adaptive')),
      ]),
    ])}`;
  const alone = parts.filter((part): part is Required<Part> => part.alone !== undefined);
  return `${[
    '# Lab: the effect of each part of `adaptive`',
    `Written by \`${command}\` (seeds \`${seeds[0]}\` to \`${seeds.at(-1)}\`), never by hand. Each row switches one part off and keeps the rest; a figure in brackets is the change in percentage points.
A part that changes nothing in a world costs nothing there either; parts compensate for each other, so the changes do not add up.`,
    markdownTable(
      ['part', 'what it does', 'switched off by'],
      parts.map(({ name, does, off }) => [name, does, `\`${JSON.stringify(off.policy ?? off)}\``]),
      false,
    ),
    without('Success, %', (own, whole) => share(own?.success?.mean, whole?.success?.mean)),
    without('Success in the 30 s after, %', (own, whole) => share(own?.after30s?.mean, whole?.after30s?.mean)),
    without('Requests per call while the fault lasts', (own) => own?.requestsPerCallDuring?.mean.toFixed(2) ?? '–'),
    without('Mean of successes', (own) => (own?.meanMs ? duration(own.meanMs.mean) : '–')),
    without('Slowest of a hundred successes', (own) => (own?.p99Ms ? duration(own.p99Ms.mean) : '–')),
    `## \`spec\` with one part more: success, %\n\n${table([
      ['**spec**', (world) => share(find(world, 'spec')?.success?.mean, undefined)],
      ...alone.map(({ name }): [string, (world: string) => string] => [
        `with ${name}`,
        (world) => share(find(world, nameWith(name))?.success?.mean, find(world, 'spec')?.success?.mean),
      ]),
    ])}`,
  ].join('\n\n')}\n`;
}

/** With the difference to the whole, if it is visible. */
function share(own: number | undefined, whole: number | undefined): string {
  if (own === undefined) return '–';
  const change = whole === undefined ? 0 : (own - whole) * 100;
  const shown = change.toFixed(1);
  return Math.abs(Number(shown)) === 0 ? percent(own) : `${percent(own)} (${change > 0 ? '+' : '−'}${Math.abs(change).toFixed(1)})`;
}
