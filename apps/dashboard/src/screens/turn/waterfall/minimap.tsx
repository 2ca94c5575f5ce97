/** A minimap of the whole turn with the visible range, which can be dragged or moved with the arrow keys. */
import { type KeyboardEvent, type PointerEvent, type ReactNode, useMemo, useRef } from 'react';
import { formatDuration } from '../../../ui/format.ts';
import type { CallView } from '@holdfast/core/turn-view';
import { isWhole, moveSpan, type Span, xOf, zoomSpan } from './axis.model.ts';
import style from './waterfall.module.css';

export interface MinimapProps {
  readonly calls: readonly CallView[];
  readonly revision: number;
  readonly whole: Span;
  readonly span: Span;
  readonly width: number;
  readonly nowMs: number;
  readonly onSpan: (span: Span) => void;
}

const height = 34;

export function Minimap({ calls, revision, whole, span, width, nowMs, onSpan }: MinimapProps): ReactNode {
  const grip = useRef<{ readonly x: number; readonly span: Span }>(undefined);
  const shapes = useMemo(() => pathsOf(calls, whole, width, nowMs), [calls, revision, whole.toMs, width, nowMs]);
  const from = xOf(whole, width, span.fromMs);
  const wide = Math.max(6, xOf(whole, width, span.toMs) - from);
  const perPixel = (whole.toMs - whole.fromMs) / Math.max(1, width);
  const down = (event: PointerEvent<SVGSVGElement>): void => {
    const x = event.clientX - event.currentTarget.getBoundingClientRect().left;
    event.currentTarget.setPointerCapture(event.pointerId);
    const inside = x >= from && x <= from + wide;
    const start = inside ? span : moveSpan(span, (x - from - wide / 2) * perPixel, whole);
    if (!inside) onSpan(start);
    grip.current = { x: event.clientX, span: start };
  };
  const move = (event: PointerEvent): void => {
    if (grip.current) onSpan(moveSpan(grip.current.span, (event.clientX - grip.current.x) * perPixel, whole));
  };
  const up = (): void => {
    grip.current = undefined;
  };
  const press = (event: KeyboardEvent): void => {
    const next = spanAfter(event.key, span, whole);
    if (next === undefined) return;
    event.preventDefault();
    onSpan(next);
  };
  return (
    <svg
      width={width}
      height={height}
      className={style['minimap']}
      role="slider"
      tabIndex={0}
      aria-label="Visible range of the turn. Left and right pan, up and down zoom in and out, Home zooms to fit."
      aria-valuemin={0}
      aria-valuemax={Math.round(whole.toMs)}
      aria-valuenow={Math.round(span.fromMs)}
      aria-valuetext={isWhole(span, whole) ? 'whole turn' : `${formatDuration(span.fromMs)} to ${formatDuration(span.toMs)}`}
      onKeyDown={press}
      onPointerDown={down}
      onPointerMove={move}
      onPointerUp={up}
      onPointerCancel={up}
    >
      <path d={shapes.waits} className={style['miniWait']} />
      <path d={shapes.work} className={style['miniWork']} />
      <path d={shapes.failed} className={style['miniFailed']} />
      {!isWhole(span, whole) && (
        <>
          <path d={`M0 0H${from}V${height}H0zM${from + wide} 0H${width}V${height}H${from + wide}z`} className={style['miniShade']} />
          <rect x={from} y={0.5} width={wide} height={height - 1} rx={2} className={style['miniPart']} />
        </>
      )}
    </svg>
  );
}

/** Returns undefined for other keys. */
function spanAfter(key: string, span: Span, whole: Span): Span | undefined {
  const step = (span.toMs - span.fromMs) / 5;
  const middle = (span.fromMs + span.toMs) / 2;
  const next: (() => Span) | undefined = {
    ArrowLeft: () => moveSpan(span, -step, whole),
    ArrowRight: () => moveSpan(span, step, whole),
    ArrowUp: () => zoomSpan(span, 0.7, middle, whole),
    ArrowDown: () => zoomSpan(span, 1 / 0.7, middle, whole),
    Home: () => whole,
  }[key];
  return next?.();
}

/** One path per kind, so that a thousand calls need only three shapes. */
function pathsOf(
  calls: readonly CallView[],
  whole: Span,
  width: number,
  nowMs: number,
): { readonly work: string; readonly failed: string; readonly waits: string } {
  const parts = { work: [] as string[], failed: [] as string[], waits: [] as string[] };
  const step = Math.min(3, (height - 6) / Math.max(1, calls.length));
  calls.forEach((call, row) => {
    const y = (3 + row * step).toFixed(1);
    for (const { kind, result, startMs, endMs } of call.segments) {
      if (kind === 'dependency' || kind === 'place' || kind === 'prepare' || kind === 'late') continue;
      const to = parts[kind === 'attempt' ? (result === 'error' || result === 'timeout' ? 'failed' : 'work') : 'waits'];
      const x = xOf(whole, width, startMs);
      to.push(`M${x.toFixed(1)} ${y}h${Math.max(1, xOf(whole, width, endMs ?? nowMs) - x).toFixed(1)}`);
    }
  });
  return { work: parts.work.join(''), failed: parts.failed.join(''), waits: parts.waits.join('') };
}
