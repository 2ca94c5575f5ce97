/** Labels of deliveries, receivers and alert events. */
import type { AlertEvent, Delivery, ReceiverItem } from '@holdfast/gateway/contract';
import { pluralize } from '../../ui/format.ts';
import type { Indicator } from '../../ui/status.tsx';

const deliveryIndicators: Readonly<Record<Delivery['status'], Indicator>> = {
  delivered: { label: 'delivered', icon: 'done', tone: 'good' },
  failed: { label: 'failed', icon: 'failed', tone: 'bad' },
  waiting: { label: 'in progress', icon: 'running', tone: 'accent' },
};

export const deliveryIndicator = ({ status }: Pick<Delivery, 'status'>): Indicator => deliveryIndicators[status];

const kindLabels: Readonly<Record<ReceiverItem['kind'], string>> = {
  webhook: 'webhook',
  signed_webhook: 'signed webhook',
  slack: 'Slack',
  pagerduty: 'PagerDuty',
  alertmanager: 'Alertmanager',
};

export const kindLabel = ({ kind }: Pick<ReceiverItem, 'kind'>): string => kindLabels[kind];

/** `2 alerts`, `a test` */
export const contentOf = ({ alerts, test }: Delivery): string => (test === true ? 'a test' : pluralize(alerts.length, 'alert'));

/** The result of a test, as a sentence for screen readers. */
export function testOutcome({ receiver, status, attempts, error }: Delivery): string {
  if (status === 'delivered') return `The test was delivered to ${receiver}.`;
  return `The test of ${receiver} failed after ${pluralize(attempts, 'attempt')}${error === undefined ? '.' : `: ${error}`}`;
}

const eventIndicators: Readonly<Record<AlertEvent['kind'], Indicator>> = {
  pending: { label: 'pending', icon: 'clock', tone: 'warn' },
  firing: { label: 'fired', icon: 'bell', tone: 'bad' },
  resolved: { label: 'resolved', icon: 'done', tone: 'good' },
  withdrawn: { label: 'cleared before firing', icon: 'idle', tone: 'quiet' },
  acknowledged: { label: 'acknowledged', icon: 'hand', tone: 'own' },
  acknowledgement_withdrawn: { label: 'acknowledgement withdrawn', icon: 'bell', tone: 'own' },
  silenced: { label: 'silenced', icon: 'silence', tone: 'own' },
  silence_ended: { label: 'silence ended', icon: 'bell', tone: 'quiet' },
};

export const eventIndicator = ({ kind }: Pick<AlertEvent, 'kind'>): Indicator => eventIndicators[kind];

/** The rule's name; silences have none. */
export const eventSubject = ({ kind, name }: AlertEvent): string => (kind.startsWith('silence') ? 'silence' : name);
