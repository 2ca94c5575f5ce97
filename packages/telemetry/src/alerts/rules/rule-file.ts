/**
 * Owns the Prometheus rule file with the engine's rules: recorded series, alerts with their annotations. Does not own its text (`print-rules.ts`).
 *
 * Invariants
 * 1. It is made from the rule objects that the engine evaluates: no limit is written twice.
 * 2. A recorded series occurs once, before the rules that read it.
 */
import { checkOptions, listOf, period, type Fields } from '@holdfast/core/internal/plain';
import { describeCondition, type AlertRule, type SeriesSelector } from '@holdfast/core/alerts';
import { meanSeries } from '@holdfast/core/internal';
import { burnRateGroup, burnRateRule, type BurnRateOptions } from './burn-rate.ts';
import { conditionOf, increaseOf } from './expression.ts';
import type { AlertingRule, RecordingRule, RuleFile } from './rule-group.ts';
import { duration } from './text.ts';

/** How the engine's rules are translated for Prometheus. */
export interface RuleFileOptions {
  /** Further labels to group by, such as `job`. @default none: all processes are added up */
  readonly by?: readonly string[];
  /** How often Prometheus evaluates the rules. @default 15000 */
  readonly intervalMs?: number;
  /** Rules for how fast an error budget is spent. @default none */
  readonly burnRate?: BurnRateOptions;
}

const fileFields: Fields = { by: listOf('string', 'an array of labels'), intervalMs: period, burnRate: burnRateRule };

/**
 * Returns the rule file for Prometheus that fires as the alert engine does.
 * @throws TypeError | RangeError for an invalid option, and for unreachable burn rates.
 */
export function prometheusRules(rules: readonly AlertRule[], options: RuleFileOptions = {}): RuleFile {
  checkOptions(fileFields, options, 'prometheusRules');
  const { by = [], intervalMs = 15_000, burnRate } = options;
  const grouped = rules.map((rule) => ({ ...rule, by: [...new Set([...rule.by, ...by])] }));
  const recorded = new Map(grouped.flatMap(recordingsOf).map((rule) => [rule.record, rule]));
  return {
    groups: [
      { name: 'holdfast', interval: duration(intervalMs), rules: [...recorded.values(), ...grouped.map(alertOf)] },
      ...(burnRate ? [burnRateGroup(burnRate, ['tool', ...by])] : []),
    ],
  };
}

/** `tool:holdfast_failed_calls:increase5m` */
function recordName({ by, windowMs = 0 }: AlertRule, { what, metric }: SeriesSelector): string {
  const unit = metric.endsWith('_sum') ? '_seconds_sum' : '';
  const name = what.toLowerCase().replaceAll(/[^a-z0-9]+/g, '_');
  return `${by.length === 0 ? 'all' : by.join('_')}:holdfast_${name}${unit}:increase${duration(windowMs)}`;
}

function recordingsOf(rule: AlertRule): readonly RecordingRule[] {
  return recordedOf(rule).map((of) => ({ record: recordName(rule, of), expr: increaseOf(rule, of) }));
}

/** Expressions that are used more than once. */
function recordedOf({ condition }: AlertRule): readonly SeriesSelector[] {
  if (condition.kind === 'ratio') return [condition.part, condition.whole];
  if (condition.kind !== 'mean') return [];
  return meanSeries(condition.of);
}

function alertOf(rule: AlertRule): AlertingRule {
  const { name, severity, forMs = 0, keepFiringForMs = 0, labels, condition } = rule;
  const recorded = new Set(recordedOf(rule).map((of) => recordName(rule, of)));
  const increaseExpression = (of: SeriesSelector): string =>
    recorded.has(recordName(rule, of)) ? recordName(rule, of) : increaseOf(rule, of);
  const template = (text: string): string => fillText(text, rule);
  return {
    alert: name,
    expr: conditionOf(rule, { grown: increaseExpression }),
    ...(forMs > 0 ? { for: duration(forMs) } : {}),
    ...(keepFiringForMs > 0 ? { keep_firing_for: duration(keepFiringForMs) } : {}),
    labels: { severity, ...labels },
    annotations: {
      summary: template(rule.summary),
      description: template(rule.description),
      condition: describeCondition(rule),
      limit: limitOf(condition),
    },
  };
}

/** The engine's placeholders as Prometheus templates. */
function fillText(text: string, rule: AlertRule): string {
  return text.replaceAll(/\{(\w+)\}/g, (placeholder, name: string) => {
    if (name === 'measured') return measureExpression(rule);
    if (name === 'limit') return limitOf(rule.condition);
    return rule.by.includes(name) ? `{{ $labels.${name} }}` : placeholder;
  });
}

function measureExpression(rule: AlertRule): string {
  const { condition } = rule;
  switch (condition.kind) {
    case 'ratio':
      return `${selectorExpression(rule, condition.part)} of ${selectorExpression(rule, condition.whole)} ({{ $value | humanizePercentage }})`;
    case 'mean':
      return `{{ $value | humanizeDuration }} over ${selectorExpression(rule, meanSeries(condition.of)[1])}`;
    case 'increase':
    case 'value':
      return '{{ $value | printf "%.0f" }}';
  }
}

/** The value of a recorded series for the alert's labels. */
function selectorExpression(rule: AlertRule, of: SeriesSelector): string {
  const matchers = rule.by.map((label) => `${label}=%q`).join(',');
  const values = rule.by.map((label) => ` $labels.${label}`).join('');
  const query = `printf ${JSON.stringify(`${recordName(rule, of)}{${matchers}}`)}${values} | query`;
  return `{{ with ${query} }}{{ . | first | value | printf "%.0f" }}{{ end }}`;
}

function limitOf({ kind, above }: AlertRule['condition']): string {
  if (kind === 'ratio') return `${Number((above * 100).toPrecision(3))} %`;
  return kind === 'mean' ? `${above} s` : String(above);
}
