/** Labels of deliveries, receivers and alert events. */
import type { AlertEvent, Delivery, ReceiverItem } from '@holdfast/gateway/contract';
import { count } from '../../ui/format.ts';
import type { Sign } from '../../ui/status.tsx';

const deliverySigns: Readonly<Record<Delivery['status'], Sign>> = {
  delivered: { word: 'delivered', icon: 'done', tone: 'good' },
  failed: { word: 'failed', icon: 'failed', tone: 'bad' },
  waiting: { word: 'in progress', icon: 'running', tone: 'accent' },
};

export const deliverySign = ({ status }: Pick<Delivery, 'status'>): Sign => deliverySigns[status];

const kindWords: Readonly<Record<ReceiverItem['kind'], string>> = {
  webhook: 'webhook',
  signed_webhook: 'signed webhook',
  slack: 'Slack',
  pagerduty: 'PagerDuty',
  alertmanager: 'Alertmanager',
};

export const kindWord = ({ kind }: Pick<ReceiverItem, 'kind'>): string => kindWords[kind];

/** `2 alerts`, `a test` */
export const contentOf = ({ alerts, test }: Delivery): string => (test === true ? 'a test' : count(alerts.length, 'alert'));

/** The result of a test, as a sentence for screen readers. */
export function testOutcome({ receiver, status, attempts, error }: Delivery): string {
  if (status === 'delivered') return `The test was delivered to ${receiver}.`;
  return `The test of ${receiver} failed after ${count(attempts, 'attempt')}${error === undefined ? '.' : `: ${error}`}`;
}

const eventSigns: Readonly<Record<AlertEvent['kind'], Sign>> = {
  pending: { word: 'pending', icon: 'clock', tone: 'warn' },
  firing: { word: 'fired', icon: 'bell', tone: 'bad' },
  resolved: { word: 'resolved', icon: 'done', tone: 'good' },
  withdrawn: { word: 'cleared before firing', icon: 'idle', tone: 'quiet' },
  acknowledged: { word: 'acknowledged', icon: 'hand', tone: 'own' },
  silenced: { word: 'silenced', icon: 'silence', tone: 'own' },
  silence_ended: { word: 'silence ended', icon: 'bell', tone: 'quiet' },
};

export const eventSign = ({ kind }: Pick<AlertEvent, 'kind'>): Sign => eventSigns[kind];

/** The rule's name; silences have none. */
export const eventSubject = ({ kind, name }: AlertEvent): string => (kind.startsWith('silence') ? 'silence' : name);
