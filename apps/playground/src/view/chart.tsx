/** Lines over the seconds of a run, with the faults behind them. A click selects a second. */
import 'uplot/dist/uPlot.min.css';
import { type ReactNode, useEffect, useRef } from 'react';
import uPlot from 'uplot';
import { lookOf } from './colors.ts';

export interface ChartProps {
  readonly title: string;
  readonly lines: readonly { readonly name: string; readonly values: readonly (number | null)[] }[];
  readonly faults: readonly (readonly [from: number, until: number])[];
  readonly format: (value: number) => string;
  /** The top of the scale. @default the largest value */
  readonly top?: number;
  readonly onSecond: (second: number) => void;
}

const height = 180;

export function Chart({ title, lines, faults, format, top, onSecond }: ChartProps): ReactNode {
  const place = useRef<HTMLDivElement>(null);
  const select = useRef(onSecond);
  select.current = onSecond;

  useEffect(() => {
    const element = place.current;
    if (element === null) return undefined;
    const seconds = Math.max(1, ...lines.map(({ values }) => values.length));
    const data = [Array.from({ length: seconds }, (_, second) => second), ...lines.map(({ values }) => values)];
    const plot = new uPlot(optionsOf(element, { lines, faults, format, top }), data as unknown as uPlot.AlignedData, element);
    plot.over.addEventListener('click', () => {
      if (typeof plot.cursor.idx === 'number') select.current(plot.cursor.idx);
    });
    const observer = new ResizeObserver(() => plot.setSize({ width: element.clientWidth, height }));
    observer.observe(element);
    return () => {
      observer.disconnect();
      plot.destroy();
    };
  }, [lines, faults, format, top]);

  return (
    <figure className="chart">
      <figcaption>{title}</figcaption>
      <div ref={place} role="img" aria-label={title} style={{ minHeight: height }} />
    </figure>
  );
}

type Drawn = Pick<ChartProps, 'lines' | 'faults' | 'format'> & { readonly top: number | undefined };

function optionsOf(element: HTMLElement, { lines, faults, format, top }: Drawn): uPlot.Options {
  const color = (name: string): string => getComputedStyle(element).getPropertyValue(name).trim();
  const axis = {
    stroke: color('--muted'),
    grid: { stroke: color('--line'), width: 1 },
    ticks: { show: false },
    font: '11px system-ui, sans-serif',
  };
  return {
    width: Math.max(200, element.clientWidth),
    height,
    padding: [8, 12, 0, 0],
    legend: { show: false },
    cursor: { y: false, sync: { key: 'playground' }, drag: { x: false, y: false } },
    scales: { x: { time: false }, y: { range: (_self, _least, most) => [0, top ?? (most > 0 ? most * 1.05 : 1)] } },
    axes: [
      { ...axis, size: 24, space: 60, values: (_self, values) => values.map((value) => `${value} s`) },
      { ...axis, size: 52, space: 28, values: (_self, values) => values.map((value) => format(value)) },
    ],
    series: [
      {},
      ...lines.map(({ name }, index) => {
        const look = lookOf(index);
        return { label: name, stroke: color(look.color), width: 2, dash: [...look.dash], spanGaps: true, points: { show: false } };
      }),
    ],
    hooks: { drawClear: [(plot) => shade(plot, faults, color('--fault'))] },
  };
}

function shade(plot: uPlot, faults: Drawn['faults'], color: string): void {
  const { ctx: canvas, bbox } = plot;
  canvas.save();
  canvas.fillStyle = color;
  for (const [from, until] of faults) {
    const left = plot.valToPos(from, 'x', true);
    const right = Math.min(plot.valToPos(until, 'x', true), bbox.left + bbox.width);
    canvas.fillRect(left, bbox.top, Math.max(0, right - left), bbox.height);
  }
  canvas.restore();
}
