/** The entry `@holdfast/telemetry/alerts`. */

// Receivers: the requests they get
export type { NotifiedAlert, Notification, ReceiverAddress, ReceiverRequest, ToRequest } from './receivers/notification.ts';
export type { Receiver, ReceiverKind } from './receivers/receiver.ts';
export type { WebhookAlert, WebhookBody } from './receivers/webhook.ts';
export { signedWebhookRequest } from './receivers/signed-webhook.ts';
export { pagerdutyUrl } from './receivers/pagerduty.ts';

// Notifying receivers
export { createNotifier } from './delivery/notifier.ts';
export type { DeliveryReport } from './delivery/dispatcher.ts';
export type { Notifier, NotifierOptions, SavedNotifier } from './delivery/notifier.ts';
export type { FiringAlert, SavedLedger, SentAlert } from './delivery/ledger.ts';
export type { Send } from './delivery/send.ts';

// The engine's rules for Prometheus
export { alertExpression } from './rules/expression.ts';
export { prometheusRules } from './rules/rule-file.ts';
export type { RuleFileOptions } from './rules/rule-file.ts';
export type { AlertingRule, RecordingRule, RuleFile, RuleGroup } from './rules/rule-group.ts';
export type { BurnRateOptions, BurnRateWindow } from './rules/burn-rate.ts';
export { printRules } from './rules/print-rules.ts';
export { grafanaDashboard, type Json } from './grafana/dashboard.ts';
export { printInhibitRules } from './rules/print-inhibit-rules.ts';
