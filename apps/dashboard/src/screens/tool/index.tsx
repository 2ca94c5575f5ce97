/** The page of one tool: status, circuit, history, failures, settings. */
import type { FailureList, HistoryRange, ToolDetail, ToolHistory, ToolTile } from '@holdfast/gateway/contract';
import { type ReactNode, useMemo, useState } from 'react';
import { useLivePart } from '../../data/live.tsx';
import { failuresPath, toolsPath } from '../../data/routes.ts';
import { type Query, useQuery } from '../../data/use-query.ts';
import { usePathSegment, useUrlState } from '../../data/use-url-state.ts';
import { Link } from '../../ui/link.tsx';
import { Page, Section } from '../../ui/page.tsx';
import { ErrorBox, Skeleton } from '../../ui/states.tsx';
import { Status, toolIndicators } from '../../ui/status.tsx';
import { Choice } from '../../ui/tabs.tsx';
import { visibleText } from '../../ui/visible-text.ts';
import { ClusterList } from '../failures/cluster-list.tsx';
import { sourceText } from '../overview/tiles.model.ts';
import { LatestFailures, SlowestCalls } from './call-lists.tsx';
import { Circuit } from './circuit.tsx';
import { CircuitControl } from './circuit-control.tsx';
import { ToolStats, StatusReason } from './tool-header.tsx';
import { HistoryCharts } from './history-charts.tsx';
import { ranges, reloadIntervalMs } from './range.ts';
import { Settings } from './settings.tsx';
import { StoppedRetries } from './stopped-retries.tsx';
import style from './tool.module.css';
import { useTimeline } from './use-timeline.ts';

const shape = { range: ['auto', '15m', '1h', '6h', '24h', '7d', '14d'], change: 0 } as const;
const crumbs = [{ to: toolsPath, text: 'Tools' }];

export function Tool(): ReactNode {
  const name = usePathSegment(1);
  const tile = useLivePart(({ overview }) => overview?.tools.find((known) => known.name === name));
  const detail = useQuery<ToolDetail>(`/v1/tools/${encodeURIComponent(name)}`, { everyMs: 20_000 });
  if (detail.data === undefined) {
    return (
      <Page title={name} crumbs={crumbs}>
        {detail.problem ? <ErrorBox problem={detail.problem} onRetry={() => void detail.reload()} /> : <Skeleton height="80vh" />}
      </Page>
    );
  }
  return <KnownTool key={name} tool={detail.data} tile={tile} onChange={() => void detail.reload()} />;
}

interface KnownToolProps {
  readonly tool: ToolDetail;
  /** Undefined before the first live message. */
  readonly tile: ToolTile | undefined;
  readonly onChange: () => void;
}

/** Before the first live message, the end of a hold is counted from when the tool was loaded. */
function useHeldUntil(tool: ToolDetail, tile: ToolTile | undefined): string | undefined {
  const loaded = useMemo(() => {
    const { held_ms } = tool.health;
    return held_ms === undefined ? undefined : new Date(Date.now() + held_ms).toISOString();
  }, [tool]);
  return tile ? tile.held_until : loaded;
}

function KnownTool({ tool, tile, onChange }: KnownToolProps): ReactNode {
  const { name } = tool;
  const circuit = tile?.circuit ?? tool.health.circuit;
  const shown = { circuit, mode: tile?.mode ?? tool.health.mode, heldUntil: useHeldUntil(tool, tile), clients: tool.health.clients };
  const [state, change] = useUrlState(shape);
  // Decided once, so that the range does not change while the page is open.
  const [start] = useState<HistoryRange>((circuit !== null && circuit !== 'closed') || tile?.status === 'failing' ? '15m' : '1h');
  const { range, timeline } = useTimeline(name, state.range, start, circuit, `${circuit} ${shown.mode}`);
  const history = useQuery<ToolHistory>(`/v1/tools/${encodeURIComponent(name)}/history?range=${range}`, {
    everyMs: reloadIntervalMs(range),
  });
  const failures = useQuery<FailureList>(`/v1/failures?tool_id=${encodeURIComponent(name)}`, { everyMs: 15_000 });
  return (
    <Page
      title={name}
      crumbs={crumbs}
      subtitle={
        <>
          {tile && <Status indicator={toolIndicators[tile.status]} filled />}
          <span className="muted">{sourceText(tool.source)}</span>
        </>
      }
      actions={<Choice label="Range" options={ranges} value={range} onChange={(chosen) => change({ range: chosen, change: 0 })} />}
    >
      {tool.description !== undefined && <p className={style['about']}>{visibleText(tool.description)}</p>}
      {tile && <StatusReason tile={tile} />}
      <ToolStats tool={tool} tile={tile} history={history.data} heldUntil={shown.heldUntil} />
      <Loaded query={timeline} height="14rem">
        {(data) => (
          <Circuit
            timeline={data}
            change={state.change}
            onSelect={(id) => change({ change: id, range })}
            actions={<CircuitControl tool={name} {...shown} onDone={() => (onChange(), void timeline.reload())} />}
          />
        )}
      </Loaded>
      <Loaded query={history} height="40rem">
        {(data) => (
          <>
            <StoppedRetries history={data} clusters={failures.data?.clusters ?? []} />
            <HistoryCharts history={data} />
          </>
        )}
      </Loaded>
      <Failures tool={name} query={failures} />
      {history.data && (
        <div className={style['pair']}>
          <LatestFailures tool={name} failures={history.data.latest_failures} refused={history.data.totals.refused} />
          <SlowestCalls calls={history.data.slowest} />
        </div>
      )}
      <Settings tool={tool} />
    </Page>
  );
}

function Failures({ tool, query }: { readonly tool: string; readonly query: Query<FailureList> }): ReactNode {
  return (
    <Section
      title="Failure clusters"
      actions={<Link to={`${failuresPath}?tool=${encodeURIComponent(tool)}`}>All failures of this tool</Link>}
    >
      <Loaded query={query} height="8rem">
        {({ clusters }) =>
          clusters.length === 0 ? <p className="muted">No failed attempts.</p> : <ClusterList clusters={clusters.slice(0, 5)} oneTool />
        }
      </Loaded>
    </Section>
  );
}

interface LoadedProps<T> {
  readonly query: Query<T>;
  readonly height: string;
  readonly children: (data: T) => ReactNode;
}

/** Keeps showing the old data during a reload. */
function Loaded<T>({ query, height, children }: LoadedProps<T>): ReactNode {
  const { data, problem, reload } = query;
  if (data !== undefined) return children(data);
  return problem ? <ErrorBox problem={problem} onRetry={() => void reload()} /> : <Skeleton height={height} />;
}
