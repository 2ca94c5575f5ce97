/** Owns the words of an alert: what it is, what changed, what keeps it quiet. All of it is plain data. */
import type { Labels } from '../metrics/families.ts';
import type { AlertSeverity, LabelMatcher } from './rule.ts';

export type { Labels };

/** Where to look: the last event that was a cause of it. */
export interface AlertPointer {
  readonly toolName?: string;
  readonly turnId: string;
  readonly callId?: string;
  readonly atEpochMs: number;
}

export interface Acknowledgement {
  readonly by: string;
  readonly atEpochMs: number;
  readonly comment?: string;
}

export type AlertState = 'pending' | 'firing' | 'resolved';

export interface Alert {
  /** FNV-1a 64 over the sorted labels, in 16 hexadecimal digits, as Alertmanager has it. */
  readonly fingerprint: string;
  /** The rule's name. */
  readonly name: string;
  readonly severity: AlertSeverity;
  readonly state: AlertState;
  /** `alertname`, `severity`, the rule's `by` and its own. */
  readonly labels: Labels;
  readonly annotations: { readonly summary: string; readonly description: string };
  /** What was measured last: a share, seconds, a count or a state. */
  readonly value: number;
  readonly limit: number;
  /** `3 of 20 (15 %, 95 % CI 5.2-36 %)`. */
  readonly measured: string;
  /** `5 %`. */
  readonly limitText: string;
  /** Since when its condition holds. */
  readonly activeAtEpochMs: number;
  readonly firedAtEpochMs?: number;
  readonly resolvedAtEpochMs?: number;
  /** Ids of the silences that keep it quiet. */
  readonly silencedBy: readonly string[];
  /** Fingerprints of the alerts that make it needless to tell. */
  readonly inhibitedBy: readonly string[];
  readonly acknowledged?: Acknowledgement;
  readonly cause?: AlertPointer;
}

/** An alert began to wait, to fire, or ended. One that waited and never fired ends with `withdrawn`. */
export interface AlertChange {
  readonly kind: 'pending' | 'firing' | 'resolved' | 'withdrawn';
  readonly atEpochMs: number;
  readonly alert: Alert;
}

export interface Silence {
  readonly id: string;
  readonly matchers: readonly LabelMatcher[];
  readonly startsAtEpochMs: number;
  readonly endsAtEpochMs: number;
  readonly createdBy: string;
  readonly comment: string;
}

/** How a rule stands. */
export interface RuleStatus {
  readonly rule: string;
  /** `no_data`: not one of the series it looks at was there at the last evaluation. */
  readonly state: 'inactive' | 'pending' | 'firing' | 'no_data';
  readonly pending: number;
  readonly firing: number;
}
