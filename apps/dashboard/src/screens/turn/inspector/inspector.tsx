/** The details of one call: decisions, input and output, error, settings, events. */
import type { CallResult, TraceEvent } from '@holdfast/gateway/contract';
import { type ReactNode, useId } from 'react';
import { toolPath } from '../../../data/routes.ts';
import { Button } from '../../../ui/button.tsx';
import { formatDuration } from '../../../ui/format.ts';
import { Link } from '../../../ui/link.tsx';
import { Code, CopyButton, Facts } from '../../../ui/parts.tsx';
import { Status } from '../../../ui/status.tsx';
import { Tabs } from '../../../ui/tabs.tsx';
import { CallLink } from '../call-link.tsx';
import { decisionRecord } from '../decision/decision-record.model.ts';
import type { CallView, TurnView } from '@holdfast/core/turn-view';
import { canReplay } from '../../what-if/recorded.model.ts';
import { settingLines } from '../settings.model.ts';
import { callIndicator } from '../labels.ts';
import { CapturedData } from './captured-data.tsx';
import { DecisionCard } from './decision-card.tsx';
import { ErrorTab } from './error-tab.tsx';
import style from './inspector.module.css';
import { visibleText } from '../../../ui/visible-text.ts';

export type InspectorTab = 'decision' | 'data' | 'error' | 'settings' | 'events';

export interface InspectorProps {
  readonly call: CallView;
  /** 0: no attempt is selected. */
  readonly attempt: number;
  readonly view: TurnView;
  readonly events: readonly TraceEvent[];
  readonly result: Partial<CallResult> | undefined;
  readonly run: number | undefined;
  readonly tab: InspectorTab;
  readonly onTab: (tab: InspectorTab) => void;
  readonly onCall: (callId: string) => void;
  readonly onClose: () => void;
}

export function Inspector(props: InspectorProps): ReactNode {
  const { call, view, events, result, tab, onTab, onCall, onClose } = props;
  const heading = useId();
  const callEvents = call.events.flatMap((at) => events[at] ?? []);
  const raw = (): ReactNode => {
    const text = callEvents.map((event) => JSON.stringify(event, null, 1)).join('\n');
    return (
      <div className={style['stack']}>
        <div className={style['head']}>
          <span className="muted">{callEvents.length} events, as recorded</span>
          <CopyButton text={text} label="Copy events" />
        </div>
        <Code text={visibleText(text)} label="Events of the call" />
      </div>
    );
  };
  return (
    <aside className={style['inspector']} aria-labelledby={heading} data-call={call.callId}>
      <div className={style['head']}>
        <h2 id={heading}>{visibleText(call.callId)}</h2>
        <Status indicator={callIndicator(call.status)} />
        <Link to={toolPath(call.toolName)}>{call.toolName}</Link>
        <span className={style['close']}>
          <Button kind="quiet" icon="close" aria-label="Close call" onClick={onClose} />
        </span>
      </div>
      <Fact call={call} view={view} onCall={onCall} />
      <Tabs<InspectorTab>
        label="Call details"
        selected={tab}
        onSelect={onTab}
        tabs={[
          {
            id: 'decision',
            title: call.decisions.length === 0 ? 'Decision' : `Decisions (${call.decisions.length})`,
            panel: () => <Decisions {...props} />,
          },
          { id: 'data', title: 'Input, output', panel: () => <CapturedData call={call} result={result} /> },
          { id: 'error', title: 'Error', panel: () => <ErrorTab call={call} result={result} startedAt={view.startedAt} /> },
          { id: 'settings', title: 'Settings', panel: () => <Settings call={call} view={view} /> },
          { id: 'events', title: 'Raw events', panel: raw },
        ]}
      />
    </aside>
  );
}

/** A short summary of the call. */
function Fact({
  call,
  view,
  onCall,
}: {
  readonly call: CallView;
  readonly view: TurnView;
  readonly onCall: (callId: string) => void;
}): ReactNode {
  const { startedMs, endedMs, end, skip, defaults, dependsOn } = call;
  const attempts = call.segments.filter(({ kind }) => kind === 'attempt').length;
  const left = view.timeoutMs === undefined || startedMs === undefined ? undefined : Math.max(0, view.timeoutMs - startedMs);
  return (
    <div className={style['summary']}>
      {skip ? (
        <div className={style['chain']}>
          <span>Skipped. Caused by:</span>
          <CallLinks ids={skip.causedBy} between="←" onCall={onCall} />
        </div>
      ) : (
        <p>
          {startedMs === undefined ? 'Not started.' : `Started at ${formatDuration(startedMs)}`}
          {startedMs !== undefined && endedMs !== undefined && `, took ${formatDuration(endedMs - startedMs)}`}
          {attempts > 1 && `, ${attempts} attempts`}
          {left !== undefined && `, ${formatDuration(left)} before the deadline`}
          {startedMs !== undefined && '.'}
          {end !== undefined && end.servedBy !== call.toolName && end.status === 'success' && ` Served by ${end.servedBy}.`}
          {end?.partial === true && ' Partial output.'}
        </p>
      )}
      {defaults.some((each) => each !== '') && (
        <div className={style['chain']}>
          <span>Uses a default for</span>
          <CallLinks ids={defaults.filter((each) => each !== '')} between="," onCall={onCall} />
        </div>
      )}
      {dependsOn.length > 0 && !skip && (
        <div className={style['chain']}>
          <span className="muted">Depends on</span>
          <CallLinks ids={dependsOn} between="," onCall={onCall} />
        </div>
      )}
    </div>
  );
}

function CallLinks({
  ids,
  between,
  onCall,
}: {
  readonly ids: readonly string[];
  readonly between: string;
  readonly onCall: (callId: string) => void;
}): ReactNode {
  return ids.slice(0, 12).map((callId, index) => (
    <span key={callId} className={style['chain']}>
      {index > 0 && <span aria-hidden="true">{between}</span>}
      <CallLink callId={callId} onCall={onCall} />
    </span>
  ));
}

function Decisions({ call, attempt, view, run }: InspectorProps): ReactNode {
  const records = call.decisions.map((decision) => decisionRecord(decision, call.failures, view));
  if (records.length === 0)
    return (
      <p className="muted">
        {call.startedMs === undefined ? 'No decisions: the tool was never called.' : 'No decisions: no attempt failed.'}
      </p>
    );
  const wanted = attempt > 0 ? records.findLast((record) => record.attempt === attempt) : undefined;
  return (
    <div className={style['stack']}>
      {attempt > 0 && wanted === undefined && <p className="muted">No decision about attempt {attempt}: it did not fail.</p>}
      {records.map((record, index) => (
        <DecisionCard
          key={record.seq}
          record={record}
          turnId={view.turnId}
          startedAt={view.startedAt}
          run={run}
          canReplay={canReplay(view)}
          wanted={record === wanted}
          open={wanted === undefined ? index === records.length - 1 : record === wanted}
        />
      ))}
    </div>
  );
}

function Settings({ call, view }: { readonly call: CallView; readonly view: TurnView }): ReactNode {
  const settings = view.settings[call.toolName] ?? view.baseSettings;
  const lines = settingLines(settings);
  if (lines.length === 0)
    return <p className="muted">This call was recorded without its settings, by an older version. The tool page shows the current ones.</p>;
  return (
    <div className={style['stack']}>
      <p className="muted">At the start of the {view.single ? 'call' : 'turn'}.</p>
      <Facts facts={lines} />
      {call.policy !== undefined && <Code text={JSON.stringify(call.policy, null, 2)} label="Settings of this call" />}
      <Code text={JSON.stringify(settings, null, 2)} label="All settings" />
    </div>
  );
}
