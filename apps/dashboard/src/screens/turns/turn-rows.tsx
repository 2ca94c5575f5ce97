/** The rows of the list. Renders only visible rows, and loads older turns near the end. */
import type { TurnItem } from '@holdfast/gateway/contract';
import { useVirtualizer } from '@tanstack/react-virtual';
import { type KeyboardEvent, memo, type ReactNode, type RefObject, useCallback, useEffect, useRef } from 'react';
import { turnPath } from '../../data/routes.ts';
import { Badge } from '../../ui/badge.tsx';
import { formatNumber } from '../../ui/format.ts';
import { Link } from '../../ui/link.tsx';
import { Status, turnIndicator } from '../../ui/status.tsx';
import { RelativeTime } from '../../ui/time.tsx';
import { durationOf, keyOf, toolsOf, troubleOf } from './turn-list.model.ts';
import style from './turns.module.css';
import { visibleText } from '../../ui/visible-text.ts';

const rowHeight = 46;
const sizeOfRow = (): number => rowHeight;
/** Load older turns when this many rows are left. */
const preloadRows = 40;

export interface TurnRowsProps {
  readonly turns: readonly TurnItem[];
  readonly more: boolean;
  readonly loading: boolean;
  readonly scroller: RefObject<HTMLDivElement | null>;
  readonly onEnd: () => void;
  /** Scrolled away from the top, so new turns must not move the rows. */
  readonly onAway: (away: boolean) => void;
}

export function TurnRows({ turns, more, loading, scroller, onEnd, onAway }: TurnRowsProps): ReactNode {
  // Stable for the same turns, since a new function makes the virtualizer measure all rows again.
  const itemKey = useCallback((index: number) => keyOf(turns[index] ?? { turn_id: '', run: index }), [turns]);
  const virtual = useVirtualizer({
    count: turns.length,
    getScrollElement: () => scroller.current,
    estimateSize: sizeOfRow,
    overscan: 10,
    getItemKey: itemKey,
    useFlushSync: false,
  });
  const items = virtual.getVirtualItems();
  const last = items.at(-1)?.index ?? 0;
  useEffect(() => {
    if (more && !loading && last >= turns.length - preloadRows) onEnd();
  }, [more, loading, last, turns.length, onEnd]);
  const away = useRef(false);
  const onScroll = (): void => {
    const now = (scroller.current?.scrollTop ?? 0) > rowHeight;
    if (now !== away.current) onAway(now);
    away.current = now;
  };
  const press = (event: KeyboardEvent): void => {
    const from = Number((event.target as Element).closest<HTMLElement>('[data-index]')?.dataset['index'] ?? -1);
    const to = { ArrowDown: from + 1, ArrowUp: from - 1 }[event.key];
    if (to === undefined || from === -1 || turns[to] === undefined) return;
    event.preventDefault();
    virtual.scrollToIndex(to, { align: 'auto' });
    requestAnimationFrame(() => scroller.current?.querySelector<HTMLElement>(`[data-index="${to}"] a`)?.focus());
  };
  return (
    <div ref={scroller} className={style['scroll']} data-scroll="turns" onScroll={onScroll} onKeyDown={press} tabIndex={-1}>
      <div role="table" aria-label="Turns, newest first" aria-rowcount={more ? -1 : turns.length + 1} className={style['table']}>
        <div role="rowgroup" className={style['headGroup']}>
          <div role="row" className={style['head']} aria-rowindex={1}>
            <span role="columnheader">Outcome</span>
            <span role="columnheader">Turn</span>
            <span role="columnheader">Tools</span>
            <span role="columnheader">Notes</span>
            <span role="columnheader" className={style['end']}>
              Calls
            </span>
            <span role="columnheader" className={style['end']}>
              Duration
            </span>
            <span role="columnheader" className={style['end']}>
              Started
            </span>
          </div>
        </div>
        <div role="rowgroup" className={style['rows']} style={{ height: virtual.getTotalSize() }}>
          {items.map(({ index, start }) => {
            const turn = turns[index];
            return turn === undefined ? null : <TurnRow key={keyOf(turn)} turn={turn} index={index} top={start} />;
          })}
        </div>
      </div>
    </div>
  );
}

interface TurnRowProps {
  readonly turn: TurnItem;
  readonly index: number;
  readonly top: number;
}

const TurnRow = memo(function TurnRow({ turn, index, top }: TurnRowProps): ReactNode {
  const trouble = troubleOf(turn);
  return (
    <div
      role="row"
      aria-rowindex={index + 2}
      data-index={index}
      data-turn={turn.turn_id}
      className={style['row']}
      style={{ transform: `translateY(${top}px)`, height: rowHeight }}
    >
      <span role="cell">
        <Status indicator={turnIndicator(turn)} />
      </span>
      <span role="cell" className={style['turn']}>
        <Link to={turnPath(turn.turn_id, { run: turn.run })} className={style['id']}>
          {visibleText(turn.turn_id)}
        </Link>
        <span className={style['summary']}>{visibleText(turn.summary ?? '') || (turn.state === 'running' ? 'Still running' : '')}</span>
      </span>
      <span role="cell" className={style['tools']}>
        {visibleText(toolsOf(turn))}
      </span>
      <span role="cell" className={style['trouble']}>
        {trouble.map((each) => (
          <Badge key={each} tone={each.includes('failed') || each.includes('deadline') ? 'bad' : 'quiet'}>
            {each}
          </Badge>
        ))}
        {turn.facts !== undefined && trouble.length === 0 && <span className="muted">–</span>}
      </span>
      <span role="cell" className={style['end']}>
        {formatNumber(turn.calls)}
      </span>
      <span role="cell" className={style['end']}>
        {durationOf(turn)}
      </span>
      <span role="cell" className={style['end']}>
        <RelativeTime at={turn.started_at} />
      </span>
    </div>
  );
});
