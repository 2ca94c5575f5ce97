/** The page of one turn: waterfall, decisions, cascade of failures, time, repairs, events. */
import { type ReactNode, useDeferredValue, useEffect, useMemo, useRef, useState } from 'react';
import { useUrlState, usePathSegment } from '../../data/use-url-state.ts';
import { whatIfPath } from '../../data/routes.ts';
import { formatDuration, formatNumber } from '../../ui/format.ts';
import { Icon } from '../../ui/icon.tsx';
import { Link } from '../../ui/link.tsx';
import { CopyButton, Stats, LiveRegion } from '../../ui/parts.tsx';
import { Page } from '../../ui/page.tsx';
import { Empty, ErrorBox, Skeleton } from '../../ui/states.tsx';
import { Status, turnIndicator } from '../../ui/status.tsx';
import { Timestamp } from '../../ui/time.tsx';
import { Tabs } from '../../ui/tabs.tsx';
import { CallLink } from './call-link.tsx';
import { buildCascade } from './cascade/cascade.model.ts';
import { CascadeGraph } from './cascade/cascade-graph.tsx';
import { EventList } from './events/event-list.tsx';
import { ExportMenu } from './export-menu.tsx';
import { escalationsOf, turnStats } from './stats.model.ts';
import { viewAt } from './turn-events.model.ts';
import type { TurnView } from '@holdfast/core/turn-view';
import { Inspector, type InspectorTab } from './inspector/inspector.tsx';
import { buildLedger } from './ledger/ledger.model.ts';
import { LedgerView } from './ledger/ledger-view.tsx';
import { TimeSlider } from './time-slider.tsx';
import { listRepairs } from './repairs/repairs.model.ts';
import { RepairsView } from './repairs/repairs-view.tsx';
import style from './turn.module.css';
import { type FollowedTurn, useNowOf, useTurn } from './use-turn.ts';
import { findCriticalPath } from './waterfall/critical-path.model.ts';
import type { Selection } from './waterfall/waterfall.tsx';
import { WaterfallSection } from './waterfall-section.tsx';

/** The first ones say it. */
const maxEscalations = 6;

const shape = {
  run: 0,
  view: ['waterfall', 'cascade', 'ledger', 'repairs', 'events'],
  call: '',
  attempt: 0,
  tab: ['decision', 'data', 'error', 'settings', 'events'],
  show: ['all', 'trouble', 'path'],
  order: ['begin', 'plan', 'duration'],
  find: '',
  q: '',
  type: '',
} as const;

export function Turn(): ReactNode {
  const turnId = usePathSegment(1);
  const [{ run }] = useUrlState(shape);
  return <TurnScreen key={`${turnId}\n${run}`} turnId={turnId} run={run === 0 ? undefined : run} />;
}

function TurnScreen({ turnId, run }: { readonly turnId: string; readonly run: number | undefined }): ReactNode {
  const turn = useTurn(turnId, run);
  const { view, problem, loading, retry } = turn;
  const empty = view.status === 'empty';
  return (
    <Page
      title={turnId}
      crumbs={[{ to: '/turns', text: 'Turns' }]}
      subtitle={<TurnStatusLine turn={turn} turnId={turnId} />}
      actions={
        !empty && (
          <>
            <Link to={whatIfPath(turnId, { run })} className={style['menuButton']}>
              <Icon name="flask" /> What if …
            </Link>
            <ExportMenu turnId={turnId} run={run} />
          </>
        )
      }
    >
      {problem && <ErrorBox problem={problem} onRetry={retry} />}
      {empty && loading && <Skeleton height="60vh" />}
      {empty && !loading && !problem && <Empty title="The trace of this turn has no events." />}
      {!empty && <Loaded turn={turn} />}
    </Page>
  );
}

function TurnStatusLine({
  turn: { view, state, live, loading },
  turnId,
}: {
  readonly turn: FollowedTurn;
  readonly turnId: string;
}): ReactNode {
  const indicator =
    state === undefined ? undefined : turnIndicator({ state, ...(view.outcome === undefined ? {} : { outcome: view.outcome }) });
  return (
    <>
      <CopyButton text={turnId} label="Copy the turn id" />
      {indicator && <Status indicator={indicator} filled />}
      {(loading || state === 'running') && <span className="muted">{loading ? 'loading …' : live ? 'live' : 'reconnecting …'}</span>}
      {view.startedAt !== '' && (
        <span className="muted">
          <Timestamp at={view.startedAt} />
        </span>
      )}
      <LiveRegion text={view.status === 'completed' && indicator ? `The turn has ended: ${indicator.label}.` : ''} />
    </>
  );
}

function Loaded({ turn }: { readonly turn: FollowedTurn }): ReactNode {
  const { view: latest, events, results, state, live } = turn;
  const [params, change] = useUrlState(shape);
  const [selectedMs, setSelectedMs] = useState<number>();
  const nowMs = useNowOf(latest.elapsedMs, state === 'running', live);
  const endMs = latest.durationMs ?? latest.elapsedMs;
  const atMs = useDeferredValue(selectedMs);
  const then = useMemo(() => (atMs === undefined ? undefined : viewAt(events, atMs)), [events, atMs]);
  const view: TurnView = then ?? latest;
  const path = useMemo(() => findCriticalPath(latest), [latest]);
  const repaired = useMemo(() => listRepairs(events), [events, latest.revision]);
  const call = params.call === '' ? undefined : latest.calls.find(({ callId }) => callId === params.call);
  const select = ({ callId, attempt }: Selection): void =>
    change({ call: callId, attempt, ...(attempt > 0 ? { tab: 'decision' } : {}) }, { push: true });
  const openCall = (callId: string): void => change({ call: callId, attempt: 0 }, { push: true });
  const selection = useMemo<Selection | undefined>(
    () => (params.call === '' ? undefined : { callId: params.call, attempt: params.attempt }),
    [params.call, params.attempt],
  );
  return (
    <>
      {latest.summary !== '' && <p className={style['summary']}>{latest.summary}</p>}
      <Stats stats={turnStats(latest, nowMs)} />
      <Faults view={latest} state={state} onCall={openCall} />
      <div className={call ? `${style['main'] ?? ''} ${style['withCall'] ?? ''}` : style['main']}>
        <Tabs<(typeof shape.view)[number]>
          label="Views of the turn"
          selected={params.view}
          onSelect={(next) => change({ view: next })}
          tabs={[
            {
              id: 'waterfall',
              title: 'Waterfall',
              panel: () => (
                <div className={style['stack']}>
                  <WaterfallSection
                    view={view}
                    latest={latest}
                    path={path}
                    nowMs={then ? (atMs ?? 0) : nowMs}
                    selectedMs={atMs}
                    filter={params.show}
                    order={params.order}
                    search={params.find}
                    onChange={change}
                    selection={selection}
                    onSelect={select}
                    onClose={() => change({ call: '', attempt: 0 })}
                  />
                  {latest.status === 'completed' && <TimeSlider endMs={endMs} atMs={selectedMs} onSelect={setSelectedMs} />}
                </div>
              ),
            },
            {
              id: 'cascade',
              title: 'Cascade',
              panel: () => <CascadeGraph cascade={buildCascade(view)} selected={call?.callId} onCall={openCall} />,
            },
            { id: 'ledger', title: 'Time', panel: () => <LedgerView ledger={buildLedger(latest, path)} onCall={openCall} /> },
            {
              id: 'repairs',
              title: repaired.length === 0 ? 'Repairs' : `Repairs (${repaired.length})`,
              panel: () => <RepairsView repairs={repaired} onCall={openCall} />,
            },
            {
              id: 'events',
              title: `Events (${formatNumber(events.length)})`,
              panel: () => (
                <EventList
                  events={events}
                  revision={latest.revision}
                  search={params.q}
                  type={params.type}
                  onFilter={({ search, type }) =>
                    change({ ...(search === undefined ? {} : { q: search }), ...(type === undefined ? {} : { type }) })
                  }
                />
              ),
            },
          ]}
        />
        {call && (
          <Side callId={call.callId} attempt={params.attempt}>
            <Inspector
              call={call}
              attempt={params.attempt}
              view={latest}
              events={events}
              result={results.get(call.callId)}
              run={params.run === 0 ? undefined : params.run}
              tab={params.tab satisfies InspectorTab}
              onTab={(tab) => change({ tab })}
              onCall={openCall}
              onClose={() => change({ call: '', attempt: 0 })}
            />
          </Side>
        )}
        {params.call !== '' && call === undefined && !turn.loading && <p className="muted">This turn has no call {params.call}.</p>}
      </div>
    </>
  );
}

/** On narrow screens the call is below the waterfall, so it is scrolled into view when it is selected. */
function Side({
  callId,
  attempt,
  children,
}: {
  readonly callId: string;
  readonly attempt: number;
  readonly children: ReactNode;
}): ReactNode {
  const side = useRef<HTMLDivElement>(null);
  useEffect(() => {
    if (!matchMedia('(min-width: 75rem)').matches) side.current?.scrollIntoView({ block: 'start' });
  }, [callId, attempt]);
  return (
    <div ref={side} className={style['side']} data-scroll="call">
      <LiveRegion text={`Showing call ${callId}.`} />
      {children}
    </div>
  );
}

interface FaultsProps {
  readonly view: TurnView;
  readonly state: FollowedTurn['state'];
  readonly onCall: (callId: string) => void;
}

function Faults({ view, state, onCall }: FaultsProps): ReactNode {
  const lines = [
    ...(state === 'interrupted' ? ['The process ended before the turn did, so the trace is incomplete.'] : []),
    ...(view.deadlineReachedMs === undefined
      ? []
      : [`The deadline was reached at ${formatDuration(view.deadlineReachedMs)}. The results so far were returned.`]),
    ...(view.cancelledMs === undefined ? [] : [`The turn was cancelled at ${formatDuration(view.cancelledMs)}.`]),
    ...view.faults.slice(0, 5),
  ];
  const escalations = escalationsOf(view.calls);
  if (lines.length + escalations.length === 0) return null;
  return (
    <ul className={style['faults']}>
      {lines.map((line, index) => (
        <li key={index}>{line}</li>
      ))}
      {escalations.slice(0, maxEscalations).map(({ text, calls }) => (
        <li key={text}>
          Escalated: {text}{' '}
          {calls.slice(0, maxEscalations).map((callId, index) => (
            <span key={callId}>
              {index > 0 && ', '}
              <CallLink callId={callId} onCall={onCall} />
            </span>
          ))}
          {calls.length > maxEscalations && ` and ${calls.length - maxEscalations} more`}
        </li>
      ))}
    </ul>
  );
}
