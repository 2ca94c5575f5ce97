/** Owns what is the matter now: the alerts in their groups. */
import type { AlertItem, AlertList } from '@holdfast/gateway/contract';
import type { ReactNode } from 'react';
import { Section } from '../../ui/page.tsx';
import { Empty } from '../../ui/states.tsx';
import { AlertCard } from './alert-card.tsx';
import style from './alerts.module.css';
import { groupsOf } from './alerts.model.ts';

export interface NowProps {
  readonly list: AlertList;
  /** A fingerprint, or nothing. */
  readonly selected: string;
  readonly onAcknowledge: (alert: AlertItem) => void;
  readonly onSilence: (alert: AlertItem) => void;
}

export function Now({ list, selected, onAcknowledge, onSilence }: NowProps): ReactNode {
  const { alerts, silences } = list;
  const groups = groupsOf(alerts);
  const isGone = selected !== '' && alerts.every(({ fingerprint }) => fingerprint !== selected);
  return (
    <div className={style['stack']}>
      {isGone && <Empty title="The alert of this address is over.">The history says when.</Empty>}
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
      <Empty title="Nobody watches.">
        The manifest says <code>alerts: {'{ enabled: false }'}</code>, so no rule is looked at.
      </Empty>
    );
  return <Empty title="Nothing is the matter.">{rules.length} rules are looked at; none of them has anything to say.</Empty>;
}
