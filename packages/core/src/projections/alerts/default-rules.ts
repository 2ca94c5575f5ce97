/** Owns the built-in alert rules: the four conditions of docs/specification.md#s4-alerts, tools that are down, missed deadlines, exhausted budgets, abandoned work and lost trace events. */
import { checkOptions } from '../../engine/settings/check-options.ts';
import type { Fields } from '../../engine/settings/check.ts';
import { period } from '../../engine/settings/fields.ts';
import type { AlertRule, InhibitRule, LabelMatcher, SeriesSelector } from './rule.ts';
import { DEVIATIONS_95 } from './wilson.ts';

/** Options of `defaultAlertRules`: the limits of the built-in rules. */
export interface AlertRuleOptions {
  /** Follow docs/specification.md#s4-alerts literally: the raw share or mean over any number of calls, firing immediately, resolved at the limit itself. @default false */
  readonly strict?: boolean;
  /** Share of failed calls. @default 0.05 */
  readonly failureRate?: number;
  /** Mean of a tool's attempts; with `strict`, of its calls. @default 5000 */
  readonly executionTimeMs?: number;
  /** Minimum number of calls in the window for a share to count, and of attempts for a mean, which needs 20 unless this is set. Ignored with `strict`. @default 5 */
  readonly minimumCalls?: number;
  /** Length of the window for shares, means and increases; it has to span several evaluations. @default 300000 */
  readonly windowMs?: number;
}

const MINUTE = 60_000;

/** The share of the limit above which a firing alert continues. */
const CLEAR_AT = 0.6;

const calls: SeriesSelector = {
  metric: 'holdfast_tool_calls_total',
  labels: { outcome: ['success', 'error', 'timeout', 'refused'] },
  what: 'calls',
};
const failedCalls: SeriesSelector = { ...calls, labels: { outcome: ['error', 'timeout', 'refused'] }, what: 'failed calls' };

/** Returns the built-in rules, either tuned for operators or, with `strict`, exactly as in docs/specification.md#s4-alerts. @throws TypeError | RangeError for an unknown option or a limit out of range */
export function defaultAlertRules(options: AlertRuleOptions = {}): readonly AlertRule[] {
  const settings = readOptions(options);
  return [
    failureRateRule(settings),
    ...(settings.strict ? [] : [downRule]),
    executionTimeRule(settings),
    // A circuit that flaps is one alert.
    settings.strict ? circuitRule : { ...circuitRule, keepFiringForMs: 5 * MINUTE },
    responseRule(settings.windowMs),
    exchangeRule(settings.windowMs),
    deadlineRule(settings.windowMs),
    budgetRule(settings.windowMs),
    abandonedRule,
    traceRule(settings.windowMs),
  ];
}

type Settings = Required<AlertRuleOptions> & { readonly minimumAttempts: number };

const limits: Fields = {
  strict: 'boolean',
  failureRate: ['a share above 0 and below 1', Number.MIN_VALUE, 1 - Number.EPSILON],
  executionTimeMs: period,
  minimumCalls: ['a number of calls, 0 or more', 0, Infinity],
  windowMs: ['whole milliseconds, 1000 or more', 1_000, Number.MAX_SAFE_INTEGER, true],
};

function readOptions(options: AlertRuleOptions): Settings {
  checkOptions(limits, options, 'defaultAlertRules');
  const { strict = false, failureRate = 0.05, executionTimeMs = 5_000, minimumCalls = 5, windowMs = 5 * MINUTE } = options;
  return { strict, failureRate, executionTimeMs, minimumCalls, minimumAttempts: options.minimumCalls ?? 20, windowMs };
}

function failureRateRule({ strict, failureRate, minimumCalls, windowMs }: Settings): AlertRule {
  const guarded = { clearBelow: failureRate * CLEAR_AT, minimumVolume: minimumCalls, deviations: DEVIATIONS_95 };
  return {
    name: 'ToolFailureRateHigh',
    severity: 'critical',
    by: ['tool'],
    condition: { kind: 'ratio', part: failedCalls, whole: calls, above: failureRate, ...(strict ? {} : guarded) },
    windowMs,
    ...(strict ? { immediate: true } : { forMs: MINUTE / 2, keepFiringForMs: 2 * MINUTE }),
    summary: 'Calls of {tool} fail',
    description: 'Failed calls of {tool}: {measured}. The limit is {limit}.',
    cause: 'call_failed',
  };
}

/** A tool with few calls may never have enough of them within a window. */
const downRule: AlertRule = {
  name: 'ToolDown',
  severity: 'critical',
  by: ['tool'],
  condition: { kind: 'value', of: { metric: 'holdfast_tool_failures_in_a_row', what: 'failed calls in a row' }, above: 4 },
  keepFiringForMs: 2 * MINUTE,
  summary: 'Every call of {tool} fails',
  description: 'Failed calls of {tool} since the last one that succeeded: {measured}.',
  cause: 'call_failed',
};

function executionTimeRule({ strict, executionTimeMs, minimumAttempts, windowMs }: Settings): AlertRule {
  const above = executionTimeMs / 1000;
  const guarded = { clearBelow: above * 0.8, minimumVolume: minimumAttempts };
  const attempts: SeriesSelector = { metric: 'holdfast_tool_attempt_duration_seconds', what: 'attempts' };
  const whole: SeriesSelector = { metric: 'holdfast_tool_call_duration_seconds', what: 'calls with their retries and waits' };
  return {
    name: 'ToolExecutionTimeHigh',
    severity: 'warning',
    by: ['tool'],
    condition: {
      kind: 'mean',
      // The specification's execution time is that of a call; an operator asks whether the tool itself is slow.
      of: strict ? whole : attempts,
      beside: strict ? attempts : whole,
      above,
      ...(strict ? {} : guarded),
    },
    windowMs,
    ...(strict ? { immediate: true } : { forMs: MINUTE, keepFiringForMs: 2 * MINUTE }),
    summary: '{tool} is slow',
    description: `Mean time of ${strict ? 'a call' : 'an attempt'} of {tool}: {measured}. The limit is {limit}.`,
    cause: strict ? 'slow_call' : 'slow_attempt',
  };
}

const circuitRule: AlertRule = {
  name: 'CircuitOpen',
  severity: 'critical',
  by: ['tool'],
  condition: {
    kind: 'value',
    of: { metric: 'holdfast_circuit_state', labels: { state: ['open', 'half_open'] }, what: 'circuits that are not closed' },
    above: 0,
  },
  // True of a half-open circuit, too.
  summary: 'Circuit breaker of {tool} has opened',
  description: 'Circuit breaker opened for {tool}: until a probe succeeds, its calls are refused or wait, unless it is in shadow mode.',
  cause: 'circuit_opened',
  immediate: true,
};

const responseRule = (windowMs: number): AlertRule => ({
  name: 'ResponseInvalid',
  severity: 'warning',
  by: ['tool'],
  condition: { kind: 'increase', of: { metric: 'holdfast_tool_responses_invalid_total', what: 'invalid responses' }, above: 0 },
  windowMs,
  summary: '{tool} returns invalid responses',
  description: 'Responses of {tool} that failed validation: {measured}.',
  cause: 'response_invalid',
  immediate: true,
});

const exchangeRule = (windowMs: number): AlertRule => ({
  name: 'ResponseValidationFailed',
  severity: 'warning',
  by: [],
  condition: {
    kind: 'increase',
    of: { metric: 'holdfast_response_validation_failures_total', what: 'failed validations of requests and responses' },
    above: 0,
  },
  windowMs,
  summary: 'Exchanges with a model fail validation',
  description: 'Requests to models and responses that failed validation: {measured}.',
  cause: 'validation_failed',
  immediate: true,
});

const deadlineRule = (windowMs: number): AlertRule => ({
  name: 'TurnDeadlineMissed',
  severity: 'warning',
  by: [],
  condition: {
    kind: 'increase',
    of: { metric: 'holdfast_turn_deadlines_reached_total', what: 'turns that missed their deadline' },
    above: 0,
  },
  windowMs,
  summary: 'Turns miss their deadline',
  description: 'Turns that were ended by their deadline: {measured}.',
  cause: 'deadline_reached',
  immediate: true,
});

const budgetRule = (windowMs: number): AlertRule => ({
  name: 'RetryBudgetExhausted',
  severity: 'warning',
  by: ['tool'],
  condition: {
    kind: 'increase',
    of: {
      metric: 'holdfast_tool_retries_denied_total',
      labels: { reason: ['retry_budget', 'turn_budget'] },
      what: 'retries that a budget denied',
    },
    above: 0,
  },
  windowMs,
  summary: 'No retries are left for {tool}',
  description: 'Retries of {tool} that the budget of the tool or turn denied: {measured}.',
  cause: 'budget_exhausted',
  immediate: true,
});

const abandonedRule: AlertRule = {
  name: 'WorkAbandoned',
  severity: 'warning',
  by: ['tool'],
  condition: {
    kind: 'increase',
    of: { metric: 'holdfast_tool_orphans_total', labels: { result: 'abandoned' }, what: 'attempts that did not stop' },
    above: 0,
  },
  windowMs: 15 * MINUTE,
  summary: '{tool} does not stop when its attempt is aborted',
  description: 'Attempts of {tool} that continued after their time limit, and may still run: {measured}.',
  cause: 'work_abandoned',
  immediate: true,
};

const traceRule = (windowMs: number): AlertRule => ({
  name: 'TraceEventsLost',
  severity: 'warning',
  by: [],
  condition: { kind: 'increase', of: { metric: 'holdfast_trace_dropped_total', what: 'lost trace events' }, above: 0 },
  windowMs,
  summary: 'The trace store cannot keep up',
  description: 'Trace events that could not be kept: {measured}.',
});

const byName = (...names: readonly string[]): LabelMatcher => ({
  name: 'alertname',
  value: names.join('|'),
  ...(names.length > 1 ? { isRegex: true } : {}),
});

/** No separate notifications for the consequences of an open circuit or of a failing tool. */
export const defaultInhibitRules: readonly InhibitRule[] = [
  {
    source: [byName('CircuitOpen')],
    target: [byName('ToolDown', 'ToolFailureRateHigh', 'ToolExecutionTimeHigh', 'RetryBudgetExhausted')],
    equal: ['tool'],
  },
  { source: [byName('ToolDown')], target: [byName('ToolFailureRateHigh', 'RetryBudgetExhausted')], equal: ['tool'] },
  { source: [byName('ToolFailureRateHigh')], target: [byName('RetryBudgetExhausted')], equal: ['tool'] },
];
