/** Owns the sentences that Slack and PagerDuty share. */
import { headOf } from '@holdfast/core/internal/plain';
import { type Notification, type NotifiedAlert, statusOf } from './notification.ts';

/** At most `limit` characters, the mark included. */
export function truncate(text: string, limit: number): string {
  return text.length <= limit ? text : `${headOf(text, limit - 1)}…`;
}

export const nameOf = ({ labels }: NotifiedAlert): string => labels['alertname'] ?? 'alert';

export const summaryOf = (alert: NotifiedAlert): string =>
  alert.annotations['summary'] ?? alert.annotations['description'] ?? nameOf(alert);

/** `Firing: FailureRateHigh of search`, `Firing: 3 alerts` */
export function titleOf(notification: Notification): string {
  const status = statusOf(notification);
  const shown = notification.alerts.filter((alert) => alert.status === status);
  const [only] = shown;
  const word = status === 'firing' ? 'Firing' : 'Resolved';
  const many = shown.length + notification.truncatedAlerts;
  return only !== undefined && many === 1 ? `${word}: ${subjectOf(only)}` : `${word}: ${many} alerts`;
}

export function subjectOf(alert: NotifiedAlert): string {
  const tool = alert.labels['tool'];
  return tool === undefined ? nameOf(alert) : `${nameOf(alert)} of ${tool}`;
}
