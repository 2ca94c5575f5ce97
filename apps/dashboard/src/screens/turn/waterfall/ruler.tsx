/** The time scale above the rows. Drag to zoom into a range; double-click to zoom to fit. */
import { type PointerEvent, type ReactNode, useRef, useState } from 'react';
import { formatDuration } from '../../../ui/format.ts';
import { type Span, computeTicks, clampSpan, xOf } from './axis.model.ts';
import style from './waterfall.module.css';

export interface RulerProps {
  readonly span: Span;
  readonly whole: Span;
  readonly width: number;
  readonly onSpan: (span: Span) => void;
}

const minDragPx = 4;

export function Ruler({ span, whole, width, onSpan }: RulerProps): ReactNode {
  const dragStart = useRef<number>(undefined);
  const [dragged, setDragged] = useState<readonly [number, number]>();
  const at = (event: PointerEvent): number => event.clientX - event.currentTarget.getBoundingClientRect().left;
  const timeAt = (x: number): number => span.fromMs + (Math.min(width, Math.max(0, x)) / width) * (span.toMs - span.fromMs);
  const down = (event: PointerEvent<SVGSVGElement>): void => {
    dragStart.current = at(event);
    event.currentTarget.setPointerCapture(event.pointerId);
  };
  const move = (event: PointerEvent): void => {
    if (dragStart.current !== undefined) setDragged([dragStart.current, at(event)]);
  };
  const up = (): void => {
    if (dragged && Math.abs(dragged[1] - dragged[0]) > minDragPx) {
      const [one, other] = dragged;
      onSpan(clampSpan({ fromMs: timeAt(Math.min(one, other)), toMs: timeAt(Math.max(one, other)) }, whole));
    }
    dragStart.current = undefined;
    setDragged(undefined);
  };
  return (
    <svg
      width={width}
      height={26}
      className={style['ruler']}
      aria-hidden="true"
      onPointerDown={down}
      onPointerMove={move}
      onPointerUp={up}
      onPointerCancel={up}
      onDoubleClick={() => onSpan(whole)}
    >
      {computeTicks(span, width).map((mark) => {
        const x = xOf(span, width, mark);
        return (
          <g key={mark}>
            <line x1={x} x2={x} y1={19} y2={26} className={style['tick']} />
            <text x={x} y={14} textAnchor={x < 16 ? 'start' : x > width - 22 ? 'end' : 'middle'} className={style['tickText']}>
              {formatDuration(mark)}
            </text>
          </g>
        );
      })}
      {dragged && <rect x={Math.min(...dragged)} y={0} width={Math.abs(dragged[1] - dragged[0])} height={26} className={style['brush']} />}
    </svg>
  );
}
