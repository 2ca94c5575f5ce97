/** The table of contents of `@holdfast/core/alerts`. */
export type { Acknowledgement, Alert, AlertChange, AlertPointer, AlertState, Labels, RuleStatus, Silence } from './alert.ts';
export { defaultAlertRules, defaultInhibitRules } from './default-rules.ts';
export type { AlertRuleOptions } from './default-rules.ts';
export { createAlertEngine } from './engine.ts';
export type { AlertEngine, AlertEngineOptions } from './engine.ts';
export { sayCondition, sayTime } from './describe-rules.ts';
export { fingerprint } from './fingerprint.ts';
export { increase, type Series } from './increase.ts';
export type { SavedAlerts } from './saved.ts';
export type { SampleSource } from './sample-history.ts';
export type { MetricSample } from '../metrics/samples.ts';
export { wilsonMargin } from './measure.ts';
export { meanSeries, selectorsOf, type MeanSeries } from './selectors.ts';
export { wilsonInterval, type Interval } from './wilson.ts';
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
