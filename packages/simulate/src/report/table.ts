/** Owns tables of contenders. */
import { absent, duration, percent, formatFigure, writtenWithSpread } from './figure.ts';
import type { Standing } from './standing.ts';

interface Column {
  readonly title: string;
  readonly cell: (standing: Standing) => string;
}

const columns: readonly Column[] = [
  { title: 'policy', cell: ({ contender }) => contender },
  { title: 'success %', cell: ({ success }) => writtenWithSpread(success, percent) },
  { title: 'during %', cell: ({ during }) => writtenWithSpread(during, percent) },
  { title: '30 s after %', cell: ({ after30s }) => writtenWithSpread(after30s, percent) },
  { title: 'mean', cell: ({ meanMs }) => formatFigure(meanMs, duration) },
  { title: 'p99', cell: ({ p99Ms }) => formatFigure(p99Ms, duration) },
  { title: 'failed wait', cell: ({ failedWaitMs }) => formatFigure(failedWaitMs, duration) },
  { title: 'requests/call', cell: ({ requestsPerCall }) => formatFigure(requestsPerCall, twoPlaces) },
  { title: 'during', cell: ({ requestsPerCallDuring }) => writtenWithSpread(requestsPerCallDuring, twoPlaces) },
  { title: 'peak/s', cell: ({ peakPerSecond }) => formatFigure(peakPerSecond, formatWhole) },
  { title: 'recovery s', cell: recovery },
];

/** Shown only in worlds in which some contender has any. */
const extras: readonly (Column & { readonly of: (standing: Standing) => number | undefined })[] = [
  { title: 'done twice', of: ({ duplicates }) => duplicates?.mean, cell: ({ duplicates }) => formatFigure(duplicates, formatOneOrWhole) },
  {
    title: 'partial turns',
    of: ({ partialTurns }) => partialTurns?.mean,
    cell: ({ partialTurns }) => formatFigure(partialTurns, formatOneOrWhole),
  },
];

/** One row per contender, in their order. */
export function comparisonTable(standings: readonly Standing[]): string {
  const shown = [...columns, ...extras.filter(({ of }) => standings.some((standing) => (of(standing) ?? 0) > 0))];
  return markdownTable(
    shown.map(({ title }) => title),
    standings.map((standing) => shown.map(({ cell }) => cell(standing))),
  );
}

/** The first column is text, the others are figures. */
export function markdownTable(titles: readonly string[], rows: readonly (readonly string[])[], figures = true): string {
  const line = (cells: readonly string[]): string => `| ${cells.join(' | ')} |`;
  return [line(titles), line(titles.map((_, at) => (figures && at > 0 ? '---:' : '---'))), ...rows.map(line)].join('\n');
}

/** Mean of the runs that recovered, and how many did not. */
function recovery({ recoveryS, neverRecovered, runs }: Standing): string {
  if (neverRecovered === runs) return 'never';
  if (!recoveryS) return absent;
  const mean = formatOneOrWhole(recoveryS.mean);
  return neverRecovered > 0 ? `${mean}, never in ${neverRecovered} of ${runs}` : mean;
}

function twoPlaces(value: number): string {
  return value.toFixed(2);
}

function formatWhole(value: number): string {
  return value.toFixed(0);
}

function formatOneOrWhole(value: number): string {
  return value.toFixed(value < 10 && !Number.isInteger(value) ? 1 : 0);
}
