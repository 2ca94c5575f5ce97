/** The table of contents of `@holdfast/core/alerts`. */
export type { Acknowledgement, Alert, AlertChange, AlertPointer, AlertState, Labels, MetricSample, RuleStatus, Silence } from './alert.ts';
export { defaultAlertRules, defaultInhibitRules } from './default-rules.ts';
export type { AlertRuleOptions } from './default-rules.ts';
export { createAlertEngine } from './engine.ts';
export type { AlertEngine, AlertEngineOptions, SavedAlerts } from './engine.ts';
export { fingerprint } from './fingerprint.ts';
export type {
  AlertCause,
  AlertCondition,
  AlertRule,
  AlertSeverity,
  AlertUnit,
  IncreaseCondition,
  InhibitRule,
  LabelMatcher,
  MeanCondition,
  RatioCondition,
  SeriesSelector,
  ValueCondition,
} from './rule.ts';
