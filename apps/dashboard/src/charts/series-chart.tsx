/** A chart over time: drawn with uPlot, with a table for screen readers. */
import 'uplot/dist/uPlot.min.css';
import { type ReactNode, useEffect, useRef, useState } from 'react';
import type uPlot from 'uplot';
import { useIsDark } from '../shell/theme.ts';
import { formatDayAndTime } from '../ui/format.ts';
import { Disclosure } from '../ui/parts.tsx';
import { ScrollArea } from '../ui/scroll-area.tsx';
import { Table } from '../ui/table.tsx';
import style from './charts.module.css';
import { createPlot } from './plot.ts';
import { isEmpty, type Series, stackSeries, tableRows, total } from './series.model.ts';
import { Swatch } from './swatch.tsx';

export interface SeriesChartProps {
  /** What the chart shows, as a sentence with the main number. */
  readonly summary: string;
  /** The start of each step, in seconds since 1970. */
  readonly at: readonly number[];
  readonly series: readonly Series[];
  /** Stacked bars, or lines. */
  readonly kind: 'stack' | 'lines';
  readonly format: (value: number | null) => string;
  /** What the legend shows next to the name while the pointer is elsewhere. */
  readonly legend?: 'total' | 'none';
  readonly height?: number;
}

export function SeriesChart({ summary, at, series, kind, format, legend = 'none', height = 150 }: SeriesChartProps): ReactNode {
  const place = useRef<HTMLDivElement>(null);
  const chart = useRef<uPlot>(undefined);
  const [pointed, setPointed] = useState<number>();
  const dark = useIsDark();
  const data = [at, ...(kind === 'stack' ? stackSeries(series) : series.map(({ values }) => values))];
  const chartKey = `${kind} ${series.map(({ id }) => id).join(' ')}`;
  const latest = useRef({ data, series, format });
  latest.current = { data, series, format };

  useEffect(() => {
    const element = place.current;
    if (element === null) return undefined;
    const created = createPlot(element, { kind, height, ...latest.current, onPoint: setPointed });
    chart.current = created;
    const observer = new ResizeObserver(() => created.setSize({ width: element.clientWidth, height }));
    observer.observe(element);
    return () => {
      observer.disconnect();
      created.destroy();
      chart.current = undefined;
    };
  }, [chartKey, kind, height, dark]);

  useEffect(() => {
    chart.current?.setData(latest.current.data as unknown as uPlot.AlignedData);
  }, [at, series]);

  return (
    <figure className={style['figure']}>
      <Legend series={series} at={at} pointed={pointed} format={format} legend={legend} />
      <div className={style['plot']} style={{ height }}>
        <div ref={place} role="img" aria-label={summary} />
        {isEmpty(series) && <p className={style['nothing']}>No data in this range</p>}
      </div>
      <Disclosure summary="Show as table">
        <ScrollArea label={summary} className={style['data']}>
          <Table
            caption={summary}
            columns={[
              { id: 'at', title: 'From', narrow: true, cell: (row) => formatDayAndTime(row.at, Date.now()) },
              ...series.map(({ id, label }, index) => ({
                id,
                title: label,
                align: 'end' as const,
                cell: (row: { readonly values: readonly (number | null)[] }) => format(row.values[index] ?? null),
              })),
            ]}
            rows={tableRows(at, series)}
            keyOf={(row) => row.at}
          />
        </ScrollArea>
      </Disclosure>
    </figure>
  );
}

interface LegendProps extends Pick<SeriesChartProps, 'series' | 'at' | 'format' | 'legend'> {
  readonly pointed: number | undefined;
}

function Legend({ series, at, pointed, format, legend }: LegendProps): ReactNode {
  const second = pointed === undefined ? undefined : at[pointed];
  return (
    <ul className={style['legend']}>
      {series.map(({ id, label, fill, pattern = 'solid', line, values }) => (
        <li key={id}>
          <Swatch appearance={{ fill, pattern, ...(line === undefined ? {} : { line }) }} />
          {label}
          {pointed === undefined ? legend === 'total' && <b>{format(total(values))}</b> : <b>{format(values[pointed] ?? null)}</b>}
        </li>
      ))}
      <li className={style['pointed']}>{second === undefined ? '' : formatDayAndTime(second * 1000, Date.now())}</li>
    </ul>
  );
}
