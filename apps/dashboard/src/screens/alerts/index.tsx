/** The alerts screen: current alerts, silences, rules, receivers, history. */
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
import { firingCount, summaryOf } from './alerts.model.ts';
import { History } from './history.tsx';
import { CurrentAlerts } from './current-alerts.tsx';
import { Receivers } from './receivers.tsx';
import { Rules } from './rules.tsx';
import { SilenceDialog } from './silence-dialog.tsx';
import { Silences } from './silences.tsx';

const shape = { tab: ['now', 'silences', 'rules', 'receivers', 'history'], alert: '' } as const;
type TabId = (typeof shape.tab)[number];

/** The open dialog. */
type OpenDialog = { readonly kind: 'acknowledge'; readonly alert: AlertItem } | { readonly kind: 'silence'; readonly alert?: AlertItem };

export function Alerts(): ReactNode {
  const live = useLivePart(({ overview }) => overview?.alerts);
  const list = useQuery<AlertList>('/v1/alerts', { everyMs: 5_000, version: versionOf(live) });
  const [{ tab, alert }, setState] = useUrlState(shape);
  const [dialog, setDialog] = useState<OpenDialog>();
  const [message, setMessage] = useState('');
  const { data } = list;
  const onDone = (text: string): void => {
    setMessage(text);
    void list.reload();
  };
  const closeDialog = (): void => setDialog(undefined);
  return (
    <Page title="Alerts" subtitle={data && <span className={style['summary']}>{summaryOf(data.alerts) || 'No alerts.'}</span>}>
      {list.problem && <ErrorBox problem={list.problem} onRetry={() => void list.reload()} />}
      {!data && !list.problem && <Skeleton height="24rem" />}
      {data && (
        <Tabs
          label="Alerts"
          tabs={tabsOf(data, alert, setDialog, onDone)}
          selected={tab}
          onSelect={(id) => setState({ tab: id }, { push: true })}
        />
      )}
      <AcknowledgeDialog alert={dialog?.kind === 'acknowledge' ? dialog.alert : undefined} onClose={closeDialog} onDone={onDone} />
      {dialog?.kind === 'silence' && (
        <SilenceDialog alert={dialog.alert} alerts={data?.alerts ?? []} onClose={closeDialog} onDone={onDone} />
      )}
      <LiveRegion text={message} />
    </Page>
  );
}

function tabsOf(
  list: AlertList,
  selected: string,
  openDialog: (dialog: OpenDialog) => void,
  onDone: (message: string) => void,
): readonly Tab<TabId>[] {
  const { alerts, rules, silences, receivers } = list;
  const active = silences.filter(({ state }) => state === 'active').length;
  return [
    {
      id: 'now',
      title: `Current (${firingCount(alerts)} firing)`,
      panel: () => (
        <CurrentAlerts
          list={list}
          selected={selected}
          onAcknowledge={(alert) => openDialog({ kind: 'acknowledge', alert })}
          onSilence={(alert) => openDialog({ kind: 'silence', alert })}
          onDone={onDone}
        />
      ),
    },
    {
      id: 'silences',
      title: `Silences (${active})`,
      panel: () => <Silences silences={silences} onAdd={() => openDialog({ kind: 'silence' })} onDone={onDone} />,
    },
    { id: 'rules', title: `Rules (${rules.length})`, panel: () => <Rules rules={rules} /> },
    { id: 'receivers', title: `Receivers (${receivers.length})`, panel: () => <Receivers receivers={receivers} onDone={onDone} /> },
    { id: 'history', title: 'History', panel: () => <History /> },
  ];
}

/** Changes whenever the alerts change. */
const versionOf = (alerts: readonly AlertItem[] | undefined): string =>
  (alerts ?? [])
    .map(({ fingerprint, state, silenced_by, acknowledged }) => `${fingerprint} ${state} ${silenced_by.length} ${acknowledged?.at ?? ''}`)
    .join();
