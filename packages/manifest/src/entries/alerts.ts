/** Owns the typed form of `alerts`: what alerts fire at, and who is told. Defaults are filled in. */
import type { SecretReference, TextOrSecret } from '@holdfast/runners';

/**
 * Protocol of a receiver: a webhook in the form of Alertmanager, the same with a signature, a Slack webhook, PagerDuty Events v2 or the API of Alertmanager.
 */
export type ReceiverKind = 'webhook' | 'signed_webhook' | 'slack' | 'pagerduty' | 'alertmanager';

/** Somebody who is told. Which of the fields are there, its kind says. */
export interface ReceiverEntry {
  /** Unique. */
  readonly name: string;
  /** Protocol in which notifications are sent. */
  readonly kind: ReceiverKind;
  /** Of `pagerduty` the public address is the default. */
  readonly url?: TextOrSecret;
  /** Sent with each request. @default {} */
  readonly headers: Readonly<Record<string, TextOrSecret>>;
  /** Of `signed_webhook`. */
  readonly secret?: SecretReference;
  /** Of `pagerduty`. */
  readonly routingKey?: SecretReference;
  /** Whether the end of an alert is told too. @default true */
  readonly sendResolved: boolean;
}

/** What the built-in rules fire at. What is absent is as each rule has it. */
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
  /** @default 14400000 */
  readonly repeatIntervalMs: number;
  /** Where links in notifications lead. @default the gateway's own address */
  readonly dashboardUrl?: string;
  /** @default [] */
  readonly receivers: readonly ReceiverEntry[];
}
