/** The waterfall: what each call did over time. Renders only visible rows. */
import { useVirtualizer } from '@tanstack/react-virtual';
import { type KeyboardEvent, type MouseEvent, type ReactNode, useCallback, useEffect, useId, useMemo, useRef, useState } from 'react';
import { formatDuration } from '../../../ui/format.ts';
import type { TurnView } from '@holdfast/core/turn-view';
import { type Span, xOf, zoomSpan, moveSpan } from './axis.model.ts';
import { Patterns } from './bars.tsx';
import { keyToAction } from './keys.ts';
import { Minimap } from './minimap.tsx';
import { RowView } from './row.tsx';
import type { Row } from './rows.model.ts';
import { Ruler } from './ruler.tsx';
import { useWidth } from './use-width.ts';
import style from './waterfall.module.css';

const rowHeight = 28;
const sizeOfRow = (): number => rowHeight;

export interface Selection {
  readonly callId: string;
  /** 0: the call itself. */
  readonly attempt: number;
}

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
  const { view, rows, path, whole, span, nowMs, selectedMs, selection, onSelect, onClose, onToggle, onSpan } = props;
  const id = useId();
  const scroller = useRef<HTMLDivElement>(null);
  const [measure, width] = useWidth();
  const [at, setAt] = useState(0);
  // Stable for the same rows, since a new function makes the virtualizer measure all of them again.
  const itemKey = useCallback((index: number) => rows[index]?.key ?? index, [rows]);
  const virtual = useVirtualizer({
    count: rows.length,
    getScrollElement: () => scroller.current,
    estimateSize: sizeOfRow,
    overscan: 6,
    useFlushSync: false,
    getItemKey: itemKey,
  });
  const active = Math.min(at, rows.length - 1);

  useShowSelected(selection, rows, (index) => {
    setAt(index);
    virtual.scrollToIndex(index, { align: 'auto' });
  });
  useWheel(scroller, width, span, whole, onSpan);

  const select = (row: Row): void =>
    onSelect({ callId: row.call.callId, attempt: row.segment?.kind === 'attempt' ? row.segment.attempt : 0 });
  const press = (event: KeyboardEvent): void => {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    const perPage = Math.max(1, Math.floor((scroller.current?.clientHeight ?? 300) / rowHeight) - 2);
    const action = keyToAction(event, { rows, at: active, perPage, span, whole });
    if (action === undefined) return;
    event.preventDefault();
    if (action.kind === 'go') {
      setAt(action.to);
      virtual.scrollToIndex(action.to, { align: 'auto' });
    } else if (action.kind === 'toggle') onToggle(action.callId);
    else if (action.kind === 'select') select(action.row);
    else if (action.kind === 'close') onClose?.();
    else onSpan(action.span);
  };
  const click = (event: MouseEvent): void => {
    const target = event.target as Element;
    const index = Number(target.closest<HTMLElement>('[data-index]')?.dataset['index'] ?? -1);
    const row = rows[index];
    if (row === undefined) return;
    setAt(index);
    const toggle = target.closest<HTMLElement>('[data-toggle]')?.dataset['toggle'];
    if (toggle === undefined) select(row);
    else onToggle(toggle);
  };
  const doubleClick = (event: MouseEvent): void => {
    const row = rows[Number((event.target as Element).closest<HTMLElement>('[data-index]')?.dataset['index'] ?? -1)];
    if (row?.expandable === true) onToggle(row.call.callId);
  };

  return (
    <div className={style['frame']}>
      <Patterns />
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
        onKeyDown={press}
        onClick={click}
        onDoubleClick={doubleClick}
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
              const chosen = selection?.callId === row.call.callId;
              return (
                <RowView
                  key={row.key}
                  id={`${id}-${index}`}
                  row={row}
                  index={index}
                  top={start}
                  height={rowHeight}
                  span={span}
                  width={width}
                  nowMs={row.call.endedMs === undefined ? nowMs : 0}
                  revision={row.call.revision}
                  selected={
                    chosen &&
                    (row.level === 1 ||
                      (selection.attempt > 0 && row.segment?.kind === 'attempt' && row.segment.attempt === selection.attempt))
                  }
                  active={index === active}
                  onPath={path.has(row.call.callId)}
                  marked={chosen && row.level === 1 && selection.attempt > 0 ? selection.attempt : undefined}
                />
              );
            })}
          {rows.length === 0 && <EmptyRow />}
        </div>
      </div>
    </div>
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
