/** Owns notifications of tests. */
import { fingerprint } from '@holdfast/core/internal';
import type { FiringAlert, Notification, NotifiedAlert } from '../../src/alerts/index.ts';

export const startedAt: number = Date.UTC(2026, 10, 22, 10, 0, 0, 120);

export function firing(name: string, more: Partial<FiringAlert> & { readonly tool?: string } = {}): FiringAlert {
  const { tool = 'search', ...rest } = more;
  const labels = { alertname: name, severity: 'critical', tool };
  return {
    labels,
    annotations: { summary: `${name} at ${tool}`, description: 'Measured: 3 of 20 <b> & more.' },
    startsAt: startedAt,
    generatorUrl: `http://127.0.0.1:7340/alerts?alert=${name}`,
    fingerprint: fingerprint(labels),
    ...rest,
  };
}

export function notified(name: string, more: Partial<NotifiedAlert> = {}): NotifiedAlert {
  return { ...firing(name), status: 'firing', ...more };
}

export function notification(alerts: readonly NotifiedAlert[], more: Partial<Notification> = {}): Notification {
  return {
    id: 'alert_1',
    receiver: 'operators',
    at: startedAt + 5_000,
    groupLabels: {},
    alerts,
    truncatedAlerts: 0,
    externalUrl: 'http://127.0.0.1:7340',
    ...more,
  };
}
