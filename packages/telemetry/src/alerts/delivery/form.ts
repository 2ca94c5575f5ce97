/** Owns the id of a notification and the redaction of its texts. */
import { createHash } from 'node:crypto';
import type { NotifiedAlert, Notification } from '../receivers/notification.ts';

/** Equal for notifications of the same alerts at the same moment. */
export function notificationId({ receiver, at, alerts }: Omit<Notification, 'id'>, isTest: boolean): string {
  const hash = createHash('sha256').update(`${receiver}\n${at}\n${isTest}`);
  for (const { fingerprint, status, startsAt } of alerts) hash.update(`\n${fingerprint} ${status} ${startsAt}`);
  return `alert_${hash.digest('hex').slice(0, 24)}`;
}

/** The names of labels and annotations are fixed; their values may quote a tool. */
export function redactAlert(alert: NotifiedAlert, redact: (text: string) => string): NotifiedAlert {
  return { ...alert, labels: values(alert.labels, redact), annotations: values(alert.annotations, redact) };
}

function values(texts: Readonly<Record<string, string>>, redact: (text: string) => string): Readonly<Record<string, string>> {
  return Object.fromEntries(Object.entries(texts).map(([name, text]) => [name, redact(text)]));
}
