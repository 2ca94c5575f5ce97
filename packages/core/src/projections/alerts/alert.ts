/** Owns the types of alerts: the alert, its changes, acknowledgements, silences and the status of rules. All of them are plain data. */
import type { Labels } from '../metrics/families.ts';
import type { AlertSeverity, LabelMatcher } from './rule.ts';

export type { Labels };

/** The latest event that caused the alert: where to start looking. */
export interface AlertPointer {
  /** Name of the tool; absent where the event has none. */
  readonly toolName?: string;
  /** Id of the turn. */
  readonly turnId: string;
  /** Id of the call; absent where the event belongs to none. */
  readonly callId?: string;
  /** When it happened, milliseconds since 1970. */
  readonly atEpochMs: number;
}

/** States that an operator knows of an alert; it holds until the alert ends. */
export interface Acknowledgement {
  /** Who acknowledged it. */
  readonly by: string;
  /** When it was acknowledged, milliseconds since 1970. */
  readonly atEpochMs: number;
  /** Why; absent when none was given. */
  readonly comment?: string;
}

/**
 * `pending`: the condition holds, but not yet for the rule's `forMs`; `firing`: it has; `resolved`: the alert ended, within the last 15 minutes.
 */
export type AlertState = 'pending' | 'firing' | 'resolved';

/** One alert of a rule for one set of labels, as of the latest evaluation. */
export interface Alert {
  /** FNV-1a 64 over the sorted labels, in 16 hexadecimal digits, as in Alertmanager. */
  readonly fingerprint: string;
  /** The rule's name. */
  readonly name: string;
  /** The rule's severity. */
  readonly severity: AlertSeverity;
  /** State of the alert. */
  readonly state: AlertState;
  /** `alertname`, `severity`, the labels of the rule's `by` and the rule's further `labels`. */
  readonly labels: Labels;
  /** The rule's `summary` and `description` with labels and measured values filled in. */
  readonly annotations: { readonly summary: string; readonly description: string };
  /** What was measured last: a share, seconds, a count or a state. */
  readonly value: number;
  /** The rule's limit, in the unit of `value`. */
  readonly limit: number;
  /** `3 of 20 (15 %, 95 % CI 5.2-36 %)`. */
  readonly measured: string;
  /** `5 %`. */
  readonly limitText: string;
  /** Since when its condition has held, milliseconds since 1970. */
  readonly activeAtEpochMs: number;
  /** When it began to fire, milliseconds since 1970; absent while it is pending. */
  readonly firedAtEpochMs?: number;
  /** When it ended, milliseconds since 1970; absent until then. */
  readonly resolvedAtEpochMs?: number;
  /** Ids of the silences that cover it. */
  readonly silencedBy: readonly string[];
  /** Fingerprints of the alerts that inhibit its notifications. */
  readonly inhibitedBy: readonly string[];
  /** The acknowledgement of an operator; absent without one. */
  readonly acknowledged?: Acknowledgement;
  /** The latest event that was a cause; absent where the rule names no cause, or none was observed. */
  readonly cause?: AlertPointer;
}

/** A change of an alert's state. A pending alert that ends before it fires is `withdrawn`. */
export interface AlertChange {
  /** The state that the alert changed to; `withdrawn` when it ended before it fired. */
  readonly kind: 'pending' | 'firing' | 'resolved' | 'withdrawn';
  /** When the evaluation saw the change, milliseconds since 1970. */
  readonly atEpochMs: number;
  /** The alert after the change. */
  readonly alert: Alert;
}

/** Mutes the notifications of matching alerts for a time; the alerts themselves continue. */
export interface Silence {
  /** Names the silence; a silence with a known id replaces the earlier one. */
  readonly id: string;
  /** Conditions on the labels of an alert; all of them have to match. */
  readonly matchers: readonly LabelMatcher[];
  /** When it begins, milliseconds since 1970. */
  readonly startsAtEpochMs: number;
  /** When it ends, milliseconds since 1970; after its start. */
  readonly endsAtEpochMs: number;
  /** Who created it. */
  readonly createdBy: string;
  /** Why it was created. */
  readonly comment: string;
}

/** Status of a rule. */
export interface RuleStatus {
  /** Name of the rule. */
  readonly rule: string;
  /** `no_data`: none of the series that the rule selects existed at the last evaluation. */
  readonly state: 'inactive' | 'pending' | 'firing' | 'no_data';
  /** Number of its alerts that are pending. */
  readonly pending: number;
  /** Number of its alerts that fire. */
  readonly firing: number;
}
