/** The history of alerts, with paging. */
import type { AlertEvent, AlertHistory } from '@holdfast/gateway/contract';
import { type ReactNode, useState } from 'react';
import { toolPath } from '../../data/routes.ts';
import { request } from '../../data/request.ts';
import { useQuery } from '../../data/use-query.ts';
import { Button } from '../../ui/button.tsx';
import { Link } from '../../ui/link.tsx';
import { Empty, ErrorBox, Skeleton } from '../../ui/states.tsx';
import { Status } from '../../ui/status.tsx';
import { type Column, Table } from '../../ui/table.tsx';
import { Timestamp } from '../../ui/time.tsx';
import { visibleText } from '../../ui/visible-text.ts';
import style from './alerts.module.css';
import { eventIndicator, eventSubject } from './delivery.model.ts';

const columns: readonly Column<AlertEvent>[] = [
  { id: 'at', title: 'When', cell: ({ at }) => <Timestamp at={at} />, narrow: true },
  { id: 'kind', title: 'Event', cell: (event) => <Status indicator={eventIndicator(event)} /> },
  { id: 'name', title: 'Alert', cell: (event) => <code>{eventSubject(event)}</code> },
  {
    id: 'tool',
    title: 'Tool',
    cell: ({ tool_id: tool }) => (tool === undefined ? '' : <Link to={toolPath(tool)}>{tool}</Link>),
    secondary: true,
  },
  { id: 'text', title: 'Message', cell: ({ text }) => visibleText(text) },
  { id: 'by', title: 'By', cell: ({ by = '' }) => by, secondary: true },
];

const path = '/v1/alerts/history?limit=50';

export function History(): ReactNode {
  const first = useQuery<AlertHistory>(path, { everyMs: 10_000 });
  const [older, setOlder] = useState<AlertHistory>();
  if (first.data === undefined)
    return first.problem ? <ErrorBox problem={first.problem} onRetry={() => void first.reload()} /> : <Skeleton height="20rem" />;
  const newest = first.data.events;
  const oldest = newest.at(-1)?.id ?? 0;
  const events = [...newest, ...(older?.events ?? []).filter(({ id }) => id < oldest)];
  const cursor = older === undefined ? first.data.next_cursor : older.next_cursor;
  const more = async (): Promise<void> => {
    const { data } = await request<AlertHistory>(`${path}&cursor=${cursor ?? ''}`);
    if (data) setOlder({ ...data, events: [...(older?.events ?? []), ...data.events] });
  };
  if (events.length === 0)
    return <Empty title="No alert events yet.">Events appear here when an alert fires. They survive restarts.</Empty>;
  return (
    <div className={style['stack']}>
      <Table caption="Alert history" columns={columns} rows={events} keyOf={({ id }) => id} />
      {cursor !== undefined && (
        <div>
          <Button onClick={() => void more()}>Show older events</Button>
        </div>
      )}
    </div>
  );
}
