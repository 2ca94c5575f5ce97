/** The receivers of notifications, their tests, and the delivery log. */
import type { Delivery, DeliveryLog, ReceiverItem } from '@holdfast/gateway/contract';
import { type ReactNode, useState } from 'react';
import { usePermission } from '../../data/session.ts';
import { useQuery } from '../../data/use-query.ts';
import { Button } from '../../ui/button.tsx';
import { Section } from '../../ui/page.tsx';
import { Empty, ErrorBox, Skeleton } from '../../ui/states.tsx';
import { Status } from '../../ui/status.tsx';
import { type Column, Table } from '../../ui/table.tsx';
import { Duration, Timestamp, RelativeTime } from '../../ui/time.tsx';
import { visibleText } from '../../ui/visible-text.ts';
import style from './alerts.module.css';
import { contentOf, deliveryIndicator, kindLabel, testOutcome } from './delivery.model.ts';
import { useAction } from './use-action.ts';

export interface ReceiversProps {
  readonly receivers: readonly ReceiverItem[];
  readonly onDone: (message: string) => void;
}

export function Receivers({ receivers, onDone }: ReceiversProps): ReactNode {
  const log = useQuery<DeliveryLog>('/v1/alerts/deliveries?limit=100', { everyMs: 5_000 });
  const test = (message: string): void => {
    onDone(message);
    void log.reload();
  };
  return (
    <div className={style['stack']}>
      {receivers.length === 0 ? (
        <Empty title="No receivers.">
          Add receivers to <code>alerts.receivers</code> in the manifest: a webhook, Slack, PagerDuty or an Alertmanager.
        </Empty>
      ) : (
        <Section title="Receivers">
          <ul className={style['cards']}>
            {receivers.map((receiver) => (
              <Receiver key={receiver.name} receiver={receiver} onDone={test} />
            ))}
          </ul>
        </Section>
      )}
      <Section title="Deliveries" note="newest first, with all attempts">
        {log.data && <Deliveries deliveries={log.data.deliveries} />}
        {log.problem && !log.data && <ErrorBox problem={log.problem} onRetry={() => void log.reload()} />}
        {!log.data && !log.problem && <Skeleton height="12rem" />}
      </Section>
    </div>
  );
}

function Receiver({ receiver, onDone }: { readonly receiver: ReceiverItem; readonly onDone: (message: string) => void }): ReactNode {
  const { name, target, last_delivery: last } = receiver;
  const { reason } = usePermission();
  const action = useAction();
  const [tested, setTested] = useState<Delivery>();
  const test = async (): Promise<void> => {
    setTested(undefined);
    const delivery = await action.run<Delivery>(`/v1/receivers/${encodeURIComponent(name)}/test`, { method: 'POST' });
    if (!delivery) return;
    setTested(delivery);
    onDone(testOutcome(delivery));
  };
  return (
    <li className={style['card']} data-receiver={name} aria-labelledby={`receiver-${name}`}>
      <div className={style['cardHead']}>
        <h3 id={`receiver-${name}`}>{name}</h3>
        <span>{kindLabel(receiver)}</span>
        <code>{target}</code>
      </div>
      <p className={style['since']}>
        {last ? (
          <>
            Last notified <RelativeTime at={last.at} />: <Status indicator={deliveryIndicator(last)} />
          </>
        ) : (
          'Never notified.'
        )}
      </p>
      {tested && <p>{testOutcome(tested)}</p>}
      {action.problem && <ErrorBox problem={action.problem} />}
      <div className={style['actions']}>
        <Button
          icon="flask"
          aria-label={`Send a test to ${name}`}
          disabledReason={reason ?? (action.running ? 'A test is being sent.' : undefined)}
          onClick={() => void test()}
        >
          {action.running ? 'Sending …' : 'Send a test'}
        </Button>
      </div>
    </li>
  );
}

const columns: readonly Column<Delivery>[] = [
  { id: 'at', title: 'When', cell: ({ at }) => <Timestamp at={at} />, narrow: true },
  { id: 'receiver', title: 'Receiver', cell: ({ receiver }) => receiver },
  { id: 'content', title: 'Content', cell: contentOf, secondary: true },
  { id: 'status', title: 'Outcome', cell: (delivery) => <Outcome delivery={delivery} /> },
  { id: 'attempts', title: 'Attempts', cell: ({ attempts }) => attempts, align: 'end', secondary: true },
  { id: 'duration', title: 'Duration', cell: ({ duration_ms }) => <Duration ms={duration_ms} />, align: 'end', secondary: true },
];

function Outcome({ delivery }: { readonly delivery: Delivery }): ReactNode {
  const { code, error } = delivery;
  return (
    <>
      <Status indicator={deliveryIndicator(delivery)} /> {code !== undefined && <code>{code}</code>}
      {error !== undefined && <div className={style['since']}>{visibleText(error)}</div>}
    </>
  );
}

function Deliveries({ deliveries }: { readonly deliveries: readonly Delivery[] }): ReactNode {
  if (deliveries.length === 0) return <Empty title="No deliveries yet." />;
  return <Table caption="Deliveries" columns={columns} rows={deliveries} keyOf={({ id }) => id} />;
}
