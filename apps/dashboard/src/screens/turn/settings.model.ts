/** Owns the settings of a tool in plain words, as the engine recorded them at the begin of the turn. Pure. */
import { duration } from '../../ui/format.ts';
import { isRecord, text, texts, timeOrNone } from './fields.ts';

export type SettingLine = readonly [name: string, value: string];

export function settingLines(settings: unknown): readonly SettingLine[] {
  if (!isRecord(settings)) return [];
  return [
    ['Time limit of an attempt', limit(settings['timeoutMs'])],
    ['Retries', retryWords(settings['retry'])],
    ['Circuit', circuitWords(settings['breaker'])],
    ['Effect', text(settings['effect'], 'not declared')],
    ['Alternatives', texts(settings['alternatives']).join(', ') || 'none'],
    ['Fallback value', Object.hasOwn(settings, 'fallback') ? 'declared' : 'none'],
    [
      'Partial output',
      settings['acceptPartial'] === true || isRecord(settings['acceptPartial']) ? 'accepted after a timeout' : 'not accepted',
    ],
    ['At the same time', concurrencyWords(settings['concurrency'])],
    ['Rate limit', rateWords(settings['rateLimit'])],
    ['Retry budget', isRecord(settings['retryBudget']) ? 'limits retries to a share of the calls' : 'none'],
    ['Hedging', isRecord(settings['hedge']) ? 'a second attempt beside a slow one' : 'none'],
  ];
}

const limit = (value: unknown): string => (timeOrNone(value) === undefined ? 'none' : duration(timeOrNone(value)));

function retryWords(retry: unknown): string {
  if (!isRecord(retry)) return 'none';
  const attempts = timeOrNone(retry['maxAttempts']) ?? 1;
  if (attempts <= 1) return 'none: one attempt';
  const strategy = text(retry['strategy']).replace('_backoff', '');
  const from = duration(timeOrNone(retry['initialDelayMs']));
  const to = duration(timeOrNone(retry['maxDelayMs']));
  const delays = strategy === 'constant' ? `always ${from}` : `${from} to ${to}, ${strategy}`;
  const percent = timeOrNone(retry['jitterPercent']);
  const kind = text(retry['jitter']);
  const jitter =
    kind === '' || kind === 'none' ? '' : kind === 'proportional' && percent !== undefined ? `, ± ${percent} %` : `, ${kind} jitter`;
  const total = timeOrNone(retry['maxTotalTimeMs']);
  return `up to ${attempts} attempts, waits of ${delays}${jitter}${total === undefined ? '' : `, begun within ${duration(total)}`}`;
}

function circuitWords(breaker: unknown): string {
  if (!isRecord(breaker)) return 'none';
  const failures = timeOrNone(breaker['failureThreshold']);
  const open = duration(timeOrNone(breaker['openMs']));
  return failures === undefined ? `stays open for ${open}` : `opens after ${failures} transient failures in a row, for ${open}`;
}

const concurrencyWords = (value: unknown): string =>
  isRecord(value) ? `${timeOrNone(value['limit']) ?? timeOrNone(value['max']) ?? 'few'} attempts` : 'any number';

const rateWords = (value: unknown): string => {
  if (!isRecord(value)) return 'none';
  const window = timeOrNone(value['windowMs']) ?? timeOrNone(value['intervalMs']);
  return `${timeOrNone(value['limit']) ?? 'some'} attempts${window === undefined ? '' : ` in ${duration(window)}`}`;
};
