/** Owns the types of alerts, silences and deliveries. Types only. */

/** How urgent an alert is. Set by its rule. */
export type AlertSeverity = 'critical' | 'warning' | 'info';

/** An alert that is pending, firing, or was resolved in the last 15 minutes. */
export interface AlertItem {
  /** Hash of the labels: the same alert always has the same one. */
  readonly fingerprint: string;
  /** Name of the rule. */
  readonly name: string;
  /** How urgent the alert is. */
  readonly severity: AlertSeverity;
  /**
   * `pending`: the condition holds, but not yet for as long as the rule requires. `firing`: it has held long enough. `resolved`: it no longer holds.
   */
  readonly state: 'pending' | 'firing' | 'resolved';
  /**
   * What distinguishes the alert from others: `alertname`, `severity`, the labels that its rule groups by, and those that the rule adds.
   */
  readonly labels: Readonly<Record<string, string>>;
  /** One sentence with the subject of the alert, such as the tool. */
  readonly summary: string;
  /** Longer text with the measured value and the limit. */
  readonly description: string;
  /** The latest measured value as text, such as `3 of 20 (15 %, 95 % sure of at least 5.2 %)`. */
  readonly value: string;
  /** The rule's limit as text, such as `5 %`. */
  readonly limit: string;
  /** Since when the condition holds, ISO 8601 in UTC. */
  readonly active_since: string;
  /** When the alert began to fire, ISO 8601 in UTC. Absent while it is pending. */
  readonly fired_at?: string;
  /** When the alert was resolved, ISO 8601 in UTC. Absent before. */
  readonly resolved_at?: string;
  /** Ids of the silences that match it. */
  readonly silenced_by: readonly string[];
  /** Fingerprints of the alerts that inhibit it. */
  readonly inhibited_by: readonly string[];
  /**
   * Set when an operator has acknowledged the alert: when, the name of the token, and a comment. Receivers are not notified of it again until it ends
   * and comes back.
   */
  readonly acknowledged?: { readonly at: string; readonly by: string; readonly comment?: string };
  /** Tool that the alert is about, from its label `tool`. Absent for an alert without that label. */
  readonly tool_id?: string;
  /** Turn of the last event that caused the alert. Absent when no cause is known. */
  readonly turn_id?: string;
  /** Call of the last event that caused the alert. Absent when that event belongs to no call. */
  readonly call_id?: string;
}

/** An alert rule in force, with the number of its firing alerts. */
export interface AlertRuleItem {
  /** Name of the rule, the label `alertname` of its alerts. */
  readonly name: string;
  /** Severity of its alerts. */
  readonly severity: AlertSeverity;
  /** Template for the summary of its alerts, with placeholders such as `{tool}`. */
  readonly summary: string;
  /** The condition as a sentence, such as `more than 5 % of the calls of a tool fail, over 5 minutes, with at least 20 calls`. */
  readonly condition: string;
  /** How long the condition has to hold before an alert fires, in milliseconds. */
  readonly for_ms: number;
  /** How long an alert continues to fire after its condition no longer holds, in milliseconds. */
  readonly keep_firing_for_ms: number;
  /** The same condition in PromQL. */
  readonly expression: string;
  /** Number of its alerts that fire now. */
  readonly firing: number;
}

/** `GET /v1/alerts`: the alerts with their rules, silences and receivers. */
export interface AlertList {
  /** Firing alerts first, then pending, then resolved ones; the newest first within each state. Empty while alerts are disabled. */
  readonly alerts: readonly AlertItem[];
  /** The rules in force. Empty while alerts are disabled. */
  readonly rules: readonly AlertRuleItem[];
  /** Silences that have not ended, and those that ended within the last day. */
  readonly silences: readonly Silence[];
  /** The receivers of the manifest. */
  readonly receivers: readonly ReceiverItem[];
}

/** An event of an alert or a silence. */
export interface AlertEvent {
  /** Grows with each event. */
  readonly id: number;
  /** When it happened, ISO 8601 in UTC. */
  readonly at: string;
  /** What happened. `withdrawn`: the alert was pending and its condition ceased before it fired. */
  readonly kind:
    | 'pending'
    | 'firing'
    | 'resolved'
    | 'withdrawn'
    | 'acknowledged'
    | 'acknowledgement_withdrawn'
    | 'silenced'
    | 'silence_ended';
  /** Fingerprint of the alert. Absent for an event of a silence. */
  readonly fingerprint?: string;
  /** The rule, or the id of the silence. */
  readonly name: string;
  /** Tool that the alert is about. Absent for an alert without the label `tool`, and for a silence. */
  readonly tool_id?: string;
  /** The event as text: the description of the alert, the comment of an acknowledgement, or the matchers and comment of a silence. */
  readonly text: string;
  /** Name of the token of the operator who acted. Absent when no operator did, such as for a silence that expired. */
  readonly by?: string;
}

/** `GET /v1/alerts/history`: one page of the events of alerts and silences. */
export interface AlertHistory {
  /** Newest first. */
  readonly events: readonly AlertEvent[];
  /** Pass it as `cursor` to get the next page. Absent on the last page. */
  readonly next_cursor?: string;
}

/** A condition on a label, as in Alertmanager. */
export interface Matcher {
  /** Name of the label. */
  readonly name: string;
  /** Value that the label is compared with, or a regular expression if `is_regex` is set. It has to match the whole value. */
  readonly value: string;
  /** @default false */
  readonly is_regex?: boolean;
  /** @default true */
  readonly is_equal?: boolean;
}

/** A period in which matching alerts send no notifications. */
export interface Silence {
  /** Identifies the silence, as in `DELETE /v1/silences/{id}`. */
  readonly id: string;
  /** Conditions on the labels of an alert. All of them have to match. */
  readonly matchers: readonly Matcher[];
  /** When it begins, ISO 8601 in UTC. */
  readonly starts_at: string;
  /** When it ends, ISO 8601 in UTC. */
  readonly ends_at: string;
  /** Name of the token of the operator who created it. */
  readonly created_by: string;
  /** Why it was created. */
  readonly comment: string;
  /** `pending`: it has not started yet. `expired`: its time is over or an operator ended it. */
  readonly state: 'pending' | 'active' | 'expired';
}

/** `POST /v1/silences`. */
export interface SilenceRequest {
  /** 1 to 20 conditions on the labels of an alert. All of them have to match. */
  readonly matchers: readonly Matcher[];
  /** @default now */
  readonly starts_at?: string;
  /** How long the silence lasts, in milliseconds: one second to 366 days. */
  readonly duration_ms: number;
  /** Why the alerts are silenced, 1 to 1000 characters. */
  readonly comment: string;
}

/** `POST /v1/alerts/{fingerprint}/acknowledge`. */
export interface AcknowledgeRequest {
  /** Optional note, 1 to 1000 characters. */
  readonly comment?: string;
}

/** A receiver of notifications, as the manifest configures it. */
export interface ReceiverItem {
  /** Name of the receiver in the manifest. */
  readonly name: string;
  /** Format in which it is notified. */
  readonly kind: 'webhook' | 'signed_webhook' | 'slack' | 'pagerduty' | 'alertmanager';
  /** The address without secrets: host and path. */
  readonly target: string;
  /** The latest notification to it. Absent when none is recorded. */
  readonly last_delivery?: Delivery;
}

/** The delivery of a notification, with all its attempts. */
export interface Delivery {
  /** Grows with each delivery. 0 for a test that could not be recorded. */
  readonly id: number;
  /** When the delivery began, ISO 8601 in UTC. */
  readonly at: string;
  /** Name of the receiver. */
  readonly receiver: string;
  /** `waiting`: attempts are still being made. `failed`: the last attempt failed, or the gateway ended first. */
  readonly status: 'delivered' | 'failed' | 'waiting';
  /** Number of requests that were sent. 0 while it waits. */
  readonly attempts: number;
  /** Milliseconds from the start of the delivery to its end, with the waits between attempts. Absent while it waits. */
  readonly duration_ms?: number;
  /** Fingerprints of the alerts in the notification. */
  readonly alerts: readonly string[];
  /** `true` for a notification of `POST /v1/receivers/{name}/test`. */
  readonly test?: true;
  /** Stable code of the error. Absent unless the delivery failed. */
  readonly code?: string;
  /** Why the delivery failed, without secrets. Absent unless it failed. */
  readonly error?: string;
}

/** `GET /v1/alerts/deliveries`: the notifications that were sent. */
export interface DeliveryLog {
  /** Newest first. */
  readonly deliveries: readonly Delivery[];
}
