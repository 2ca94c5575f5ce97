/**
 * Owns the alert engine: rules, what they said until now, silences and acknowledgements. Does not own a clock (events and callers bring the time), the counting
 * (`@holdfast/core/metrics`) or telling anybody.
 */
import type { TraceEvent } from '../trace/events.ts';
import type { Acknowledgement, Alert, AlertChange, MetricSample, RuleStatus, Silence } from './alert.ts';
import type { AlertRule, InhibitRule } from './rule.ts';

export interface AlertEngineOptions {
  /** @default defaultAlertRules() */
  readonly rules?: readonly AlertRule[];
  /** @default defaultInhibitRules */
  readonly inhibitRules?: readonly InhibitRule[];
  /** Counters that somebody else feeds, before this engine hears of the event. @default counters of its own */
  readonly samples?: () => readonly MetricSample[];
  /** Events bring an evaluation when this much time went by since the last. @default 15000 */
  readonly intervalMs?: number;
  /** Hears of every change. */
  readonly onChange?: (changes: readonly AlertChange[]) => void;
}

/** JSON. */
export type SavedAlerts = { readonly version: 1 } & Readonly<Record<string, unknown>>;

export interface AlertEngine {
  /** May be handed over as it is: `service.subscribe(alerts.observe)`. */
  readonly observe: (event: TraceEvent) => void;
  /** Samples the counters and evaluates every rule. Answers what changed. */
  evaluate(nowEpochMs: number, samples?: readonly MetricSample[]): readonly AlertChange[];
  /** What fires now, silenced and inhibited ones too. */
  active(): readonly Alert[];
  /** What waits, fires, or ended within the last 15 minutes. */
  alerts(): readonly Alert[];
  rules(): readonly RuleStatus[];
  /** Adds a silence, or replaces the one with its id. Errors: RangeError for a matcher that cannot be. */
  silence(silence: Silence): void;
  /** Ends a silence. Answers whether there was one. */
  endSilence(id: string, nowEpochMs: number): boolean;
  silences(): readonly Silence[];
  /** Holds until the alert ends. Answers the alert, or undefined when none with this fingerprint fires. */
  acknowledge(fingerprint: string, acknowledgement: Acknowledgement): Alert | undefined;
  withdrawAcknowledgement(fingerprint: string): Alert | undefined;
  save(): SavedAlerts;
  /** Errors: TypeError for what `save()` did not make. Alerts of rules that are gone are left out. */
  restore(saved: SavedAlerts): void;
}

export function createAlertEngine(options: AlertEngineOptions = {}): AlertEngine {
  void options;
  return {
    observe: () => undefined,
    evaluate: () => [],
    active: () => [],
    alerts: () => [],
    rules: () => [],
    silence: () => undefined,
    endSilence: () => false,
    silences: () => [],
    acknowledge: () => undefined,
    withdrawAcknowledgement: () => undefined,
    save: () => ({ version: 1 }),
    restore: () => undefined,
  };
}
