/** The views of a turn: waterfall, cascade of failures, time, repairs, events. */
import { type ReactNode, useDeferredValue, useMemo, useState } from 'react';
import type { TurnView } from '@holdfast/core/turn-view';
import type { StateOf } from '../../data/url-state.ts';
import type { ChangeOptions } from '../../data/use-url-state.ts';
import { formatNumber } from '../../ui/format.ts';
import { Tabs, type TabsProps } from '../../ui/tabs.tsx';
import { buildCascade } from './cascade/cascade.model.ts';
import { CascadeGraph } from './cascade/cascade-graph.tsx';
import { viewsOf } from './control-trace.model.ts';
import { EventList } from './events/event-list.tsx';
import { buildLedger } from './ledger/ledger.model.ts';
import { LedgerView } from './ledger/ledger-view.tsx';
import { listRepairs } from './repairs/repairs.model.ts';
import { RepairsView } from './repairs/repairs-view.tsx';
import { TimeSlider } from './time-slider.tsx';
import style from './turn.module.css';
import { viewAt } from './turn-events.model.ts';
import type { FollowedTurn } from './use-turn.ts';
import { findCriticalPath } from './waterfall/critical-path.model.ts';
import type { Selection } from './waterfall/rows.model.ts';
import { WaterfallSection } from './waterfall-section.tsx';

/** The state of the screen in the URL. */
export const turnShape = {
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

type Params = StateOf<typeof turnShape>;

export interface TurnTabsProps {
  readonly turn: FollowedTurn;
  readonly params: Params;
  readonly onChange: (change: Partial<Params>, options?: ChangeOptions) => void;
  readonly nowMs: number;
  /** The id of the selected call. */
  readonly selected: string | undefined;
  readonly onCall: (callId: string) => void;
}

export function TurnTabs({ turn, params, onChange, nowMs, selected, onCall }: TurnTabsProps): ReactNode {
  const { view: latest, events } = turn;
  const [selectedMs, setSelectedMs] = useState<number>();
  const endMs = latest.durationMs ?? latest.elapsedMs;
  const atMs = useDeferredValue(selectedMs);
  const then = useMemo(() => (atMs === undefined ? undefined : viewAt(events, atMs)), [events, atMs]);
  const view: TurnView = then ?? latest;
  const path = useMemo(() => findCriticalPath(latest), [latest]);
  const repaired = useMemo(() => listRepairs(events), [events, latest.revision]);
  const tabs: TabsProps<Params['view']>['tabs'] = [
    {
      id: 'waterfall',
      title: 'Waterfall',
      panel: () => (
        <div className={style['stack']}>
          <WaterfallPanel
            view={view}
            latest={latest}
            path={path}
            nowMs={then ? (atMs ?? 0) : nowMs}
            selectedMs={atMs}
            params={params}
            onChange={onChange}
          />
          {latest.status === 'completed' && <TimeSlider endMs={endMs} atMs={selectedMs} onSelect={setSelectedMs} />}
        </div>
      ),
    },
    {
      id: 'cascade',
      title: 'Cascade',
      panel: () => <CascadeGraph cascade={buildCascade(view)} selected={selected} onCall={onCall} />,
    },
    { id: 'ledger', title: 'Time', panel: () => <LedgerView ledger={buildLedger(latest, path, nowMs)} onCall={onCall} /> },
    {
      id: 'repairs',
      title: repaired.length === 0 ? 'Repairs' : `Repairs (${repaired.length})`,
      panel: () => <RepairsView repairs={repaired} onCall={onCall} />,
    },
    {
      id: 'events',
      title: `Events (${formatNumber(events.length)})`,
      panel: () => <EventsPanel turn={turn} params={params} onChange={onChange} />,
    },
  ];
  const { shown, selected: selectedView } = viewsOf(latest, turnShape.view, params.view);
  return (
    <Tabs<Params['view']>
      label="Views of the turn"
      selected={selectedView}
      onSelect={(next) => onChange({ view: next })}
      tabs={tabs.filter(({ id }) => shown.includes(id))}
    />
  );
}

interface WaterfallPanelProps extends Pick<TurnTabsProps, 'params' | 'onChange' | 'nowMs'> {
  readonly view: TurnView;
  readonly latest: TurnView;
  readonly path: readonly string[];
  readonly selectedMs: number | undefined;
}

function WaterfallPanel({ params, onChange, ...shown }: WaterfallPanelProps): ReactNode {
  const select = ({ callId, attempt }: Selection): void =>
    onChange({ call: callId, attempt, ...(attempt > 0 ? { tab: 'decision' } : {}) }, { push: true });
  const selection = useMemo<Selection | undefined>(
    () => (params.call === '' ? undefined : { callId: params.call, attempt: params.attempt }),
    [params.call, params.attempt],
  );
  return (
    <WaterfallSection
      {...shown}
      filter={params.show}
      order={params.order}
      search={params.find}
      onChange={onChange}
      selection={selection}
      onSelect={select}
      onClose={() => onChange({ call: '', attempt: 0 })}
    />
  );
}

function EventsPanel({ turn: { events, view }, params, onChange }: Pick<TurnTabsProps, 'turn' | 'params' | 'onChange'>): ReactNode {
  return (
    <EventList
      events={events}
      revision={view.revision}
      search={params.q}
      type={params.type}
      onFilter={({ search, type }) => onChange({ ...(search === undefined ? {} : { q: search }), ...(type === undefined ? {} : { type }) })}
    />
  );
}
