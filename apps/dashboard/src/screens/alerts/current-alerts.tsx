/** The current alerts, in groups. */
import type { AlertItem, AlertList } from '@holdfast/gateway/contract';
import type { ReactNode } from 'react';
import { Section } from '../../ui/page.tsx';
import { Empty } from '../../ui/states.tsx';
import { AlertCard } from './alert-card.tsx';
import style from './alerts.module.css';
import { groupsOf } from './alerts.model.ts';

export interface CurrentAlertsProps {
  readonly list: AlertList;
  /** A fingerprint, or empty. */
  readonly selected: string;
  readonly onAcknowledge: (alert: AlertItem) => void;
  readonly onSilence: (alert: AlertItem) => void;
  readonly onDone: (message: string) => void;
}

export function CurrentAlerts({ list, selected, onAcknowledge, onSilence, onDone }: CurrentAlertsProps): ReactNode {
  const { alerts, silences } = list;
  const groups = groupsOf(alerts);
  const isGone = selected !== '' && alerts.every(({ fingerprint }) => fingerprint !== selected);
  return (
    <div className={style['stack']}>
      {isGone && <Empty title="This alert is no longer active.">The history shows when it was resolved.</Empty>}
      {groups.length === 0 && <Nothing list={list} />}
      {groups.map(({ id, title, note, alerts: members }) => (
        <Section key={id} title={`${title} (${members.length})`} note={note}>
          <ul className={style['cards']}>
            {members.map((alert) => (
              <AlertCard
                key={alert.fingerprint}
                alert={alert}
                alerts={alerts}
                silences={silences}
                selected={alert.fingerprint === selected}
                onAcknowledge={onAcknowledge}
                onSilence={onSilence}
                onDone={onDone}
              />
            ))}
          </ul>
        </Section>
      ))}
    </div>
  );
}

function Nothing({ list: { rules } }: { readonly list: AlertList }): ReactNode {
  if (rules.length === 0)
    return (
      <Empty title="Alerts are disabled.">
        The manifest has <code>alerts: {'{ enabled: false }'}</code>, so no rules are evaluated.
      </Empty>
    );
  return <Empty title="No alerts.">{rules.length} rules are evaluated; none of them fires.</Empty>;
}
