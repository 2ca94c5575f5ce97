/** Owns the webhook of Alertmanager, version 4, byte for byte, so that its receivers accept ours. */
import { goJson, goTime, labelSet, noTime, sortedLabels } from './go-json.ts';
import { commonOf, jsonRequest, type Notification, type NotifiedAlert, statusOf, type ToRequest } from './notification.ts';

/** One alert of a webhook's body. */
export interface WebhookAlert {
  /** `resolved` once the alert has ended. */
  readonly status: 'firing' | 'resolved';
  /** Labels of the alert, sorted by name. */
  readonly labels: Readonly<Record<string, string>>;
  /** Texts of the alert, sorted by name. */
  readonly annotations: Readonly<Record<string, string>>;
  /** When the alert began to fire, as an RFC 3339 time. */
  readonly startsAt: string;
  /** The year 1 while it fires. */
  readonly endsAt: string;
  /** Address with details; empty if there is none. */
  readonly generatorURL: string;
  /** Hash of the labels, 16 hexadecimal digits. */
  readonly fingerprint: string;
}

/** The body of a webhook. */
export interface WebhookBody {
  /** Name of the receiver. */
  readonly receiver: string;
  /** `firing` while one of the alerts fires. */
  readonly status: 'firing' | 'resolved';
  /** The alerts of the notification. */
  readonly alerts: readonly WebhookAlert[];
  /** Labels by which the alerts are grouped. */
  readonly groupLabels: Readonly<Record<string, string>>;
  /** Labels that all alerts have with the same value. */
  readonly commonLabels: Readonly<Record<string, string>>;
  /** Annotations that all alerts have with the same value. */
  readonly commonAnnotations: Readonly<Record<string, string>>;
  /** Address of the dashboard; empty if there is none. */
  readonly externalURL: string;
  /** Version of Alertmanager's webhook format. */
  readonly version: '4';
  /** Identifies the group: the same in all its notifications. */
  readonly groupKey: string;
  /** Number of alerts that are left out because there are too many. */
  readonly truncatedAlerts: number;
}

/** The keys are in Alertmanager's order. */
export function webhookBody(notification: Notification): WebhookBody {
  const { receiver, alerts, groupLabels, externalUrl, truncatedAlerts } = notification;
  return {
    receiver,
    status: statusOf(notification),
    alerts: alerts.map(webhookAlert),
    groupLabels: sortedLabels(groupLabels),
    commonLabels: sortedLabels(commonOf(alerts.map(({ labels }) => labels))),
    commonAnnotations: sortedLabels(commonOf(alerts.map(({ annotations }) => annotations))),
    externalURL: externalUrl,
    version: '4',
    groupKey: `{}:${labelSet(groupLabels)}`,
    truncatedAlerts,
  };
}

function webhookAlert({ status, labels, annotations, startsAt, endsAt, generatorUrl, fingerprint }: NotifiedAlert): WebhookAlert {
  return {
    status,
    labels: sortedLabels(labels),
    annotations: sortedLabels(annotations),
    startsAt: goTime(startsAt),
    endsAt: endsAt === undefined ? noTime : goTime(endsAt),
    generatorURL: generatorUrl,
    fingerprint,
  };
}

/** Creates a webhook in the form of Alertmanager, version 4. */
export const webhookRequest: ToRequest = (notification, address) => jsonRequest(address, goJson(webhookBody(notification)));
