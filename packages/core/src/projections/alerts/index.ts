/** The entry `@holdfast/core/alerts`: alert rules over the metrics, and the engine that evaluates them. */
export type { Acknowledgement, Alert, AlertChange, AlertPointer, AlertState, Labels, RuleStatus, Silence } from './alert.ts';
export { defaultAlertRules, defaultInhibitRules } from './default-rules.ts';
export type { AlertRuleOptions } from './default-rules.ts';
export { createAlertEngine } from './engine.ts';
export type { AlertEngine, AlertEngineOptions } from './engine.ts';
export { describeCondition } from './describe-rules.ts';
export type { SavedAlerts } from './saved.ts';
export type { SampleSource } from './sample-history.ts';
export type { ActiveReading, MetricSample, ReadSample } from '../metrics/samples.ts';
export type {
  AlertCause,
  AlertCondition,
  AlertRule,
  AlertSeverity,
  IncreaseCondition,
  InhibitRule,
  LabelMatcher,
  MeanCondition,
  RatioCondition,
  SeriesSelector,
  ValueCondition,
} from './rule.ts';
