/**
 * Owns the words of an alert rule. A rule is plain data (JSON): the engine evaluates it here, and the same object is printed as a Prometheus rule elsewhere.
 * Does not own the built-in rules (`default-rules.ts`).
 */

/** How urgent an alert is, from `critical` down to `info`. */
export type AlertSeverity = 'critical' | 'warning' | 'info';

/** Series of a metric, by its Prometheus name. */
export interface SeriesSelector {
  /** Name of the metric, such as `holdfast_tool_calls_total`; a histogram without `_sum` and `_count`. */
  readonly metric: string;
  /** A label has this value, or one of these. */
  readonly labels?: Readonly<Record<string, string | readonly string[]>>;
  /** In plain words, several of them: `failed calls`. Names the recorded series in Prometheus too. */
  readonly what: string;
}

/** A share of what happened within the window: failed calls of all calls. */
export interface RatioCondition {
  /** Discriminates the union of alert conditions. */
  readonly kind: 'ratio';
  /** The counter of what is counted in, such as failed calls. */
  readonly part: SeriesSelector;
  /** The counter of everything, such as all calls. */
  readonly whole: SeriesSelector;
  /** Begins above this share. */
  readonly above: number;
  /** A firing alert continues above this share. @default `above` */
  readonly clearBelow?: number;
  /** Below this volume a share means nothing yet. @default 0 */
  readonly minimumVolume?: number;
  /** The lower bound of the share's Wilson interval has to be above the limit, not the share itself: standard deviations. @default 0, the share itself */
  readonly deviations?: number;
}

/** A mean of what was measured within the window. */
export interface MeanCondition {
  /** Discriminates the union of alert conditions. */
  readonly kind: 'mean';
  /** A histogram; its `_sum` and `_count` are read. */
  readonly of: SeriesSelector;
  /** Begins above this mean, in the unit of the histogram. */
  readonly above: number;
  /** A firing alert continues above this mean. @default `above` */
  readonly clearBelow?: number;
  /** Below this number of observations a mean means nothing yet. @default 0 */
  readonly minimumVolume?: number;
  /** Another mean, told beside this one. */
  readonly beside?: SeriesSelector;
}

/** How much a counter grew within the window. */
export interface IncreaseCondition {
  /** Discriminates the union of alert conditions. */
  readonly kind: 'increase';
  /** The counter. */
  readonly of: SeriesSelector;
  /** Begins above this increase. */
  readonly above: number;
}

/** What a gauge says now. */
export interface ValueCondition {
  /** Discriminates the union of alert conditions. */
  readonly kind: 'value';
  /** The gauge. */
  readonly of: SeriesSelector;
  /** Begins above this value. */
  readonly above: number;
}

/** What a rule measures, and the limit above which it alerts. */
export type AlertCondition = RatioCondition | MeanCondition | IncreaseCondition | ValueCondition;

/** What happens in a trace that an alert can point to as its last cause. */
export type AlertCause =
  | 'call_failed'
  | 'slow_attempt'
  | 'circuit_opened'
  | 'response_invalid'
  | 'deadline_reached'
  | 'budget_exhausted'
  | 'work_abandoned';

/** A rule that alerts while its condition holds: plain data. */
export interface AlertRule {
  /** `ToolFailureRateHigh`; the alert's label `alertname`. Unique among the rules of an engine. */
  readonly name: string;
  /** How urgent its alerts are; their label `severity`. */
  readonly severity: AlertSeverity;
  /** One alert for each value of these labels. Empty: one alert. */
  readonly by: readonly string[];
  /** What is measured, and its limit. */
  readonly condition: AlertCondition;
  /** How far back a share, mean or increase looks. Not for a `value`. */
  readonly windowMs?: number;
  /** The condition has to hold for this long before the alert fires. @default 0 */
  readonly forMs?: number;
  /** The alert continues for this long after the condition ceased. @default 0 */
  readonly keepFiringForMs?: number;
  /** Further labels of its alerts. */
  readonly labels?: Readonly<Record<string, string>>;
  /** `{tool}` and other labels are filled in. */
  readonly summary: string;
  /** `{measured}` and `{limit}` too. */
  readonly description: string;
  /** The event that an alert of this rule points to. */
  readonly cause?: AlertCause;
  /** Evaluated as soon as its cause happens, not at the next evaluation only. @default false */
  readonly immediate?: boolean;
}

/** While an alert that matches `source` fires, those that match `target` are needless to tell, where both have the same values of `equal`. */
export interface InhibitRule {
  /** Matches the alerts that inhibit; all matchers have to match. */
  readonly source: readonly LabelMatcher[];
  /** Matches the alerts that are inhibited; all matchers have to match. */
  readonly target: readonly LabelMatcher[];
  /** Names of the labels that both alerts must have in common; a missing label counts as empty. */
  readonly equal: readonly string[];
}

/** As Alertmanager has it: the whole value has to match. */
export interface LabelMatcher {
  /** Name of the label. */
  readonly name: string;
  /** The value, or with `isRegex` the pattern, that the whole value of the label has to match. */
  readonly value: string;
  /** Whether `value` is a regular expression. @default false */
  readonly isRegex?: boolean;
  /** `false` turns the match round. @default true */
  readonly isEqual?: boolean;
}
