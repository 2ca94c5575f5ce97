/** The page of one turn: waterfall, decisions, cascade of failures, time, repairs, events. */
import { type ReactNode, useDeferredValue, useEffect, useMemo, useRef, useState } from 'react';
import { useUrlState, usePathSegment } from '../../data/use-url-state.ts';
import { whatIfPath } from '../../data/routes.ts';
import { duration, number } from '../../ui/format.ts';
import { Icon } from '../../ui/icon.tsx';
import { Link } from '../../ui/link.tsx';
import { CopyButton, Figures, LiveRegion } from '../../ui/parts.tsx';
import { Page } from '../../ui/page.tsx';
import { Empty, ErrorBox, Skeleton } from '../../ui/states.tsx';
import { Status, turnSign } from '../../ui/status.tsx';
import { Moment as MomentText } from '../../ui/time.tsx';
import { Tabs } from '../../ui/tabs.tsx';
import { CallLink } from './call-link.tsx';
import { cascade } from './cascade/cascade.model.ts';
import { CascadeGraph } from './cascade/cascade-graph.tsx';
import { EventList } from './events/event-list.tsx';
import { ExportMenu } from './export-menu.tsx';
import { escalationsOf, figuresOf } from './figures.model.ts';
import { viewAt } from './turn-events.model.ts';
import type { TurnView } from '@holdfast/core/turn-view';
import { Inspector, type InspectorTab } from './inspector/inspector.tsx';
import { ledger } from './ledger/ledger.model.ts';
import { LedgerView } from './ledger/ledger-view.tsx';
import { Moment } from './moment.tsx';
import { repairs } from './repairs/repairs.model.ts';
import { RepairsView } from './repairs/repairs-view.tsx';
import style from './turn.module.css';
import { type FollowedTurn, useNowOf, useTurn } from './use-turn.ts';
import { criticalPath } from './waterfall/critical-path.model.ts';
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
      beside={<Beside turn={turn} turnId={turnId} />}
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

function Beside({ turn: { view, state, live, loading }, turnId }: { readonly turn: FollowedTurn; readonly turnId: string }): ReactNode {
  const sign = state === undefined ? undefined : turnSign({ state, ...(view.outcome === undefined ? {} : { outcome: view.outcome }) });
  return (
    <>
      <CopyButton text={turnId} label="Copy the turn id" />
      {sign && <Status sign={sign} filled />}
      {(loading || state === 'running') && <span className="muted">{loading ? 'loading …' : live ? 'live' : 'reconnecting …'}</span>}
      {view.startedAt !== '' && (
        <span className="muted">
          <MomentText at={view.startedAt} />
        </span>
      )}
      <LiveRegion text={view.status === 'completed' && sign ? `The turn has ended: ${sign.word}.` : ''} />
    </>
  );
}

function Loaded({ turn }: { readonly turn: FollowedTurn }): ReactNode {
  const { view: latest, events, results, state, live } = turn;
  const [look, change] = useUrlState(shape);
  const [momentMs, setMoment] = useState<number>();
  const nowMs = useNowOf(latest.elapsedMs, state === 'running', live);
  const endMs = latest.durationMs ?? latest.elapsedMs;
  const atMs = useDeferredValue(momentMs);
  const then = useMemo(() => (atMs === undefined ? undefined : viewAt(events, atMs)), [events, atMs]);
  const view: TurnView = then ?? latest;
  const path = useMemo(() => criticalPath(latest), [latest]);
  const repaired = useMemo(() => repairs(events), [events, latest.revision]);
  const call = look.call === '' ? undefined : latest.calls.find(({ callId }) => callId === look.call);
  const select = ({ callId, attempt }: Selection): void =>
    change({ call: callId, attempt, ...(attempt > 0 ? { tab: 'decision' } : {}) }, { push: true });
  const openCall = (callId: string): void => change({ call: callId, attempt: 0 }, { push: true });
  const selection = useMemo<Selection | undefined>(
    () => (look.call === '' ? undefined : { callId: look.call, attempt: look.attempt }),
    [look.call, look.attempt],
  );
  return (
    <>
      {latest.summary !== '' && <p className={style['summary']}>{latest.summary}</p>}
      <Figures figures={figuresOf(latest, nowMs)} />
      <Faults view={latest} state={state} onCall={openCall} />
      <div className={call ? `${style['main'] ?? ''} ${style['withCall'] ?? ''}` : style['main']}>
        <Tabs<(typeof shape.view)[number]>
          label="Views of the turn"
          selected={look.view}
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
                    momentMs={atMs}
                    filter={look.show}
                    order={look.order}
                    search={look.find}
                    onLook={change}
                    selection={selection}
                    onSelect={select}
                    onClose={() => change({ call: '', attempt: 0 })}
                  />
                  {latest.status === 'completed' && <Moment endMs={endMs} atMs={momentMs} onMoment={setMoment} />}
                </div>
              ),
            },
            {
              id: 'cascade',
              title: 'Cascade',
              panel: () => <CascadeGraph cascade={cascade(view)} selected={call?.callId} onCall={openCall} />,
            },
            { id: 'ledger', title: 'Time', panel: () => <LedgerView ledger={ledger(latest, path)} onCall={openCall} /> },
            {
              id: 'repairs',
              title: repaired.length === 0 ? 'Repairs' : `Repairs (${repaired.length})`,
              panel: () => <RepairsView repairs={repaired} onCall={openCall} />,
            },
            {
              id: 'events',
              title: `Events (${number(events.length)})`,
              panel: () => (
                <EventList
                  events={events}
                  revision={latest.revision}
                  search={look.q}
                  type={look.type}
                  onFilter={({ search, type }) =>
                    change({ ...(search === undefined ? {} : { q: search }), ...(type === undefined ? {} : { type }) })
                  }
                />
              ),
            },
          ]}
        />
        {call && (
          <Side callId={call.callId} attempt={look.attempt}>
            <Inspector
              call={call}
              attempt={look.attempt}
              view={latest}
              events={events}
              result={results.get(call.callId)}
              run={look.run === 0 ? undefined : look.run}
              tab={look.tab satisfies InspectorTab}
              onTab={(tab) => change({ tab })}
              onCall={openCall}
              onClose={() => change({ call: '', attempt: 0 })}
            />
          </Side>
        )}
        {look.call !== '' && call === undefined && !turn.loading && <p className="muted">This turn has no call {look.call}.</p>}
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
      : [`The deadline was reached at ${duration(view.deadlineReachedMs)}. The results so far were returned.`]),
    ...(view.cancelledMs === undefined ? [] : [`The turn was cancelled at ${duration(view.cancelledMs)}.`]),
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
