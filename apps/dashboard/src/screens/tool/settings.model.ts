/** Describes the settings of a tool. Accepts unknown settings, since the gateway may be another version. */
import { fields } from '@holdfast/core/turn-view';
import { pluralize, formatDuration, joinWords, formatNumber, formatPercent, humanize } from '../../ui/format.ts';

type Settings = Readonly<Record<string, unknown>>;

export interface SettingLine {
  readonly name: string;
  readonly text: string;
}

const { record } = fields;
const numberOf = (value: unknown): number | undefined => (typeof value === 'number' ? value : undefined);
const time = (value: unknown): string => (value === null ? 'no limit' : formatDuration(numberOf(value)));

const effects: Readonly<Record<string, string>> = {
  read: 'Read-only: safe to retry and to replace.',
  idempotent: 'Idempotent: safe to retry.',
  unsafe: 'Unsafe: neither retried nor replaced after an ambiguous failure.',
};

function effectText(effect: unknown, assumed: unknown): string | undefined {
  if (typeof effect === 'string') return effects[effect] ?? effect;
  return typeof assumed === 'string' ? `Not declared, counts as ${assumed} after an ambiguous failure.` : undefined;
}

export function settingLines(settings: Settings): readonly SettingLine[] {
  const lines: readonly (readonly [string, string | undefined])[] = [
    ['Attempts', retryText(record(settings['retry_policy']))],
    ['Timeout', timeoutText(settings['timeout_ms'], settings['idle_timeout_ms'])],
    ['Circuit', circuitText(settings['circuit_breaker'])],
    ['Alternatives', namesText(settings['alternatives'])],
    [
      'Fallback',
      'fallback' in settings && settings['fallback'] !== undefined
        ? `Returns ${shortText(settings['fallback'])} if everything else fails.`
        : undefined,
    ],
    ['Effect', effectText(settings['effect'], settings['assumed_effect'])],
    [
      'Unknown failures',
      settings['unknown_failures'] === 'report' ? 'Reported; retried at most once, if that is declared safe.' : undefined,
    ],
    ['Concurrency', concurrencyText(settings['concurrency'])],
    ['Rate limit', rateText(settings['rate_limit'])],
    ['Retry budget', budgetText(settings['retry_budget'])],
    ['Hedging', hedgeText(settings['hedge'])],
    ['Partial output', settings['accept_partial'] === true ? 'Accepted after a timeout.' : undefined],
    ['Output', outputText(settings['max_output_chars'])],
  ];
  return lines.flatMap(([name, text]) => (text === undefined ? [] : [{ name, text }]));
}

const timeoutText = (value: unknown, idle: unknown): string | undefined => {
  if (value === undefined) return undefined;
  const whole = value === null ? 'No timeout' : `${time(value)} per attempt`;
  return numberOf(idle) === undefined ? `${whole}.` : `${whole}, ${time(idle)} without progress.`;
};

function retryText(policy: Settings): string | undefined {
  const attempts = numberOf(policy['max_attempts']);
  if (attempts === undefined) return undefined;
  if (attempts <= 1) return 'One attempt, no retry.';
  const parts = [`Up to ${formatNumber(attempts)} attempts`, `${delayText(policy)}${jitterText(policy)}`];
  const all = policy['max_total_time_ms'];
  return `${parts.join(', ')}${numberOf(all) === undefined ? '' : `; no retry later than ${time(all)} after the first failure`}.`;
}

function delayText(policy: Settings): string {
  const [first, max] = [policy['initial_delay_ms'], policy['max_delay_ms']];
  if (policy['strategy'] === 'constant_backoff') return `with a delay of ${time(first)}`;
  if (policy['strategy'] === 'linear_backoff')
    return `with delays from ${time(first)}, increasing by ${time(policy['step_ms'])} up to ${time(max)}`;
  const factor = numberOf(policy['multiplier']);
  const growth = factor === undefined || factor === 2 ? 'doubling' : `growing by a factor of ${formatNumber(factor)}`;
  return `with delays from ${time(first)}, ${growth} up to ${time(max)}`;
}

function jitterText(policy: Settings): string {
  const kind = policy['jitter'];
  if (typeof kind !== 'string' || kind === 'none') return '';
  return kind === 'proportional' ? ` ± ${formatNumber(numberOf(policy['jitter_percent']) ?? 10)} %` : ` with ${kind} jitter`;
}

function circuitText(value: unknown): string | undefined {
  if (value === false) return 'None: calls continue even if the tool keeps failing.';
  const circuit = record(value);
  const threshold = numberOf(circuit['failure_threshold']);
  if (threshold === undefined) return undefined;
  const unit = circuit['count'] === 'call' ? 'failed call' : 'transient failure';
  const rate = record(circuit['rate']);
  const share = numberOf(rate['failure_rate']);
  const second =
    share === undefined
      ? ''
      : `, or at a failure rate of ${formatPercent(share)} over at least ${formatNumber(numberOf(rate['minimum_calls']))} calls in ${time(rate['window_ms'])}`;
  const successes = numberOf(circuit['success_threshold']) ?? 1;
  const closes = successes === 1 ? 'one successful probe closes it' : `${formatNumber(successes)} successful probes in a row close it`;
  return `Opens after ${pluralize(threshold, unit)} in a row${second}, for ${time(circuit['timeout_ms'])}; then ${closes}.`;
}

const namesText = (value: unknown): string | undefined => {
  const names = Array.isArray(value) ? value.filter((name): name is string => typeof name === 'string') : [];
  return names.length === 0 ? undefined : `If it fails: ${joinWords(names)}.`;
};

function concurrencyText(value: unknown): string | undefined {
  const { limit, queue } = record(value);
  if (numberOf(limit) === undefined) return undefined;
  const waiting = numberOf(queue) === undefined ? 'unlimited queue' : `queue of ${formatNumber(numberOf(queue))}`;
  return `${pluralize(numberOf(limit) ?? 0, 'concurrent call')}, ${waiting}.`;
}

function rateText(value: unknown): string | undefined {
  const { limit, window_ms: window } = record(value);
  return numberOf(limit) === undefined ? undefined : `${pluralize(numberOf(limit) ?? 0, 'call')} per ${time(window)}.`;
}

function budgetText(value: unknown): string | undefined {
  const { ratio, floor, window_ms: window } = record(value);
  if (numberOf(ratio) === undefined) return undefined;
  return `Retries are limited to ${formatPercent(numberOf(ratio))} of the calls per ${time(window)}, with a minimum of ${formatNumber(numberOf(floor) ?? 0)}.`;
}

function hedgeText(value: unknown): string | undefined {
  const { after_ms: after } = record(value);
  if (after === undefined) return undefined;
  return `A second attempt starts in parallel after ${after === 'p95' ? 'the p95 latency' : time(after)}.`;
}

const outputText = (value: unknown): string | undefined =>
  numberOf(value) === undefined || value === 10_485_760 ? undefined : `Truncated after ${formatNumber(numberOf(value))} characters.`;

const shortText = (value: unknown): string => {
  const text = JSON.stringify(value) ?? humanize(String(value));
  return text.length > 60 ? `${text.slice(0, 59)}…` : text;
};
