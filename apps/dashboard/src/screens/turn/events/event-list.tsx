/** The raw events of the turn, with search and copy. */
import type { TraceEvent } from '@holdfast/gateway/contract';
import { useVirtualizer } from '@tanstack/react-virtual';
import { type ReactNode, useDeferredValue, useMemo, useRef, useState } from 'react';
import { pluralize, formatDuration } from '../../../ui/format.ts';
import { SearchField } from '../../../ui/field.tsx';
import { Code, CopyButton, LiveRegion, Toolbar } from '../../../ui/parts.tsx';
import { toNdjson, eventTypes, describeEvent, filterEvents } from './event-list.model.ts';
import style from './event-list.module.css';
import { visibleText } from '../../../ui/visible-text.ts';
import { Button } from '../../../ui/button.tsx';

export interface EventListProps {
  readonly events: readonly TraceEvent[];
  /** Increases with each new event. */
  readonly revision: number;
  readonly search: string;
  readonly type: string;
  readonly onFilter: (filter: { readonly search?: string; readonly type?: string }) => void;
}

const rowHeight = 26;
const sizeOfRow = (): number => rowHeight;

export function EventList({ events, revision, search, type, onFilter }: EventListProps): ReactNode {
  const wanted = useDeferredValue(search);
  const types = useMemo(() => eventTypes(events), [events, revision]);
  const shown = useMemo(() => filterEvents(events, { search: wanted, type, callId: '' }), [events, revision, wanted, type]);
  const [open, setOpen] = useState<number>();
  const chosen = shown.find(({ seq }) => seq === open);
  return (
    <div className={style['events']}>
      <Toolbar label="Events" end={<CopyLines events={shown} />}>
        <SearchField label="Search events" value={search} onChange={(next) => onFilter({ search: next })} />
        <select
          aria-label="Event type"
          className={style['select']}
          value={type}
          onChange={(event) => onFilter({ type: event.target.value })}
        >
          <option value="">All types</option>
          {types.map((each) => (
            <option key={each}>{each}</option>
          ))}
        </select>
        <span className="muted">
          {shown.length === events.length ? pluralize(events.length, 'event') : `${shown.length} of ${pluralize(events.length, 'event')}`}
        </span>
      </Toolbar>
      <div className={style['columns']}>
        <EventTable events={shown} open={open} onOpen={setOpen} />
        {chosen && (
          <div className={style['one']}>
            <div className={style['oneHead']}>
              <h2>
                {chosen.seq} {chosen.event_type}
              </h2>
              <CopyButton text={JSON.stringify(chosen, null, 2)} label="Copy event" />
            </div>
            <Code text={visibleText(JSON.stringify(chosen, null, 2))} label={`Event ${chosen.seq}`} />
          </div>
        )}
      </div>
    </div>
  );
}

interface EventTableProps {
  readonly events: readonly TraceEvent[];
  /** The `seq` of the open event. */
  readonly open: number | undefined;
  readonly onOpen: (seq: number | undefined) => void;
}

/** Renders only visible rows. */
function EventTable({ events, open, onOpen }: EventTableProps): ReactNode {
  const scroller = useRef<HTMLDivElement>(null);
  const virtual = useVirtualizer({
    count: events.length,
    getScrollElement: () => scroller.current,
    estimateSize: sizeOfRow,
    overscan: 12,
  });
  return (
    <div ref={scroller} className={style['scroll']} role="table" aria-label="Events" aria-rowcount={events.length + 1} tabIndex={0}>
      <div role="rowgroup">
        <div role="row" className={style['headRow']}>
          <span role="columnheader">Seq</span>
          <span role="columnheader">Time</span>
          <span role="columnheader">Event</span>
          <span role="columnheader">Call</span>
          <span role="columnheader">Details</span>
        </div>
      </div>
      <div role="rowgroup" className={style['rows']} style={{ height: virtual.getTotalSize() }}>
        {virtual.getVirtualItems().map(({ index, start }) => {
          const event = events[index];
          if (event === undefined) return null;
          return (
            <div
              key={event.seq}
              role="row"
              aria-rowindex={index + 2}
              className={event.seq === open ? style['rowOpen'] : style['row']}
              style={{ transform: `translateY(${start}px)`, height: rowHeight }}
            >
              <span role="cell">{event.seq}</span>
              <span role="cell">{formatDuration(event.elapsed_ms)}</span>
              <span role="cell">
                <button
                  type="button"
                  className={style['type']}
                  aria-expanded={event.seq === open}
                  onClick={() => onOpen(event.seq === open ? undefined : event.seq)}
                >
                  {event.event_type}
                </button>
              </span>
              <span role="cell">{'call_id' in event ? event.call_id : ''}</span>
              <span role="cell">{describeEvent(event)}</span>
            </div>
          );
        })}
      </div>
    </div>
  );
}

/** Serializes the events only when copying, not on each render. */
function CopyLines({ events }: { readonly events: readonly TraceEvent[] }): ReactNode {
  const [message, setMessage] = useState('');
  const copy = (): void => {
    void navigator.clipboard.writeText(toNdjson(events)).then(
      () => setMessage('Copied'),
      () => setMessage('The browser blocked copying'),
    );
  };
  return (
    <>
      <span className="muted">{message}</span> <LiveRegion text={message} />
      <Button kind="quiet" icon="copy" onClick={copy}>
        Copy as NDJSON
      </Button>
    </>
  );
}
