/** Draws the bars of one row. */
import { memo, type NamedExoticComponent, type ReactNode } from 'react';
import type { Segment } from '@holdfast/core/turn-view';
import type { Span } from './axis.model.ts';
import { type Bar, barsOf, labelOf } from './bars.model.ts';
import style from './waterfall.module.css';

/** SVG patterns, defined once and used by every bar: hatched for backoff, dotted for queues. */
export function Patterns(): ReactNode {
  return (
    <svg width="0" height="0" className={style['patterns']} aria-hidden="true">
      <defs>
        <pattern id="turn-backoff" width="6" height="6" patternUnits="userSpaceOnUse" patternTransform="rotate(45)">
          <rect width="6" height="6" className={style['backoffGround']} />
          <rect width="2.4" height="6" className={style['backoffLine']} />
        </pattern>
        <pattern id="turn-queue" width="5" height="5" patternUnits="userSpaceOnUse">
          <rect width="5" height="5" className={style['queueGround']} />
          <circle cx="2.5" cy="2.5" r="1.1" className={style['queueDot']} />
        </pattern>
      </defs>
    </svg>
  );
}

export interface BarsProps {
  readonly segments: readonly Segment[];
  /** The revision of its call: rerenders when it increases. */
  readonly revision: number;
  readonly span: Span;
  readonly width: number;
  readonly height: number;
  /** Changes only while something is running. */
  readonly nowMs: number;
  readonly label: string;
  readonly onPath: boolean;
  /** The selected attempt. */
  readonly marked: number | undefined;
}

export const Bars: NamedExoticComponent<BarsProps> = memo(function Bars({
  segments,
  span,
  width,
  height,
  nowMs,
  label,
  onPath,
  marked,
}: BarsProps): ReactNode {
  const bars = barsOf(segments, span, width, nowMs);
  const middle = height / 2;
  const words = labelOf(label, bars, width);
  return (
    <svg width={width} height={height} className={style['bars']} aria-hidden="true">
      {bars.map((bar) => (
        <BarShape key={bar.key} bar={bar} middle={middle} />
      ))}
      {onPath && <PathLine bars={bars} y={height - 3} />}
      <Marks bars={bars} middle={middle} />
      {bars
        .filter(({ attempt, kind }) => attempt === marked && (kind === 'work' || kind === 'failed' || kind === 'stopped'))
        .map(({ key, x, width: wide }) => (
          <rect key={`m${key}`} x={x - 2.5} y={middle - 9.5} width={wide + 5} height={19} rx={3} className={style['marked']} />
        ))}
      {words && (
        <text x={words.x} y={middle + 4} textAnchor={words.end ? 'end' : 'start'} className={style['label']}>
          {words.text}
        </text>
      )}
    </svg>
  );
});

function BarShape({ bar, middle }: { readonly bar: Bar; readonly middle: number }): ReactNode {
  const { kind, x, width, hedge, alternative, open } = bar;
  if (kind === 'line') return <line x1={x} x2={x + width} y1={middle} y2={middle} className={style['waitLine']} />;
  if (kind === 'late') return <line x1={x} x2={x + width} y1={middle} y2={middle} className={style['lateLine']} />;
  const high = hedge ? 5 : kind === 'backoff' || kind === 'overdue' || kind === 'queue' ? 10 : 13;
  const y = hedge ? middle + 3 : middle - high / 2;
  const names = [style[kind], open ? style['open'] : '', alternative ? style['alternative'] : ''].filter(Boolean).join(' ');
  return <rect x={x} y={y} width={width} height={high} rx={Math.min(2, width / 2)} className={names} />;
}

function PathLine({ bars, y }: { readonly bars: readonly Bar[]; readonly y: number }): ReactNode {
  const drawn = bars.filter(({ kind }) => kind !== 'line' && kind !== 'late');
  if (drawn.length === 0) return null;
  const from = Math.min(...drawn.map(({ x }) => x));
  const to = Math.max(...drawn.map(({ x, width }) => x + width));
  return <line x1={from} x2={to} y1={y} y2={y} className={style['pathLine']} />;
}

/** A cross for failures, a bar for timeouts. Marks that are too close together are skipped. */
function Marks({ bars, middle }: { readonly bars: readonly Bar[]; readonly middle: number }): ReactNode {
  let last = Number.NEGATIVE_INFINITY;
  return bars.map(({ key, x, width, mark }) => {
    const at = x + width;
    if (mark === undefined || at - last < 14) return null;
    last = at;
    return mark === 'failed' ? (
      <path key={key} d={`M${at - 3} ${middle - 3}l6 6m0 -6l-6 6`} className={style['cross']} />
    ) : (
      <path key={key} d={`M${at} ${middle - 8}v16`} className={style['stop']} />
    );
  });
}
