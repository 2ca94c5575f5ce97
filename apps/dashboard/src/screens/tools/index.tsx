/** The tools screen: a sortable table. */
import type { ToolTile } from '@holdfast/gateway/contract';
import { type ReactNode, useMemo } from 'react';
import { useLive } from '../../data/live.tsx';
import { toolPath } from '../../data/routes.ts';
import { useUrlState } from '../../data/use-url-state.ts';
import { SearchField } from '../../ui/field.tsx';
import { pluralize, formatDuration, formatNumber } from '../../ui/format.ts';
import { Link } from '../../ui/link.tsx';
import { Page } from '../../ui/page.tsx';
import { Toolbar } from '../../ui/parts.tsx';
import { Share } from '../../ui/share.tsx';
import { Empty, Skeleton } from '../../ui/states.tsx';
import { CircuitStatus, Status, toolIndicators } from '../../ui/status.tsx';
import { type Column, Table } from '../../ui/table.tsx';
import { useIncrementalList } from '../../ui/use-incremental-list.ts';
import { filterTiles, sourceText } from '../overview/tiles.model.ts';
import { sortTools } from './tools.model.ts';

const shape = { q: '', by: 'status', down: false } as const;

const columns: readonly Column<ToolTile>[] = [
  {
    id: 'name',
    title: 'Tool',
    sortable: true,
    cell: ({ name }) => (
      <Link to={toolPath(name)} quiet>
        {name}
      </Link>
    ),
  },
  { id: 'status', title: 'Status', sortable: true, narrow: true, cell: ({ status }) => <Status indicator={toolIndicators[status]} /> },
  {
    id: 'source',
    title: 'Source',
    secondary: true,
    narrow: true,
    cell: ({ source }) => <span className="muted">{sourceText(source)}</span>,
  },
  {
    id: 'circuit',
    title: 'Circuit',
    narrow: true,
    secondary: true,
    cell: ({ circuit, mode, held_until }) => <CircuitStatus circuit={circuit} mode={mode} heldUntil={held_until} />,
  },
  { id: 'calls', title: 'Calls in 5 min', align: 'end', sortable: true, secondary: true, cell: ({ counts }) => formatNumber(counts.calls) },
  {
    id: 'failed',
    title: 'Failed',
    align: 'end',
    sortable: true,
    narrow: true,
    cell: ({ failure }) => <Share value={failure} highIsBad bare />,
  },
  {
    id: 'recovered',
    title: 'Recovered',
    align: 'end',
    sortable: true,
    secondary: true,
    cell: ({ counts }) => formatNumber(counts.recovered),
  },
  {
    id: 'p50',
    title: 'p50',
    align: 'end',
    sortable: true,
    narrow: true,
    secondary: true,
    cell: ({ latency }) => formatDuration(latency?.p50_ms),
  },
  { id: 'p95', title: 'p95', align: 'end', sortable: true, narrow: true, cell: ({ latency }) => formatDuration(latency?.p95_ms) },
  {
    id: 'p99',
    title: 'p99',
    align: 'end',
    sortable: true,
    narrow: true,
    secondary: true,
    cell: ({ latency }) => formatDuration(latency?.p99_ms),
  },
  {
    id: 'flight',
    title: 'In flight',
    align: 'end',
    sortable: true,
    secondary: true,
    cell: ({ in_flight, queued }) => (queued > 0 ? `${in_flight} + ${queued}` : in_flight),
  },
];

export function Tools(): ReactNode {
  const { overview, connection, problem } = useLive();
  return (
    <Page title="Tools" subtitle={overview && <span className="muted">{pluralize(overview.tools.length, 'tool')}, last five minutes</span>}>
      {overview ? (
        <ToolTable tools={overview.tools} />
      ) : connection === 'gone' || connection === 'denied' ? (
        <Empty title={problem?.title ?? 'No data yet.'}>
          <p>{problem?.detail}</p>
        </Empty>
      ) : (
        <Skeleton height="60vh" label="Loading tools" />
      )}
    </Page>
  );
}

function ToolTable({ tools }: { readonly tools: readonly ToolTile[] }): ReactNode {
  const [{ q, by, down }, change] = useUrlState(shape);
  const rows = useMemo(() => sortTools(filterTiles(tools, { q, status: 'all', sort: 'name' }), by, down), [tools, q, by, down]);
  const { shown, sentinel } = useIncrementalList(rows.length, 60);
  if (tools.length === 0) return <Empty title="This gateway has no tools." />;
  return (
    <>
      <Toolbar label="Filters">
        <SearchField label="Filter by name or source" value={q} onChange={(text) => change({ q: text })} />
      </Toolbar>
      {rows.length === 0 ? (
        <Empty title="No tools match." />
      ) : (
        <div>
          <Table
            caption="Tools"
            columns={columns}
            rows={rows.slice(0, shown)}
            keyOf={({ name }) => name}
            sort={{ by, descending: down }}
            onSort={(sort) => change({ by: sort.by, down: sort.descending })}
          />
          {shown < rows.length && (
            <p ref={sentinel} className="muted">
              {pluralize(rows.length - shown, 'more tool')}
            </p>
          )}
        </div>
      )}
    </>
  );
}
