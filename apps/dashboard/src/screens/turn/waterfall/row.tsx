/** One row of the waterfall: a call, or one of its segments. */
import { memo, type NamedExoticComponent, type ReactNode, useMemo } from 'react';
import { classNames } from '../../../ui/class-names.ts';
import { Icon, type IconName } from '../../../ui/icon.tsx';
import { type CallView, emptySegment, type Segment } from '@holdfast/core/turn-view';
import { callIndicator, describeSegment } from '../labels.ts';
import type { Span } from './axis.model.ts';
import { callLabel, segmentLabel } from './bars.model.ts';
import { Bars } from './bars.tsx';
import { callNote, rowText } from './row-text.model.ts';
import type { Row } from './rows.model.ts';
import style from './waterfall.module.css';
import { visibleText } from '../../../ui/visible-text.ts';

export interface RowViewProps {
  readonly row: Row;
  readonly id: string;
  readonly index: number;
  readonly top: number;
  readonly height: number;
  readonly span: Span;
  readonly width: number;
  /** The current time for running calls, and a constant for others, so that they do not rerender. */
  readonly nowMs: number;
  readonly revision: number;
  readonly selected: boolean;
  readonly active: boolean;
  readonly onPath: boolean;
  readonly marked: number | undefined;
}

export const RowView: NamedExoticComponent<RowViewProps> = memo(function RowView(props: RowViewProps): ReactNode {
  const { row, id, index, top, height, span, width, nowMs, revision, selected, active, onPath, marked } = props;
  const { call, segment, level } = row;
  const segments = useMemo<readonly Segment[]>(() => (segment ? [segment] : drawnOf(call)), [segment, call, revision]);
  const label = segment ? segmentLabel(segment, nowMs) : callLabel(call, nowMs);
  return (
    <div
      role="row"
      id={id}
      data-index={index}
      data-call={call.callId}
      aria-level={level}
      aria-posinset={row.position}
      aria-setsize={row.siblings}
      aria-rowindex={index + 2}
      aria-selected={selected}
      {...(row.expandable ? { 'aria-expanded': row.expanded } : {})}
      className={classNames(style['row'], active && style['active'], onPath && level === 1 && style['onPath'])}
      style={{ transform: `translateY(${top}px)`, height }}
    >
      <div role="gridcell" className={classNames(style['name'], level === 2 && style['child'])}>
        {segment ? <SegmentName segment={segment} /> : <CallName row={row} />}
      </div>
      <div role="gridcell" className={style['time']}>
        <span className="visually-hidden">{rowText(row, nowMs, onPath)}</span>
        <Bars
          segments={segments}
          revision={revision}
          span={span}
          width={width}
          height={height}
          nowMs={nowMs}
          label={label}
          onPath={onPath && level === 1}
          marked={marked}
        />
      </div>
    </div>
  );
});

/** A call that has not started is drawn as waiting. */
const drawnOf = (call: CallView): readonly Segment[] =>
  call.segments.length === 0 && call.status === 'waiting' ? [notStarted] : call.segments;

const notStarted = emptySegment('dependency', 0);

function CallName({ row: { call, expandable, expanded } }: { readonly row: Row }): ReactNode {
  const indicator = callIndicator(call.status);
  const note = callNote(call);
  return (
    <>
      <span className={classNames(style['toggle'], expanded && style['expanded'])} data-toggle={expandable ? call.callId : undefined}>
        {expandable && <Icon name="chevron" size={12} />}
      </span>
      <span className={style[indicator.tone]} title={indicator.label}>
        <Icon name={indicator.icon} size={14} />
      </span>
      <span className={style['callName']} title={visibleText(`${call.callId} (${call.toolName}): ${indicator.label}`)}>
        {visibleText(call.callId)}
      </span>
      {note !== '' && <span className={style['note']}>{visibleText(note)}</span>}
    </>
  );
}

function SegmentName({ segment }: { readonly segment: Segment }): ReactNode {
  const [icon, tone] = segmentIcon(segment);
  const words = describeSegment(segment);
  return (
    <>
      <span className={style[tone]}>
        <Icon name={icon} size={12} />
      </span>
      <span className={style['note']} title={words}>
        {words}
      </span>
    </>
  );
}

function segmentIcon({ kind, result }: Segment): readonly [IconName, string] {
  if (kind === 'backoff') return ['retry', 'warn'];
  if (kind !== 'attempt') return ['clock', 'quiet'];
  switch (result) {
    case 'success':
      return ['done', 'good'];
    case 'error':
      return ['failed', 'bad'];
    case 'timeout':
      return ['clock', 'bad'];
    case 'running':
      return ['running', 'accent'];
    default:
      return ['idle', 'quiet'];
  }
}
