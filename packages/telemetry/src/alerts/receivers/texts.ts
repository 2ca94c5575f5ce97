/** Owns the sentences that Slack and PagerDuty share. */
import { type Notification, type NotifiedAlert, statusOf } from './notification.ts';

/** Cuts at a character boundary and appends a mark. */
export function truncate(text: string, limit: number): string {
  if (text.length <= limit) return text;
  const kept = text.slice(0, limit - 1);
  return `${/[\uD800-\uDBFF]$/.test(kept) ? kept.slice(0, -1) : kept}…`;
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
