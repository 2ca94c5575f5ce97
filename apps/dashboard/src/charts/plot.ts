/** Draws series with uPlot. */
import uPlot from 'uplot';
import { colorOf, patternOf } from './paint.ts';
import type { Series } from './series.model.ts';

export interface PlotOptions {
  readonly kind: 'stack' | 'lines';
  readonly height: number;
  /** Seconds first, then the series; in a stack, the values are cumulative. */
  readonly data: readonly (readonly (number | null)[])[];
  readonly series: readonly Series[];
  readonly format: (value: number | null) => string;
  /** Called with the index under the pointer. */
  readonly onPoint: (index: number | undefined) => void;
}

const day = 86_400;
const clock = new Intl.DateTimeFormat('en-GB', { hour: '2-digit', minute: '2-digit' });
const date = new Intl.DateTimeFormat('en-GB', { day: 'numeric', month: 'short' });
const font = '11px system-ui, sans-serif';

export function createPlot(element: HTMLElement, { kind, height, data, series, format, onPoint }: PlotOptions): uPlot {
  const [muted, line, ground] = ['--muted', '--line', '--bg'].map((name) => colorOf(element, name)) as [string, string, string];
  const axis = { stroke: muted, font, grid: { stroke: line, width: 1 }, ticks: { show: false } };
  const options = series.map((one) => seriesOptions(one, colorOf(element, one.fill), ground, kind));
  // In a stack the topmost series is drawn first, and the lower ones cover it.
  const order = kind === 'stack' ? options.map((_, index) => options.length - 1 - index) : options.map((_, index) => index);
  const pick = (rows: PlotOptions['data']): uPlot.AlignedData =>
    [rows[0], ...order.map((index) => rows[index + 1])] as unknown as uPlot.AlignedData;
  const chart = new uPlot(
    {
      width: Math.max(200, element.clientWidth),
      height,
      padding: [8, 16, 0, 0],
      legend: { show: false },
      cursor: { y: false, sync: { key: 'holdfast' }, points: { show: kind === 'lines' }, drag: { x: false, y: false } },
      scales: { x: { time: true }, y: { range: (_, __, max) => [0, max > 0 ? max * 1.08 : 1] } },
      axes: [
        { ...axis, size: 24, space: 64, grid: { show: false }, values: (_, seconds) => timeLabels(seconds) },
        {
          ...axis,
          size: (_, labels) => labelWidth(labels),
          space: 28,
          values: (_, values) => values.map((value) => axisLabel(value, format)),
        },
      ],
      series: [{}, ...order.map((index) => options[index] ?? {})],
      hooks: { setCursor: [(self) => onPoint(self.cursor.idx ?? undefined)] },
    },
    pick(data),
    element,
  );
  const setData = chart.setData.bind(chart);
  chart.setData = (rows, rescale) => setData(pick(rows as unknown as PlotOptions['data']), rescale);
  return chart;
}

const dashes = { unbroken: [], dashed: [7, 3], dotted: [2, 3] } as const;

function seriesOptions(
  { label, pattern = 'solid', line = 'unbroken' }: Series,
  color: string,
  ground: string,
  kind: 'stack' | 'lines',
): uPlot.Series {
  if (kind === 'lines') {
    return { label, stroke: color, width: 1.75, dash: [...dashes[line]], spanGaps: false, points: isolatedPoints(color) };
  }
  return {
    label,
    fill: () => patternOf(color, ground, pattern) as CanvasRenderingContext2D['fillStyle'],
    stroke: color,
    width: 0,
    points: { show: false },
    ...(uPlot.paths.bars && { paths: uPlot.paths.bars({ size: [0.82, 40], align: 1 }) }),
  };
}

/** A line needs two points, so an isolated value is drawn as a dot. */
const isolatedPoints = (color: string): uPlot.Series.Points => ({
  show: true,
  size: 5,
  stroke: color,
  fill: color,
  width: 1,
  filter: (self, at) => {
    const values = self.data[at] ?? [];
    const hasValue = (index: number): boolean => typeof values[index] === 'number';
    return Array.from(values, (_, index) => index).filter((index) => hasValue(index) && !hasValue(index - 1) && !hasValue(index + 1));
  },
});

/** Times, or dates if the range is longer than a day. */
function timeLabels(seconds: readonly number[]): string[] {
  const span = (seconds.at(-1) ?? 0) - (seconds[0] ?? 0);
  return seconds.map((second) => (span > day ? date : clock).format(second * 1000));
}

const axisLabel = (value: number, format: (value: number | null) => string): string => (value === 0 ? '0' : format(value));

const labelWidth = (labels: readonly string[] | null): number => 14 + 6.2 * Math.max(2, ...(labels ?? []).map(({ length }) => length));
