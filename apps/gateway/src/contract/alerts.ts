/** Owns the shapes of alerts, silences and deliveries. Types only. */

export type AlertSeverity = 'critical' | 'warning' | 'info';

export interface AlertItem {
  /** Of its labels: the same alert has it again next time. */
  readonly fingerprint: string;
  /** The rule's name. */
  readonly name: string;
  readonly severity: AlertSeverity;
  readonly state: 'pending' | 'firing' | 'resolved';
  readonly labels: Readonly<Record<string, string>>;
  readonly summary: string;
  readonly description: string;
  /** What was measured last, in words: `3 of 20 (15 %, 95 % sure of at least 5.2 %)`. */
  readonly value: string;
  readonly limit: string;
  readonly active_since: string;
  readonly fired_at?: string;
  readonly resolved_at?: string;
  /** Ids of the silences that keep it quiet. */
  readonly silenced_by: readonly string[];
  /** Fingerprints of the alerts that make this one needless to tell. */
  readonly inhibited_by: readonly string[];
  readonly acknowledged?: { readonly at: string; readonly by: string; readonly comment?: string };
  readonly tool_id?: string;
  readonly turn_id?: string;
  readonly call_id?: string;
}

export interface AlertRuleItem {
  readonly name: string;
  readonly severity: AlertSeverity;
  readonly summary: string;
  /** In a sentence, such as `more than 5 % of the calls of a tool fail, over 5 minutes, with at least 20 calls`. */
  readonly condition: string;
  readonly for_ms: number;
  readonly keep_firing_for_ms: number;
  /** The same rule as Prometheus has it. */
  readonly expression: string;
  readonly firing: number;
}

export interface AlertList {
  readonly alerts: readonly AlertItem[];
  readonly rules: readonly AlertRuleItem[];
  readonly silences: readonly Silence[];
  readonly receivers: readonly ReceiverItem[];
}

/** Something that happened to an alert. */
export interface AlertEvent {
  readonly id: number;
  readonly at: string;
  readonly kind: 'pending' | 'firing' | 'resolved' | 'withdrawn' | 'acknowledged' | 'silenced' | 'silence_ended';
  readonly fingerprint?: string;
  /** The rule, or the id of the silence. */
  readonly name: string;
  readonly tool_id?: string;
  readonly text: string;
  readonly by?: string;
}

export interface AlertHistory {
  /** Newest first. */
  readonly events: readonly AlertEvent[];
  readonly next_cursor?: string;
}

/** As Alertmanager has it. */
export interface Matcher {
  readonly name: string;
  readonly value: string;
  /** @default false */
  readonly is_regex?: boolean;
  /** @default true */
  readonly is_equal?: boolean;
}

export interface Silence {
  readonly id: string;
  readonly matchers: readonly Matcher[];
  readonly starts_at: string;
  readonly ends_at: string;
  readonly created_by: string;
  readonly comment: string;
  readonly state: 'pending' | 'active' | 'expired';
}

/** `POST /v1/silences`. */
export interface SilenceRequest {
  readonly matchers: readonly Matcher[];
  /** @default now */
  readonly starts_at?: string;
  readonly duration_ms: number;
  readonly comment: string;
}

/** `POST /v1/alerts/{fingerprint}/acknowledge`. */
export interface AcknowledgeRequest {
  readonly comment?: string;
}

export interface ReceiverItem {
  readonly name: string;
  readonly kind: 'webhook' | 'signed_webhook' | 'slack' | 'pagerduty' | 'alertmanager';
  /** Where to, without secrets: host and path. */
  readonly target: string;
  readonly last_delivery?: Delivery;
}

/** A notification on its way, over all its attempts. */
export interface Delivery {
  readonly id: number;
  readonly at: string;
  readonly receiver: string;
  readonly status: 'delivered' | 'failed' | 'waiting';
  readonly attempts: number;
  readonly duration_ms?: number;
  readonly alerts: readonly string[];
  readonly test?: true;
  readonly code?: string;
  readonly error?: string;
}

export interface DeliveryLog {
  /** Newest first. */
  readonly deliveries: readonly Delivery[];
}
