/** Owns the words of a Prometheus rule file. */

export interface RecordingRule {
  readonly record: string;
  readonly expr: string;
}

export interface AlertingRule {
  readonly alert: string;
  readonly expr: string;
  readonly for?: string;
  readonly keep_firing_for?: string;
  readonly labels: Readonly<Record<string, string>>;
  readonly annotations: Readonly<Record<string, string>>;
}

export interface RuleGroup {
  readonly name: string;
  readonly interval?: string;
  readonly rules: readonly (RecordingRule | AlertingRule)[];
}

export interface RuleFile {
  readonly groups: readonly RuleGroup[];
}
