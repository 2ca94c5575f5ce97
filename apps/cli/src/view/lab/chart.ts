/** Charts a metric over time: a row of blocks per policy, then the times of the faults. */
import type { Comparison } from '@holdfast/simulate';
import { finalAxis, renderRuler } from '../bars/axis.ts';
import { type Cell, cell, column, type Line, lineText, space, successTone, type Surface } from '../text/cell.ts';
import { formatDuration } from '../text/format.ts';
import { glyphsOf } from '../text/glyphs.ts';
import { type Buckets, bucketsOf, type ChartMetric, faultShares } from './buckets.ts';

const heights = { unicode: '▁▂▃▄▅▆▇█', ascii: '_.:-=+*#' } as const;
const fault = { unicode: ['━', '┄'], ascii: ['=', '-'] } as const;

const titles: Readonly<Record<ChartMetric, string>> = {
  success: 'success rate by start of the turn; full height is 100%',
  latency: 'mean time of successful turns by start of the turn; full height is',
  requests: 'requests per second; full height is',
  waiting: 'turns in progress; full height is',
};

const widestName = 24;
const maxColumns = 120;

/** All comparisons must be of one world. */
export function renderChart(
  comparisons: readonly Comparison[],
  metric: ChartMetric,
  durationMs: number,
  surface: Surface,
): readonly string[] {
  const seconds = Math.max(1, Math.ceil(durationMs / 1000));
  const names = Math.min(widestName, Math.floor(surface.width / 3), Math.max(6, ...comparisons.map(({ contender }) => contender.length)));
  const columns = Math.max(1, Math.min(maxColumns, surface.width - names - 4, seconds));
  const rows = comparisons.map(({ contender, runs }) => ({ contender, buckets: bucketsOf(runs, metric, seconds, columns) }));
  const top = metric === 'success' ? 1 : Math.max(...rows.flatMap(({ buckets }) => buckets.map((value) => value ?? 0)));
  const row = (name: Cell, cells: Line): string => lineText([space(1), ...column(name, names), space(2), ...cells], surface);
  const shares = faultShares(comparisons[0]?.runs ?? [], seconds, columns);
  return [
    lineText([space(1), cell(titleOf(metric, top), 'dim')], surface),
    ...rows.map(({ contender, buckets }) => row(cell(contender, 'strong'), blocks(buckets, metric, top, surface))),
    ...(shares.some((share) => share > 0) ? [row(cell('fault', 'dim'), faultRow(shares, surface))] : []),
    row(cell(''), renderRuler(finalAxis(durationMs, columns), glyphsOf(surface.glyphs))),
  ];
}

function titleOf(metric: ChartMetric, top: number): string {
  if (metric === 'success') return titles.success;
  return `${titles[metric]} ${metric === 'latency' ? formatDuration(top) : String(Math.round(top))}`;
}

function blocks(buckets: Buckets, metric: ChartMetric, top: number, { glyphs }: Surface): Line {
  const blockGlyphs = heights[glyphs];
  return buckets.map((value) => {
    if (value === undefined) return space(1);
    const share = top === 0 ? 0 : value / top;
    const glyph = blockGlyphs[Math.min(blockGlyphs.length - 1, Math.floor(share * blockGlyphs.length))] ?? ' ';
    return cell(glyph, metric === 'success' ? successTone(share) : 'plain');
  });
}

/** Dashed where only some of the seeds have a fault. */
function faultRow(shares: readonly number[], { glyphs }: Surface): Line {
  const [solid, dashed] = fault[glyphs];
  return shares.map((share) => (share === 0 ? space(1) : cell(share === 1 ? solid : dashed, 'bad')));
}
