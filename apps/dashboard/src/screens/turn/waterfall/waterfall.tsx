/** The waterfall: what each call did over time. Renders only visible rows. */
import { useVirtualizer, type Virtualizer } from '@tanstack/react-virtual';
import { type ReactNode, useCallback, useEffect, useId, useMemo, useRef, useState } from 'react';
import { formatDuration } from '../../../ui/format.ts';
import type { TurnView } from '@holdfast/core/turn-view';
import { type Span, xOf, zoomSpan, moveSpan } from './axis.model.ts';
import { Patterns } from './bars.tsx';
import { Minimap } from './minimap.tsx';
import { RowView } from './row.tsx';
import { createRowInput } from './row-input.ts';
import type { Row, Selection } from './rows.model.ts';
import { Ruler } from './ruler.tsx';
import { useWidth } from './use-width.ts';
import style from './waterfall.module.css';

const rowHeight = 28;
const sizeOfRow = (): number => rowHeight;

export interface WaterfallProps {
  readonly view: TurnView;
  readonly rows: readonly Row[];
  readonly path: ReadonlySet<string>;
  readonly whole: Span;
  readonly span: Span;
  readonly nowMs: number;
  /** The selected time, if the turn is shown at an earlier time. */
  readonly selectedMs: number | undefined;
  readonly selection: Selection | undefined;
  readonly onSelect: (selection: Selection) => void;
  /** Called on Escape. */
  readonly onClose?: () => void;
  readonly onToggle: (callId: string) => void;
  readonly onSpan: (span: Span) => void;
}

export function Waterfall(props: WaterfallProps): ReactNode {
  const { view, rows, whole, span, nowMs, selectedMs, selection, onSpan } = props;
  const id = useId();
  const scroller = useRef<HTMLDivElement>(null);
  const [measure, width] = useWidth();
  const [at, setAt] = useState(0);
  const virtual = useVirtualRows(rows, scroller);
  const active = Math.min(at, rows.length - 1);
  const goToRow = (index: number): void => {
    setAt(index);
    virtual.scrollToIndex(index, { align: 'auto' });
  };
  useShowSelected(selection, rows, goToRow);
  useWheel(scroller, width, span, whole, onSpan);
  const perPage = (): number => Math.max(1, Math.floor((scroller.current?.clientHeight ?? 300) / rowHeight) - 2);

  return (
    <div className={style['frame']}>
      <Patterns />
      <Head view={view} whole={whole} span={span} width={width} nowMs={nowMs} onSpan={onSpan} />
      <div
        ref={scroller}
        className={style['scroll']}
        data-scroll="waterfall"
        role="treegrid"
        tabIndex={0}
        aria-label="Calls of the turn over time. Arrows move and expand, Enter shows a call, plus and minus zoom."
        aria-rowcount={rows.length + 1}
        aria-colcount={2}
        {...(rows.length > 0 ? { 'aria-activedescendant': `${id}-${active}` } : {})}
        {...createRowInput({ ...props, active, perPage, go: goToRow, setAt })}
      >
        <div role="row" aria-rowindex={1} className="visually-hidden">
          <span role="columnheader">Call</span>
          <span role="columnheader">Time</span>
        </div>
        <div className={style['rows']} role="rowgroup" style={{ height: Math.max(virtual.getTotalSize(), rowHeight) }}>
          <div className={style['over']} ref={measure} aria-hidden="true">
            <Lines view={view} span={span} width={width} nowMs={nowMs} selectedMs={selectedMs} />
          </div>
          {width > 0 &&
            virtual.getVirtualItems().map(({ index, start }) => {
              const row = rows[index];
              if (row === undefined) return null;
              const place = { id: `${id}-${index}`, index, top: start, active: index === active };
              return <VirtualRow key={row.key} row={row} place={place} width={width} of={props} />;
            })}
          {rows.length === 0 && <EmptyRow />}
        </div>
      </div>
    </div>
  );
}

type HeadProps = Pick<WaterfallProps, 'view' | 'whole' | 'span' | 'nowMs' | 'onSpan'> & { readonly width: number };

function Head({ view, whole, span, width, nowMs, onSpan }: HeadProps): ReactNode {
  return (
    <div className={style['head']}>
      <div className={style['strip']}>
        <div className={style['stripLabel']}>Overview</div>
        <div className={style['stripPart']}>
          <Minimap calls={view.calls} revision={view.revision} whole={whole} span={span} width={width} nowMs={nowMs} onSpan={onSpan} />
        </div>
      </div>
      <div className={style['strip']}>
        <div className={style['stripLabel']}>Call</div>
        <div className={style['stripPart']}>
          <Ruler span={span} whole={whole} width={width} onSpan={onSpan} />
        </div>
      </div>
    </div>
  );
}

interface VirtualRowProps {
  readonly row: Row;
  readonly place: { readonly id: string; readonly index: number; readonly top: number; readonly active: boolean };
  readonly width: number;
  readonly of: Pick<WaterfallProps, 'span' | 'nowMs' | 'path' | 'selection'>;
}

function VirtualRow({ row, place, width, of: { span, nowMs, path, selection } }: VirtualRowProps): ReactNode {
  const { call, level, segment } = row;
  const attempt = selection?.callId === call.callId ? selection.attempt : undefined;
  const isOfAttempt = attempt !== undefined && attempt > 0 && segment?.kind === 'attempt' && segment.attempt === attempt;
  return (
    <RowView
      {...place}
      row={row}
      height={rowHeight}
      span={span}
      width={width}
      nowMs={call.endedMs === undefined ? nowMs : 0}
      revision={call.revision}
      selected={attempt !== undefined && (level === 1 || isOfAttempt)}
      onPath={path.has(call.callId)}
      marked={level === 1 && attempt !== undefined && attempt > 0 ? attempt : undefined}
    />
  );
}

const EmptyRow = (): ReactNode => (
  <div role="row">
    <div role="gridcell" className={style['empty']}>
      No calls match.
    </div>
  </div>
);

interface LinesProps {
  readonly view: TurnView;
  readonly span: Span;
  readonly width: number;
  readonly nowMs: number;
  readonly selectedMs: number | undefined;
}

function Lines({ view, span, width, nowMs, selectedMs }: LinesProps): ReactNode {
  const { timeoutMs, status } = view;
  const line = (name: string, atMs: number | undefined, title: string): ReactNode => {
    if (atMs === undefined || atMs < span.fromMs || atMs > span.toMs) return null;
    return <div className={style[name]} style={{ left: xOf(span, width, atMs) }} title={title} />;
  };
  return (
    <>
      {line('deadline', timeoutMs, `Deadline ${formatDuration(timeoutMs)}`)}
      {status === 'running' && selectedMs === undefined && line('now', nowMs, 'Now')}
      {line('selectedTime', selectedMs, 'Selected time')}
    </>
  );
}

/** Renders only visible rows. */
function useVirtualRows(rows: readonly Row[], scroller: { readonly current: HTMLDivElement | null }): Virtualizer<HTMLDivElement, Element> {
  // Stable for the same rows, since a new function makes the virtualizer measure all of them again.
  const itemKey = useCallback((index: number) => rows[index]?.key ?? index, [rows]);
  return useVirtualizer({
    count: rows.length,
    getScrollElement: () => scroller.current,
    estimateSize: sizeOfRow,
    overscan: 6,
    useFlushSync: false,
    getItemKey: itemKey,
  });
}

/** Scrolls a selection from outside, such as from the URL, into view once. */
function useShowSelected(selection: Selection | undefined, rows: readonly Row[], show: (index: number) => void): void {
  const shown = useRef('');
  const wanted = selection === undefined ? '' : `${selection.callId}\n${selection.attempt}`;
  const index = useMemo(
    () => (selection === undefined ? -1 : rows.findIndex(({ call }) => call.callId === selection.callId)),
    [selection, rows],
  );
  useEffect(() => {
    if (wanted === shown.current || index === -1) return;
    shown.current = wanted;
    show(index);
  });
}

/** Ctrl and wheel, or a pinch, zooms around the pointer; horizontal scrolling pans. */
function useWheel(
  scroller: { readonly current: HTMLDivElement | null },
  width: number,
  span: Span,
  whole: Span,
  onSpan: (span: Span) => void,
): void {
  useEffect(() => {
    const element = scroller.current;
    if (element === null) return undefined;
    const wheel = (event: WheelEvent): void => {
      const box = element.getBoundingClientRect();
      const sideways = Math.abs(event.deltaX) > Math.abs(event.deltaY) ? event.deltaX : event.shiftKey ? event.deltaY : 0;
      const perPixel = (span.toMs - span.fromMs) / Math.max(1, width);
      if (event.ctrlKey) {
        event.preventDefault();
        const x = event.clientX - (box.left + element.clientWidth - width);
        onSpan(zoomSpan(span, Math.exp(event.deltaY / 300), span.fromMs + Math.min(width, Math.max(0, x)) * perPixel, whole));
      } else if (sideways !== 0 && (span.fromMs > whole.fromMs || span.toMs < whole.toMs)) {
        event.preventDefault();
        onSpan(moveSpan(span, sideways * perPixel, whole));
      }
    };
    element.addEventListener('wheel', wheel, { passive: false });
    return () => element.removeEventListener('wheel', wheel);
  });
}
