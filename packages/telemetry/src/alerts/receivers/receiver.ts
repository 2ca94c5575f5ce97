/** Owns the kinds of receivers: their requests, and how many alerts a notification may have. */
import type { ToolPolicy } from '@holdfast/core';
import { alertmanagerRequest, alertmanagerResendMs } from './alertmanager.ts';
import type { ReceiverAddress, ToRequest } from './notification.ts';
import { pagerdutyRequest } from './pagerduty.ts';
import { signedWebhookRequest } from './signed-webhook.ts';
import { slackRequest } from './slack.ts';
import { webhookRequest } from './webhook.ts';

/**
 * Protocol of a receiver: a webhook in the form of Alertmanager, the same with a signature, a Slack webhook, PagerDuty Events v2 or the API of Alertmanager.
 */
export type ReceiverKind = 'webhook' | 'signed_webhook' | 'slack' | 'pagerduty' | 'alertmanager';

/** A destination for notifications of alerts. */
export interface Receiver {
  /** Unique among the receivers of a notifier. */
  readonly name: string;
  /** Protocol in which notifications are sent. */
  readonly kind: ReceiverKind;
  /** Called before each attempt. If it throws, such as for an environment variable that is not set, the attempt fails. */
  readonly address: () => ReceiverAddress;
  /** Whether the end of an alert is sent too. @default true */
  readonly sendResolved?: boolean | undefined;
}

export interface KindOfReceiver {
  readonly toRequest: ToRequest;
  /** A notification is about one alert. */
  readonly perAlert: boolean;
  /** How often a firing alert is sent again, also while it is silenced: the receiver has its own state and silences. */
  readonly resendMs?: number;
  readonly policy?: ToolPolicy;
}

export const kindsOfReceiver: Readonly<Record<ReceiverKind, KindOfReceiver>> = {
  webhook: { toRequest: webhookRequest, perAlert: false },
  signed_webhook: { toRequest: signedWebhookRequest, perAlert: false },
  slack: { toRequest: slackRequest, perAlert: false, policy: { rateLimit: { limit: 1, windowMs: 1_000 } } },
  pagerduty: { toRequest: pagerdutyRequest, perAlert: true },
  alertmanager: { toRequest: alertmanagerRequest, perAlert: false, resendMs: alertmanagerResendMs },
};
