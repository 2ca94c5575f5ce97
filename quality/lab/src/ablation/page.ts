/** Owns the page about the effect of each part. */
import { duration, markdownTable, percent, type RunDescription, type Standing } from '@holdfast/simulate/report';
import { adaptiveNumbers } from '@holdfast/core/internal';
import { factors, nameTimes, nameWithout, numberNames } from './contenders.ts';
import { parts, type Change } from './parts.ts';

/** `standings`: of `adaptive` and every ablated contender, in every world. */
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
  return `${[
    '# Lab: the effect of each part of `adaptive`',
    `Written by \`${command}\` (seeds \`${seeds[0]}\` to \`${seeds.at(-1)}\`), never by hand. Each row switches one part off and keeps the rest; a figure in brackets is the change in percentage points.
A part that changes nothing in a world costs nothing there either; parts compensate for each other, so the changes do not add up.`,
    markdownTable(
      ['part', 'what it does', 'switched off by'],
      parts.map(({ name, does, off }) => [name, does, `\`${describeChange(off)}\``]),
      false,
    ),
    without('Success, %', (own, whole) => share(own?.success?.mean, whole?.success?.mean)),
    without('Success in the 30 s after, %', (own, whole) => share(own?.after30s?.mean, whole?.after30s?.mean)),
    without('Requests per call while the fault lasts', (own) => own?.requestsPerCallDuring?.mean.toFixed(2) ?? '–'),
    without('Mean of successes', (own) => (own?.meanMs ? duration(own.meanMs.mean) : '–')),
    without('Slowest of a hundred successes', (own) => (own?.p99Ms ? duration(own.p99Ms.mean) : '–')),
    `## Half and double of each number: success, %

The numbers are those of \`engine/admission/adaptive/numbers.ts\`. A number that hardly matters here may matter in worlds that are not shown.

${table([
  ['**adaptive**', (world) => share(find(world, 'adaptive')?.success?.mean, undefined)],
  ...numberNames.flatMap((name) =>
    factors.map((factor): [string, (world: string) => string] => [
      `\`${name}\` ${adaptiveNumbers[name]} × ${factor}`,
      (world) => share(find(world, nameTimes(name, factor))?.success?.mean, find(world, 'adaptive')?.success?.mean),
    ]),
  ),
])}`,
  ].join('\n\n')}\n`;
}

/** Infinity is no JSON. */
function describeChange({ numbers, policy, useMemory }: Change): string {
  const shown = numbers ?? policy ?? { useMemory };
  return JSON.stringify(shown, (_key, value: unknown) => (value === Infinity ? '∞' : value));
}

/** With the difference to the whole, if it is visible. */
function share(own: number | undefined, whole: number | undefined): string {
  if (own === undefined) return '–';
  const change = whole === undefined ? 0 : (own - whole) * 100;
  const shown = change.toFixed(1);
  return Math.abs(Number(shown)) === 0 ? percent(own) : `${percent(own)} (${change > 0 ? '+' : '−'}${Math.abs(change).toFixed(1)})`;
}
