/** One alert: the problem, since when, related pages, actions. */
import type { AlertItem, Silence } from '@holdfast/gateway/contract';
import { type ReactNode, useEffect, useRef } from 'react';
import { toolPath, turnPath } from '../../data/routes.ts';
import { usePermission } from '../../data/session.ts';
import { Button } from '../../ui/button.tsx';
import { classNames } from '../../ui/class-names.ts';
import { Link } from '../../ui/link.tsx';
import { Disclosure, Facts } from '../../ui/parts.tsx';
import { severityIndicators, Status } from '../../ui/status.tsx';
import { ErrorBox } from '../../ui/states.tsx';
import { RelativeTime } from '../../ui/time.tsx';
import { visibleText } from '../../ui/visible-text.ts';
import style from './alerts.module.css';
import { useAction } from './use-action.ts';
import {
  furtherLabels,
  groupOf,
  mayAcknowledge,
  maySilence,
  mayWithdraw,
  suppressionReasons,
  sinceOf,
  stateIndicator,
} from './alerts.model.ts';

export interface AlertCardProps {
  readonly alert: AlertItem;
  readonly alerts: readonly AlertItem[];
  readonly silences: readonly Silence[];
  /** Selected by the URL. */
  readonly selected: boolean;
  readonly onAcknowledge: (alert: AlertItem) => void;
  readonly onSilence: (alert: AlertItem) => void;
  readonly onDone: (message: string) => void;
}

export function AlertCard({ alert, alerts, silences, selected, onAcknowledge, onSilence, onDone }: AlertCardProps): ReactNode {
  const card = useRef<HTMLLIElement>(null);
  useEffect(() => {
    if (selected) card.current?.scrollIntoView({ block: 'center' });
  }, [selected]);
  const since = sinceOf(alert);
  const headingId = `alert-${alert.fingerprint}`;
  return (
    <li
      ref={card}
      data-alert={alert.name}
      data-group={groupOf(alert)}
      className={classNames(style['card'], selected && style['selected'])}
      aria-labelledby={headingId}
      {...(selected ? { 'aria-current': 'true' as const } : {})}
    >
      <div className={style['cardHead']}>
        <Status indicator={stateIndicator(alert)} filled={groupOf(alert) === 'firing'} />
        <Status indicator={severityIndicators[alert.severity]} />
        <span className={style['since']}>
          {since.label} <RelativeTime at={since.at} />
        </span>
      </div>
      <h3 id={headingId}>{visibleText(alert.summary)}</h3>
      <p>{visibleText(alert.description)}</p>
      {suppressionReasons(alert, alerts, silences).map((reason) => (
        <p key={reason} className={style['reason']}>
          {visibleText(reason)}
        </p>
      ))}
      <Where alert={alert} />
      <Numbers alert={alert} />
      <Actions alert={alert} onAcknowledge={onAcknowledge} onSilence={onSilence} onDone={onDone} />
    </li>
  );
}

function Where({ alert }: { readonly alert: AlertItem }): ReactNode {
  const { tool_id: tool, turn_id, call_id } = alert;
  return (
    <div className={style['where']}>
      {tool !== undefined && <Link to={toolPath(tool)}>Tool {tool}</Link>}
      {turn_id !== undefined && <Link to={turnPath(turn_id, { call: call_id })}>Latest contributing call</Link>}
    </div>
  );
}

function Numbers({ alert }: { readonly alert: AlertItem }): ReactNode {
  return (
    <Disclosure summary="Rule and numbers">
      <Facts
        facts={[
          ['rule', <code key="rule">{alert.name}</code>],
          ['measured', alert.value],
          ['limit', alert.limit],
          ...furtherLabels(alert),
          ['fingerprint', <code key="fingerprint">{alert.fingerprint}</code>],
        ]}
      />
    </Disclosure>
  );
}

function Actions({
  alert,
  onAcknowledge,
  onSilence,
  onDone,
}: Pick<AlertCardProps, 'alert' | 'onAcknowledge' | 'onSilence' | 'onDone'>): ReactNode {
  const { reason } = usePermission();
  const action = useAction();
  if (!mayAcknowledge(alert) && !mayWithdraw(alert) && !maySilence(alert)) return null;
  const withdraw = async (): Promise<void> => {
    const path = `/v1/alerts/${encodeURIComponent(alert.fingerprint)}/acknowledge`;
    if (await action.run<AlertItem>(path, { method: 'DELETE' })) onDone(`Withdrew the acknowledgement: ${alert.summary}.`);
  };
  return (
    <div className={style['actions']}>
      {mayAcknowledge(alert) && (
        <Button icon="hand" disabledReason={reason} aria-label={`Acknowledge: ${alert.summary}`} onClick={() => onAcknowledge(alert)}>
          Acknowledge
        </Button>
      )}
      {mayWithdraw(alert) && (
        <Button
          icon="hand"
          disabledReason={reason}
          aria-label={`Withdraw the acknowledgement: ${alert.summary}`}
          onClick={() => void withdraw()}
        >
          Withdraw acknowledgement
        </Button>
      )}
      {action.problem && <ErrorBox problem={action.problem} />}
      {maySilence(alert) && (
        <Button icon="silence" disabledReason={reason} aria-label={`Silence: ${alert.summary}`} onClick={() => onSilence(alert)}>
          Silence
        </Button>
      )}
    </div>
  );
}
