/** Owns the types of a Prometheus rule file. */

/** A series that Prometheus computes from an expression and stores under a new name. */
export interface RecordingRule {
  /** Name of the recorded series. */
  readonly record: string;
  /** PromQL expression. */
  readonly expr: string;
}

/** An alert that Prometheus evaluates. */
export interface AlertingRule {
  /** Name of the alert. */
  readonly alert: string;
  /** PromQL expression; the alert fires for each series it returns. */
  readonly expr: string;
  /** How long the expression must hold before the alert fires, such as `1m`. Absent: it fires at once. */
  readonly for?: string;
  /** How long the alert continues to fire afterwards, such as `5m`. Absent: it ends at once. */
  readonly keep_firing_for?: string;
  /** Labels added to the alert, such as `severity`. */
  readonly labels: Readonly<Record<string, string>>;
  /** Texts of the alert, as templates of Prometheus. */
  readonly annotations: Readonly<Record<string, string>>;
}

/** Rules that are evaluated together, in their order. */
export interface RuleGroup {
  /** Name of the group, unique in the file. */
  readonly name: string;
  /** How often the rules are evaluated, such as `15s`. Absent: as Prometheus is configured. */
  readonly interval?: string;
  /** Recording rules come before the rules that read them. */
  readonly rules: readonly (RecordingRule | AlertingRule)[];
}

/** A rule file of Prometheus as data; `printRules` formats it. */
export interface RuleFile {
  /** The groups of the file. */
  readonly groups: readonly RuleGroup[];
}
