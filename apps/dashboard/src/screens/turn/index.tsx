/** The page of one turn: waterfall, decisions, cascade of failures, time, repairs, events. */
import { type ReactNode, useEffect, useRef } from 'react';
import { useUrlState, usePathSegment } from '../../data/use-url-state.ts';
import { whatIfPath } from '../../data/routes.ts';
import { formatDuration } from '../../ui/format.ts';
import { Icon } from '../../ui/icon.tsx';
import { Link } from '../../ui/link.tsx';
import { CopyButton, Stats, LiveRegion } from '../../ui/parts.tsx';
import { Page } from '../../ui/page.tsx';
import { Empty, ErrorBox, Skeleton } from '../../ui/states.tsx';
import { Status, turnIndicator } from '../../ui/status.tsx';
import { Timestamp } from '../../ui/time.tsx';
import { CallLink } from './call-link.tsx';
import { canReplay } from '../what-if/recorded.model.ts';
import { isControlTrace } from './control-trace.model.ts';
import { ExportMenu } from './export-menu.tsx';
import { lossesOf, turnStats } from './stats.model.ts';
import type { TurnView } from '@holdfast/core/turn-view';
import type { StoppedBetween } from '@holdfast/gateway/contract';
import { Inspector, type InspectorTab } from './inspector/inspector.tsx';
import style from './turn.module.css';
import { turnShape, TurnTabs } from './turn-tabs.tsx';
import { type FollowedTurn, useNowOf, useTurn } from './use-turn.ts';

/** Further lost calls are not shown. */
const maxLosses = 6;

export function Turn(): ReactNode {
  const turnId = usePathSegment(1);
  const [{ run }] = useUrlState(turnShape);
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
            {canReplay(view) && !isControlTrace(view) && (
              <Link to={whatIfPath(turnId, { run })} className={style['menuButton']}>
                <Icon name="flask" /> What if …
              </Link>
            )}
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
  const isControl = isControlTrace(view);
  const indicator =
    state === undefined || isControl
      ? undefined
      : turnIndicator({ state, ...(view.outcome === undefined ? {} : { outcome: view.outcome }) });
  return (
    <>
      <CopyButton text={turnId} label="Copy the turn id" />
      {indicator && <Status indicator={indicator} filled />}
      {isControl && <span className="muted">events outside of turns</span>}
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
  const [params, change] = useUrlState(turnShape);
  const nowMs = useNowOf(latest, state === 'running', live);
  const call = params.call === '' ? undefined : latest.calls.find(({ callId }) => callId === params.call);
  const isControl = isControlTrace(latest);
  const openCall = (callId: string): void => change({ call: callId, attempt: 0 }, { push: true });
  return (
    <>
      {latest.summary !== '' && <p className={style['summary']}>{latest.summary}</p>}
      {!isControl && <Stats stats={turnStats(latest, nowMs, state)} />}
      {turn.stopped && state === 'interrupted' && !isControl && <Stopped stopped={turn.stopped} />}
      <Faults view={latest} onCall={openCall} />
      <div className={call ? `${style['main'] ?? ''} ${style['withCall'] ?? ''}` : style['main']}>
        <TurnTabs turn={turn} params={params} onChange={change} nowMs={nowMs} selected={call?.callId} onCall={openCall} />
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

function Stopped({ stopped: { after, before } }: { readonly stopped: StoppedBetween }): ReactNode {
  return (
    <ul className={style['faults']}>
      <li>
        The process stopped between <Timestamp at={after} />, its last sign of life, and <Timestamp at={before} />. The trace ends there:
        how the calls without a result ended is unknown.
      </li>
    </ul>
  );
}

interface FaultsProps {
  readonly view: TurnView;
  readonly onCall: (callId: string) => void;
}

function Faults({ view, onCall }: FaultsProps): ReactNode {
  const lines = [
    ...(view.deadlineReachedMs === undefined
      ? []
      : [`The deadline was reached at ${formatDuration(view.deadlineReachedMs)}. The results so far were returned.`]),
    ...(view.cancelledMs === undefined ? [] : [`The turn was cancelled at ${formatDuration(view.cancelledMs)}.`]),
    ...view.faults.slice(0, 5),
  ];
  const losses = lossesOf(view.calls);
  if (lines.length + losses.length === 0) return null;
  return (
    <ul className={style['faults']}>
      {lines.map((line, index) => (
        <li key={index}>{line}</li>
      ))}
      {losses.slice(0, maxLosses).map(({ text, escalates, calls }) => (
        <li key={`${escalates} ${text}`}>
          {escalates ? 'Escalated' : 'Lost'}: {text}{' '}
          {calls.slice(0, maxLosses).map((callId, index) => (
            <span key={callId}>
              {index > 0 && ', '}
              <CallLink callId={callId} onCall={onCall} />
            </span>
          ))}
          {calls.length > maxLosses && ` and ${calls.length - maxLosses} more`}
        </li>
      ))}
    </ul>
  );
}
