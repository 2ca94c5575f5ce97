/** Owns the webhook that an Alertmanager sends, version 4, byte for byte, so that whatever takes its notifications takes ours. */
import { goJson, goTime, labelSet, noTime, sortedLabels } from './go-words.ts';
import { commonOf, jsonRequest, type Notification, type NotifiedAlert, statusOf, type ToRequest } from './notification.ts';

/** One alert of a webhook's body. */
export interface WebhookAlert {
  readonly status: 'firing' | 'resolved';
  readonly labels: Readonly<Record<string, string>>;
  readonly annotations: Readonly<Record<string, string>>;
  readonly startsAt: string;
  /** The year 1 while it fires. */
  readonly endsAt: string;
  readonly generatorURL: string;
  readonly fingerprint: string;
}

/** The body of a webhook. */
export interface WebhookBody {
  readonly receiver: string;
  readonly status: 'firing' | 'resolved';
  readonly alerts: readonly WebhookAlert[];
  readonly groupLabels: Readonly<Record<string, string>>;
  readonly commonLabels: Readonly<Record<string, string>>;
  readonly commonAnnotations: Readonly<Record<string, string>>;
  readonly externalURL: string;
  readonly version: '4';
  readonly groupKey: string;
  readonly truncatedAlerts: number;
}

/** The keys stand in the order in which an Alertmanager writes them. */
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

export const webhookRequest: ToRequest = (notification, address) => jsonRequest(address, goJson(webhookBody(notification)));
