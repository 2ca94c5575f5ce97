/**
 * Owns rules for how fast an error budget is spent, with several windows as in the SRE workbook. They need traffic, so they are off by default.
 *
 * Invariant
 * 1. An unreachable burn rate is refused: 14.4 times the budget of a 90 % objective would be 144 % of the calls.
 */
import { checkOptions, listOf, period, type Fields, type NumberRule, type Rule } from '@holdfast/core/internal/plain';
import { duration } from './text.ts';
import type { AlertingRule, RecordingRule, RuleGroup } from './rule-group.ts';

/** Settings of rules for how fast an error budget is spent. */
export interface BurnRateOptions {
  /** Share of calls that has to succeed, such as 0.95. */
  readonly objective: number;
  /** @default 14.4 over 1 h and 5 min, 6 over 6 h and 30 min (critical); 1 over 3 d and 6 h (warning) */
  readonly windows?: readonly BurnRateWindow[];
}

/** One alert: it fires while the burn rate is exceeded over both the long and the short window. */
export interface BurnRateWindow {
  /** Ends the alert's name: `ErrorBudgetBurnFast`. */
  readonly name: string;
  /** Severity of the alert. */
  readonly severity: 'critical' | 'warning' | 'info';
  /** How many times faster than the budget allows. */
  readonly factor: number;
  /** Length of the long window in milliseconds. */
  readonly longMs: number;
  /** Length of the short window in milliseconds, so that the alert ends soon after the failures do. */
  readonly shortMs: number;
}

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;

const standard: readonly BurnRateWindow[] = [
  { name: 'Fast', severity: 'critical', factor: 14.4, longMs: HOUR, shortMs: 5 * MINUTE },
  { name: 'Medium', severity: 'critical', factor: 6, longMs: 6 * HOUR, shortMs: 30 * MINUTE },
  { name: 'Slow', severity: 'warning', factor: 1, longMs: 72 * HOUR, shortMs: 6 * HOUR },
];

const windowFields: Fields = {
  name: 'string',
  severity: ['critical', 'warning', 'info'],
  factor: ['a number above 0', Number.MIN_VALUE, Number.MAX_VALUE],
  longMs: period,
  shortMs: period,
};

const objective: NumberRule = ['a share above 0 and below 1, such as 0.95', Number.MIN_VALUE, 1 - Number.EPSILON];

/** The rule of `BurnRateOptions`. */
export const burnRateRule: Rule = (value, field) =>
  checkOptions(
    {
      objective,
      windows: listOf((window, place) => checkOptions(windowFields, window, place, Object.keys(windowFields)), 'an array of windows'),
    },
    value,
    field,
    ['objective'],
  );

export function burnRateGroup({ objective, windows = standard }: BurnRateOptions, by: readonly string[]): RuleGroup {
  for (const window of windows) refuseImpossible(window, objective);
  const spans = [...new Set(windows.flatMap(({ longMs, shortMs }) => [longMs, shortMs]))].toSorted((a, b) => a - b);
  return {
    name: 'holdfast-burn-rate',
    interval: '30s',
    rules: [...spans.map((span) => recordShare(span, by)), ...windows.map((window) => alertOf(window, objective, by))],
  };
}

function refuseImpossible({ name, factor }: BurnRateWindow, objective: number): void {
  const share = factor * (1 - objective);
  if (share < 1) return;
  const least = Math.ceil((1 - 1 / factor) * 10_000) / 10_000;
  throw new RangeError(
    `objective: a burn rate of ${factor} (${name}) of an objective of ${objective} would be ${Math.round(share * 100)} % of the calls, which no tool reaches. Give an objective above ${least}, or windows without it.`,
  );
}

const shareName = (span: number, by: readonly string[]): string => `${by.join('_')}:holdfast_failed_calls:ratio${duration(span)}`;

function recordShare(span: number, by: readonly string[]): RecordingRule {
  const sum = (outcomes: string): string =>
    `sum by (${by.join(', ')}) (rate(holdfast_tool_calls_total{outcome=~"${outcomes}"}[${duration(span)}]))`;
  return { record: shareName(span, by), expr: `${sum('error|timeout|refused')} / ${sum('success|error|timeout|refused')}` };
}

function alertOf({ name, severity, factor, longMs, shortMs }: BurnRateWindow, objective: number, by: readonly string[]): AlertingRule {
  const limit = Number((factor * (1 - objective)).toPrecision(6));
  return {
    alert: `ErrorBudgetBurn${name}`,
    expr: `${shareName(longMs, by)} > ${limit} and ${shareName(shortMs, by)} > ${limit}`,
    labels: { severity, window: duration(longMs) },
    annotations: {
      summary: `{{ $labels.tool }} spends its error budget too fast`,
      description: `Failed calls of {{ $labels.tool }} within ${duration(longMs)}: {{ $value | humanizePercentage }}. The limit is ${Number((limit * 100).toPrecision(4))} %: ${factor} × what an objective of ${Number((objective * 100).toPrecision(6))} % allows.`,
    },
  };
}
