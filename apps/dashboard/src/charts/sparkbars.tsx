/** Owns a row of stacked bars, small enough for a tile. */
import { memo, type ReactNode } from 'react';
import style from './charts.module.css';
import { type Bar, stackedPaths } from './sparkbars.model.ts';

export interface SparkbarsProps {
  readonly bars: readonly Bar[];
  /** Custom properties, one for each part of a bar, from the bottom up. */
  readonly fills: readonly string[];
  /** What is seen, in a sentence. */
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
