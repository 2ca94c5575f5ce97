/** A small stacked bar chart for tiles. */
import { memo, type ReactNode } from 'react';
import style from './charts.module.css';
import { type Bar, stackedPaths } from './sparkbars.model.ts';

export interface SparkbarsProps {
  readonly bars: readonly Bar[];
  /** CSS custom properties, one per part of a bar, bottom to top. */
  readonly fills: readonly string[];
  /** A sentence that describes the chart. */
  readonly label: string;
  readonly height?: number;
}

const width = 240;

export const Sparkbars: (props: SparkbarsProps) => ReactNode = memo(function Sparkbars({
  bars,
  fills,
  label,
  height = 32,
}: SparkbarsProps) {
  const paths = stackedPaths(bars, { width, height, gap: width / Math.max(1, bars.length) / 4 });
  return (
    <svg
      className={style['sparkbars']}
      viewBox={`0 0 ${width} ${height}`}
      preserveAspectRatio="none"
      role="img"
      aria-label={label}
      height={height}
    >
      <path d={`M0 ${height - 0.5}H${width}`} className={style['ground']} />
      {paths.map((path, index) => (path === '' ? null : <path key={fills[index]} d={path} fill={`var(${fills[index] ?? '--text'})`} />))}
    </svg>
  );
});
