/** Owns a notifier with scripted receivers and a manual clock. */
import { type ManualSystem, manualSystem } from '@holdfast/core/testing';
import { createNotifier, type DeliveryReport, type Notifier, type NotifierOptions, type Receiver } from '../../src/alerts/index.ts';

export const minute = 60_000;

export interface Sent {
  readonly at: number;
  readonly url: string;
  readonly body: string;
}

export interface Scene {
  readonly system: ManualSystem;
  readonly notifier: Notifier;
  readonly sent: Sent[];
  readonly reports: DeliveryReport[];
  /** Names of the alerts of each request. */
  readonly sentAlerts: () => readonly string[];
}

export const hook: Receiver = { name: 'hook', kind: 'webhook', address: () => ({ url: 'http://127.0.0.1:9/hook' }) };

export function createScene(
  options: Partial<NotifierOptions> = {},
  answer: (sent: Sent) => Response | Promise<Response> = () => new Response(),
): Scene {
  const system = options.system === undefined ? manualSystem() : (options.system as ManualSystem);
  const sent: Sent[] = [];
  const reports: DeliveryReport[] = [];
  const notifier = createNotifier({
    receivers: [hook],
    system,
    send: async ({ url, body }) => {
      const one = { at: system.now(), url, body };
      sent.push(one);
      return answer(one);
    },
    onDelivery: (report) => reports.push(report),
    ...options,
  });
  const sentAlerts = (): readonly string[] =>
    sent.map(({ body }) => {
      const { alerts } = JSON.parse(body) as { alerts: { status: string; labels: { alertname: string; tool: string } }[] };
      return alerts.map(({ status, labels }) => `${labels.alertname} ${status}`).join(', ');
    });
  return { system, notifier, sent, reports, sentAlerts };
}
