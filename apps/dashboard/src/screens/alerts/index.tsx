/** Owns the screen of alerts: what fires, what would, what is kept quiet, who is told. */
import type { AlertItem, AlertList } from '@holdfast/gateway/contract';
import { type ReactNode, useState } from 'react';
import { useLivePart } from '../../data/live.tsx';
import { useQuery } from '../../data/use-query.ts';
import { useUrlState } from '../../data/use-url-state.ts';
import { Page } from '../../ui/page.tsx';
import { LiveRegion } from '../../ui/parts.tsx';
import { ErrorBox, Skeleton } from '../../ui/states.tsx';
import { type Tab, Tabs } from '../../ui/tabs.tsx';
import { AcknowledgeDialog } from './acknowledge-dialog.tsx';
import style from './alerts.module.css';
import { summaryOf } from './alerts.model.ts';
import { History } from './history.tsx';
import { Now } from './now.tsx';
import { Receivers } from './receivers.tsx';
import { Rules } from './rules.tsx';
import { SilenceDialog } from './silence-dialog.tsx';
import { Silences } from './silences.tsx';

const shape = { tab: ['now', 'silences', 'rules', 'receivers', 'history'], alert: '' } as const;
type TabId = (typeof shape.tab)[number];

/** What is being done. */
type Doing = { readonly kind: 'acknowledge'; readonly alert: AlertItem } | { readonly kind: 'silence'; readonly alert?: AlertItem };

export function Alerts(): ReactNode {
  const live = useLivePart(({ overview }) => overview?.alerts);
  const list = useQuery<AlertList>('/v1/alerts', { everyMs: 5_000, version: versionOf(live) });
  const [{ tab, alert }, setState] = useUrlState(shape);
  const [doing, setDoing] = useState<Doing>();
  const [said, setSaid] = useState('');
  const { data } = list;
  const showDone = (text: string): void => {
    setSaid(text);
    void list.reload();
  };
  const stop = (): void => setDoing(undefined);
  return (
    <Page title="Alerts" beside={data && <span className={style['summary']}>{summaryOf(data.alerts) || 'Nothing is the matter.'}</span>}>
      {list.problem && <ErrorBox problem={list.problem} onRetry={() => void list.reload()} />}
      {!data && !list.problem && <Skeleton height="24rem" />}
      {data && (
        <Tabs
          label="Alerts"
          tabs={tabsOf(data, alert, setDoing, showDone)}
          selected={tab}
          onSelect={(id) => setState({ tab: id }, { push: true })}
        />
      )}
      <AcknowledgeDialog alert={doing?.kind === 'acknowledge' ? doing.alert : undefined} onClose={stop} onDone={showDone} />
      {doing?.kind === 'silence' && <SilenceDialog alert={doing.alert} alerts={data?.alerts ?? []} onClose={stop} onDone={showDone} />}
      <LiveRegion text={said} />
    </Page>
  );
}

function tabsOf(list: AlertList, selected: string, act: (doing: Doing) => void, done: (said: string) => void): readonly Tab<TabId>[] {
  const { alerts, rules, silences, receivers } = list;
  const open = alerts.filter(({ state }) => state !== 'resolved').length;
  const active = silences.filter(({ state }) => state === 'active').length;
  return [
    {
      id: 'now',
      title: `Now (${open})`,
      panel: () => (
        <Now
          list={list}
          selected={selected}
          onAcknowledge={(alert) => act({ kind: 'acknowledge', alert })}
          onSilence={(alert) => act({ kind: 'silence', alert })}
        />
      ),
    },
    {
      id: 'silences',
      title: `Silences (${active})`,
      panel: () => <Silences silences={silences} onAdd={() => act({ kind: 'silence' })} onDone={done} />,
    },
    { id: 'rules', title: `Rules (${rules.length})`, panel: () => <Rules rules={rules} /> },
    { id: 'receivers', title: `Receivers (${receivers.length})`, panel: () => <Receivers receivers={receivers} onDone={done} /> },
    { id: 'history', title: 'History', panel: () => <History /> },
  ];
}

/** Another text when something of them is another. */
const versionOf = (alerts: readonly AlertItem[] | undefined): string =>
  (alerts ?? [])
    .map(({ fingerprint, state, silenced_by, acknowledged }) => `${fingerprint} ${state} ${silenced_by.length} ${acknowledged?.at ?? ''}`)
    .join();
