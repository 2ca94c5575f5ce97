/** Owns the typed form of `alerts`: the thresholds and the receivers. Defaults are filled in. */
import type { SecretReference, TextOrSecret } from '@holdfast/runners';

/**
 * Protocol of a receiver: a webhook in the form of Alertmanager, the same with a signature, a Slack webhook, PagerDuty Events v2 or the API of Alertmanager.
 */
export type ReceiverKind = 'webhook' | 'signed_webhook' | 'slack' | 'pagerduty' | 'alertmanager';

/** A receiver of notifications. Its kind determines which fields it has. */
export interface ReceiverEntry {
  /** Unique. */
  readonly name: string;
  /** Protocol in which notifications are sent. */
  readonly kind: ReceiverKind;
  /** Address. The default of `pagerduty` is its public address. */
  readonly url?: TextOrSecret;
  /** Sent with each request. @default {} */
  readonly headers: Readonly<Record<string, TextOrSecret>>;
  /** Key of `signed_webhook`. */
  readonly secret?: SecretReference;
  /** Routing key of `pagerduty`. */
  readonly routingKey?: SecretReference;
  /** Whether the end of an alert is sent too. @default true */
  readonly sendResolved: boolean;
}

/** Thresholds of the built-in rules. An absent one has the rule's default. */
export interface AlertRulesEntry {
  /** @default false */
  readonly strict?: boolean;
  /** @default 0.05 */
  readonly failureRate?: number;
  /** @default 5000 */
  readonly executionTimeMs?: number;
  /** @default 20 */
  readonly minimumCalls?: number;
  /** @default 300000 */
  readonly windowMs?: number;
}

/** The section `alerts`: when rules are evaluated and where notifications go. */
export interface AlertsEntry {
  /** @default true */
  readonly enabled: boolean;
  /** Between two evaluations. @default 15000 */
  readonly intervalMs: number;
  /** Thresholds of the built-in rules. @default {} */
  readonly rules: AlertRulesEntry;
  /** Labels that alerts of one notification share. @default [] */
  readonly groupBy: readonly string[];
  /** @default 1000 */
  readonly groupWaitMs: number;
  /** The time between two notifications of a group, unless it has a new alert. */
  readonly groupIntervalMs: number;
  /** @default 14400000 */
  readonly repeatIntervalMs: number;
  /** Base address of links in notifications. @default the gateway's address */
  readonly dashboardUrl?: string;
  /** @default [] */
  readonly receivers: readonly ReceiverEntry[];
}
