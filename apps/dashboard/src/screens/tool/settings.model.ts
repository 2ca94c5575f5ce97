/** Owns the settings of a tool in plain words. Pure. Takes what it gets: a manifest of another version may know more. */
import { count, duration, joinWords, number, percent, plainWords } from '../../ui/format.ts';

type Settings = Readonly<Record<string, unknown>>;

export interface SettingLine {
  readonly name: string;
  readonly text: string;
}

const record = (value: unknown): Settings =>
  typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Settings) : {};
const numberOf = (value: unknown): number | undefined => (typeof value === 'number' ? value : undefined);
const time = (value: unknown): string => (value === null ? 'no limit' : duration(numberOf(value)));

const effects: Readonly<Record<string, string>> = {
  read: 'Only reads: it may be repeated and replaced freely.',
  idempotent: 'Idempotent: repeating a call does no harm.',
  unsafe: 'Unsafe: after an ambiguous failure it is neither repeated nor replaced.',
};

export function settingLines(settings: Settings): readonly SettingLine[] {
  const lines: readonly (readonly [string, string | undefined])[] = [
    ['Attempts', retryText(record(settings['retry_policy']))],
    ['Timeout', timeoutText(settings['timeout_ms'])],
    ['Circuit', circuitText(settings['circuit_breaker'])],
    ['Alternatives', namesText(settings['alternatives'])],
    [
      'Fallback',
      'fallback' in settings && settings['fallback'] !== undefined
        ? `Answers ${short(settings['fallback'])} when nothing else helped.`
        : undefined,
    ],
    ['Effect', typeof settings['effect'] === 'string' ? (effects[settings['effect']] ?? settings['effect']) : undefined],
    ['At once', concurrencyText(settings['concurrency'])],
    ['Rate', rateText(settings['rate_limit'])],
    ['Retry budget', budgetText(settings['retry_budget'])],
    ['Hedging', hedgeText(settings['hedge'])],
    ['Partial output', settings['accept_partial'] === true ? 'A timeout delivers what was reported so far.' : undefined],
    ['Output', outputText(settings['max_output_chars'])],
  ];
  return lines.flatMap(([name, text]) => (text === undefined ? [] : [{ name, text }]));
}

const timeoutText = (value: unknown): string | undefined => {
  if (value === undefined) return undefined;
  return value === null ? 'An attempt may take any time.' : `An attempt may take ${time(value)}.`;
};

function retryText(policy: Settings): string | undefined {
  const attempts = numberOf(policy['max_attempts']);
  if (attempts === undefined) return undefined;
  if (attempts <= 1) return 'One attempt, no retry.';
  const parts = [`Up to ${number(attempts)}`, `${delayText(policy)}${jitterText(policy)}`];
  const all = policy['max_total_time_ms'];
  return `${parts.join(', ')}${numberOf(all) === undefined ? '' : `; the last one begins at most ${time(all)} after the first failure`}.`;
}

function delayText(policy: Settings): string {
  const [first, most] = [policy['initial_delay_ms'], policy['max_delay_ms']];
  if (policy['strategy'] === 'constant_backoff') return `${time(first)} apart`;
  if (policy['strategy'] === 'linear_backoff')
    return `waiting ${time(first)}, each time ${time(policy['step_ms'])} more, at most ${time(most)}`;
  const factor = numberOf(policy['multiplier']);
  const growth = factor === undefined || factor === 2 ? 'doubling' : `times ${number(factor)} each time`;
  return `waiting ${time(first)}, ${growth} up to ${time(most)}`;
}

function jitterText(policy: Settings): string {
  const kind = policy['jitter'];
  if (typeof kind !== 'string' || kind === 'none') return '';
  return kind === 'proportional' ? ` ± ${number(numberOf(policy['jitter_percent']) ?? 10)} %` : ` with ${kind} jitter`;
}

function circuitText(value: unknown): string | undefined {
  if (value === false) return 'None: a failing tool is asked all the same.';
  const circuit = record(value);
  const threshold = numberOf(circuit['failure_threshold']);
  if (threshold === undefined) return undefined;
  const unit = circuit['count'] === 'call' ? 'failed call' : 'transient failure';
  const rate = record(circuit['rate']);
  const share = numberOf(rate['failure_rate']);
  const second =
    share === undefined
      ? ''
      : `, or at ${percent(share)} failures of at least ${number(numberOf(rate['minimum_calls']))} calls in ${time(rate['window_ms'])}`;
  const successes = numberOf(circuit['success_threshold']) ?? 1;
  const closes = successes === 1 ? 'one successful probe closes it' : `${number(successes)} successful probes in a row close it`;
  return `Opens after ${count(threshold, unit)} in a row${second}, for ${time(circuit['timeout_ms'])}; then ${closes}.`;
}

const namesText = (value: unknown): string | undefined => {
  const names = Array.isArray(value) ? value.filter((name): name is string => typeof name === 'string') : [];
  return names.length === 0 ? undefined : `When it finally fails: ${joinWords(names)}.`;
};

function concurrencyText(value: unknown): string | undefined {
  const { limit, queue } = record(value);
  if (numberOf(limit) === undefined) return undefined;
  const waiting = numberOf(queue) === undefined ? 'any number may wait' : `${number(numberOf(queue))} may wait`;
  return `${count(numberOf(limit) ?? 0, 'call')} at once, ${waiting}.`;
}

function rateText(value: unknown): string | undefined {
  const { limit, window_ms: window } = record(value);
  return numberOf(limit) === undefined ? undefined : `${count(numberOf(limit) ?? 0, 'call')} in ${time(window)}.`;
}

function budgetText(value: unknown): string | undefined {
  const { ratio, floor, window_ms: window } = record(value);
  if (numberOf(ratio) === undefined) return undefined;
  return `Retries are at most ${percent(numberOf(ratio))} of the calls in ${time(window)}, ${number(numberOf(floor) ?? 0)} in any case.`;
}

function hedgeText(value: unknown): string | undefined {
  const { after_ms: after } = record(value);
  if (after === undefined) return undefined;
  return `A second attempt starts beside the first after ${after === 'p95' ? 'the time that 95 % of its attempts take' : time(after)}.`;
}

const outputText = (value: unknown): string | undefined =>
  numberOf(value) === undefined || value === 10_485_760 ? undefined : `Cut after ${number(numberOf(value))} characters.`;

const short = (value: unknown): string => {
  const text = JSON.stringify(value) ?? plainWords(String(value));
  return text.length > 60 ? `${text.slice(0, 59)}…` : text;
};
