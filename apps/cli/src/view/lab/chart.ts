/** Owns the picture of a world: a row of blocks per policy, all on one time axis, and below when the faults lasted. */
import type { Comparison } from '@holdfast/simulate';
import { finalAxis, ruler } from '../bars/axis.ts';
import { type Cell, cell, column, type Line, lineText, space, type Surface, type Tone } from '../text/cell.ts';
import { duration } from '../text/format.ts';
import { glyphsOf } from '../text/glyphs.ts';
import { type Buckets, bucketsOf, type ChartFigure, faultShares } from './buckets.ts';

const heights = { unicode: '▁▂▃▄▅▆▇█', ascii: '_.:-=+*#' } as const;
const fault = { unicode: ['━', '┄'], ascii: ['=', '-'] } as const;

const titles: Readonly<Record<ChartFigure, string>> = {
  success: 'success of the turns begun then; full height is 100%',
  latency: 'mean time of the turns begun then that succeeded; full height is',
  requests: 'requests per second; full height is',
  waiting: 'turns that are open; full height is',
};

const widestName = 24;
const mostColumns = 120;

/** Comparisons of one world. */
export function renderChart(
  comparisons: readonly Comparison[],
  figure: ChartFigure,
  durationMs: number,
  surface: Surface,
): readonly string[] {
  const seconds = Math.max(1, Math.ceil(durationMs / 1000));
  const names = Math.min(widestName, Math.floor(surface.width / 3), Math.max(6, ...comparisons.map(({ contender }) => contender.length)));
  const columns = Math.max(1, Math.min(mostColumns, surface.width - names - 4, seconds));
  const rows = comparisons.map(({ contender, runs }) => ({ contender, buckets: bucketsOf(runs, figure, seconds, columns) }));
  const top = figure === 'success' ? 1 : Math.max(...rows.flatMap(({ buckets }) => buckets.map((value) => value ?? 0)));
  const row = (name: Cell, cells: Line): string => lineText([space(1), ...column(name, names), space(2), ...cells], surface);
  const shares = faultShares(comparisons[0]?.runs ?? [], seconds, columns);
  return [
    lineText([space(1), cell(titleOf(figure, top), 'dim')], surface),
    ...rows.map(({ contender, buckets }) => row(cell(contender, 'strong'), blocks(buckets, figure, top, surface))),
    ...(shares.some((share) => share > 0) ? [row(cell('fault', 'dim'), faultRow(shares, surface))] : []),
    row(cell(''), ruler(finalAxis(durationMs, columns), glyphsOf(surface.glyphs))),
  ];
}

function titleOf(figure: ChartFigure, top: number): string {
  if (figure === 'success') return titles.success;
  return `${titles[figure]} ${figure === 'latency' ? duration(top) : String(Math.round(top))}`;
}

function blocks(buckets: Buckets, figure: ChartFigure, top: number, { glyphs }: Surface): Line {
  const signs = heights[glyphs];
  return buckets.map((value) => {
    if (value === undefined) return space(1);
    const share = top === 0 ? 0 : value / top;
    const sign = signs[Math.min(signs.length - 1, Math.floor(share * signs.length))] ?? ' ';
    return cell(sign, figure === 'success' ? toneOf(share) : 'plain');
  });
}

const toneOf = (success: number): Tone => (success >= 0.95 ? 'good' : success >= 0.5 ? 'warn' : 'bad');

/** Where seeds differ the line is broken. */
function faultRow(shares: readonly number[], { glyphs }: Surface): Line {
  const [whole, broken] = fault[glyphs];
  return shares.map((share) => (share === 0 ? space(1) : cell(share === 1 ? whole : broken, 'bad')));
}
