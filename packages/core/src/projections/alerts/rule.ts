/**
 * Owns the types of an alert rule. A rule is plain data (JSON): the engine here evaluates it, and `@holdfast/telemetry` prints the same object as a Prometheus rule.
 * Does not own the built-in rules (`default-rules.ts`).
 */

/** How urgent an alert is, from `critical` down to `info`. */
export type AlertSeverity = 'critical' | 'warning' | 'info';

/** Selects series of a metric by its Prometheus name and labels. */
export interface SeriesSelector {
  /** Name of the metric, such as `holdfast_tool_calls_total`; a histogram without `_sum` and `_count`. */
  readonly metric: string;
  /** Values of labels: one value, or one of several. */
  readonly labels?: Readonly<Record<string, string | readonly string[]>>;
  /** Plural noun for what is counted: `failed calls`. Also names the recorded series in Prometheus. */
  readonly what: string;
}

/** A share within the window, such as failed calls of all calls. */
export interface RatioCondition {
  /** Discriminates the union of alert conditions. */
  readonly kind: 'ratio';
  /** The counter of the numerator, such as failed calls. */
  readonly part: SeriesSelector;
  /** The counter of the denominator, such as all calls. */
  readonly whole: SeriesSelector;
  /** The condition holds above this share. */
  readonly above: number;
  /** A firing alert continues above this share. @default `above` */
  readonly clearBelow?: number;
  /** Minimum denominator for the share to count. @default 0 */
  readonly minimumVolume?: number;
  /** Standard deviations of the share's Wilson interval, whose lower bound has to be above the limit. @default 0, compares the share itself */
  readonly deviations?: number;
}

/** A mean of the observations within the window. */
export interface MeanCondition {
  /** Discriminates the union of alert conditions. */
  readonly kind: 'mean';
  /** A histogram; its `_sum` and `_count` are read. */
  readonly of: SeriesSelector;
  /** The condition holds above this mean, in the unit of the histogram. */
  readonly above: number;
  /** A firing alert continues above this mean. @default `above` */
  readonly clearBelow?: number;
  /** Minimum number of observations for the mean to count. @default 0 */
  readonly minimumVolume?: number;
  /** Another mean that is shown beside this one. */
  readonly beside?: SeriesSelector;
}

/** How much a counter grew within the window. */
export interface IncreaseCondition {
  /** Discriminates the union of alert conditions. */
  readonly kind: 'increase';
  /** The counter. */
  readonly of: SeriesSelector;
  /** The condition holds above this increase. */
  readonly above: number;
}

/** The current value of a gauge. */
export interface ValueCondition {
  /** Discriminates the union of alert conditions. */
  readonly kind: 'value';
  /** The gauge. */
  readonly of: SeriesSelector;
  /** The condition holds above this value. */
  readonly above: number;
}

/** What a rule measures, and the limit above which it alerts. */
export type AlertCondition = RatioCondition | MeanCondition | IncreaseCondition | ValueCondition;

/** What happens in a trace that an alert can point to as its last cause. */
export type AlertCause =
  | 'call_failed'
  | 'slow_attempt'
  | 'slow_call'
  | 'circuit_opened'
  | 'response_invalid'
  | 'validation_failed'
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
  /** Length of the window for a share, mean or increase. Not for a `value`. */
  readonly windowMs?: number;
  /** The condition has to hold for this long before the alert fires. @default 0 */
  readonly forMs?: number;
  /** The alert keeps firing for this long after the condition stopped holding. @default 0 */
  readonly keepFiringForMs?: number;
  /** Further labels of its alerts. */
  readonly labels?: Readonly<Record<string, string>>;
  /** Summary with placeholders for labels, such as `{tool}`. */
  readonly summary: string;
  /** Description with placeholders for labels, `{measured}` and `{limit}`. */
  readonly description: string;
  /** The event that an alert of this rule points to. */
  readonly cause?: AlertCause;
  /** Evaluate as soon as the cause happens instead of at the next evaluation. @default false */
  readonly immediate?: boolean;
}

/** While an alert that matches `source` fires, alerts that match `target` send no notifications if both have equal values for the labels in `equal`. */
export interface InhibitRule {
  /** Matches the alerts that inhibit; all matchers have to match. */
  readonly source: readonly LabelMatcher[];
  /** Matches the alerts that are inhibited; all matchers have to match. */
  readonly target: readonly LabelMatcher[];
  /** Names of the labels that both alerts must have in common; a missing label counts as empty. */
  readonly equal: readonly string[];
}

/** Matches a label as in Alertmanager: the whole value has to match. */
export interface LabelMatcher {
  /** Name of the label. */
  readonly name: string;
  /** The value, or with `isRegex` the pattern, that the whole value of the label has to match. */
  readonly value: string;
  /** Whether `value` is a regular expression. @default false */
  readonly isRegex?: boolean;
  /** `false` negates the match. @default true */
  readonly isEqual?: boolean;
}
