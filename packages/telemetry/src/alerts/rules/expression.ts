/**
 * Owns a rule's condition in Prometheus's query language. Does not own the file around it (`rule-file.ts`).
 *
 * Invariants
 * 1. An expression has a result exactly when the engine's condition holds, for the same samples.
 * 2. Its value is the one that the engine measures: a share, a mean, a count.
 */
import type { AlertRule, MeanCondition, RatioCondition, SeriesSelector } from '@holdfast/core/alerts';
import { meanSeries, wilsonMargin } from '@holdfast/core/internal';
import { duration, quote } from './text.ts';

/** The parts of a rule's expression, each the name of a recorded series or an expression. */
export interface Parts {
  /** The increase of the selected counters within the rule's window, by the rule's labels. */
  readonly grown: (of: SeriesSelector) => string;
}

/** A rule as one self-contained expression. */
export function alertExpression(rule: AlertRule): string {
  return conditionOf(rule, { grown: (of) => increaseOf(rule, of) });
}

/** `sum by (tool) (increase(holdfast_tool_calls_total{outcome="error"}[5m]))` */
export function increaseOf({ by, windowMs = 0 }: AlertRule, of: SeriesSelector): string {
  return `sum${byLabels(by)}(increase(${selector(of)}[${duration(windowMs)}]))`;
}

export function conditionOf(rule: AlertRule, parts: Parts): string {
  const { condition, by } = rule;
  switch (condition.kind) {
    case 'ratio':
      return ratio(rule, condition, parts);
    case 'mean':
      return mean(rule, condition, parts);
    case 'increase':
      return `${parts.grown(condition.of)} > ${condition.above}`;
    case 'value':
      return `sum${byLabels(by)}(${selector(condition.of)}) > ${condition.above}`;
  }
}

function ratio(rule: AlertRule, condition: RatioCondition, { grown }: Parts): string {
  const [part, whole] = [grown(condition.part), grown(condition.whole)];
  const share = `${part} / ${whole}`;
  const volume = condition.minimumVolume ? ` and ${whole} >= ${condition.minimumVolume}` : '';
  const begins = condition.deviations
    ? `${part} > ${condition.above} * ${whole} + ${wilsonMargin(condition)} * sqrt(${whole})${volume}`
    : `${share} > ${condition.above}${volume}`;
  const goesOn = condition.clearBelow === undefined ? undefined : stillFiring(rule, `${share} > ${condition.clearBelow}`);
  if (!goesOn && !condition.deviations) return begins;
  return [share, 'and (', ...either(begins, goesOn).map((line) => `  ${line}`), ')'].join('\n');
}

function mean(rule: AlertRule, condition: MeanCondition, { grown }: Parts): string {
  const [sum, count] = meanSeries(condition.of);
  const value = `${grown(sum)} / ${grown(count)}`;
  const begins = `${value} > ${condition.above}${condition.minimumVolume ? ` and ${grown(count)} >= ${condition.minimumVolume}` : ''}`;
  if (condition.clearBelow === undefined) return begins;
  return either(begins, stillFiring(rule, `${value} > ${condition.clearBelow}`)).join('\n');
}

function either(begins: string, goesOn: string | undefined): readonly string[] {
  return goesOn === undefined ? [begins] : [`(${begins})`, 'or', `(${goesOn})`];
}

/** The condition that ends an alert differs from the one that starts it: `ALERTS` shows whether it fires. */
function stillFiring({ name, by }: AlertRule, expression: string): string {
  return `${expression} and on (${by.join(', ')}) ALERTS{alertname=${quote(name)}, alertstate="firing"}`;
}

/** `holdfast_tool_calls_total{outcome=~"error|timeout"}` */
function selector({ metric, labels = {} }: SeriesSelector): string {
  const matchers = Object.entries(labels).map(([name, value]) =>
    typeof value === 'string' ? `${name}=${quote(value)}` : `${name}=~${quote(value.map(escapePattern).join('|'))}`,
  );
  return matchers.length === 0 ? metric : `${metric}{${matchers.join(', ')}}`;
}

const escapePattern = (text: string): string => text.replaceAll(/[\\^$.*+?()[\]{}|]/g, String.raw`\$&`);

const byLabels = (by: readonly string[]): string => (by.length === 0 ? ' ' : ` by (${by.join(', ')}) `);
