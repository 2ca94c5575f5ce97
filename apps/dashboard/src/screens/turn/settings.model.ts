/** Describes the settings of a tool as recorded at the start of the turn. */
import { formatDuration } from '../../ui/format.ts';
import { isRecord, text, texts, timeOrNone } from './fields.ts';

export type SettingLine = readonly [name: string, value: string];

export function settingLines(settings: unknown): readonly SettingLine[] {
  if (!isRecord(settings)) return [];
  return [
    ['Timeout per attempt', limit(settings['timeoutMs'])],
    ['Timeout without progress', limit(settings['idleTimeoutMs'])],
    ['Retries', describeRetry(settings['retry'])],
    ['Circuit', describeCircuit(settings['breaker'])],
    ['Effect', text(settings['effect'], describeAssumed(settings['assumedEffect']))],
    [
      'Unknown failures',
      settings['unknownFailures'] === 'report' ? 'reported, not retried like transient ones' : 'retried like transient ones',
    ],
    ['Alternatives', texts(settings['alternatives']).join(', ') || 'none'],
    ['Fallback value', Object.hasOwn(settings, 'fallback') ? 'declared' : 'none'],
    [
      'Partial output',
      settings['acceptPartial'] === true || isRecord(settings['acceptPartial']) ? 'accepted after a timeout' : 'not accepted',
    ],
    ['Concurrency', describeConcurrency(settings['concurrency'])],
    ['Rate limit', describeRateLimit(settings['rateLimit'])],
    ['Retry budget', isRecord(settings['retryBudget']) ? 'retries limited to a fraction of the calls' : 'none'],
    ['Hedging', isRecord(settings['hedge']) ? 'a second attempt in parallel to a slow one' : 'none'],
  ];
}

const describeAssumed = (effect: unknown): string => (text(effect) === '' ? 'not declared' : `not declared, counts as ${text(effect)}`);

const limit = (value: unknown): string => (timeOrNone(value) === undefined ? 'none' : formatDuration(timeOrNone(value)));

function describeRetry(retry: unknown): string {
  if (!isRecord(retry)) return 'none';
  const attempts = timeOrNone(retry['maxAttempts']) ?? 1;
  if (attempts <= 1) return 'none: one attempt';
  const strategy = text(retry['strategy']).replace('_backoff', '');
  const from = formatDuration(timeOrNone(retry['initialDelayMs']));
  const to = formatDuration(timeOrNone(retry['maxDelayMs']));
  const delays = strategy === 'constant' ? `constant ${from}` : `${from} to ${to}, ${strategy}`;
  const percent = timeOrNone(retry['jitterPercent']);
  const kind = text(retry['jitter']);
  const jitter =
    kind === '' || kind === 'none' ? '' : kind === 'proportional' && percent !== undefined ? `, ± ${percent} %` : `, ${kind} jitter`;
  const total = timeOrNone(retry['maxTotalTimeMs']);
  return `up to ${attempts} attempts, delays ${delays}${jitter}${total === undefined ? '' : `, within ${formatDuration(total)}`}`;
}

function describeCircuit(breaker: unknown): string {
  if (!isRecord(breaker)) return 'none';
  const failures = timeOrNone(breaker['failureThreshold']);
  const open = formatDuration(timeOrNone(breaker['openMs']));
  return failures === undefined ? `stays open for ${open}` : `opens after ${failures} transient failures in a row, for ${open}`;
}

const describeConcurrency = (value: unknown): string =>
  isRecord(value) ? `${timeOrNone(value['limit']) ?? timeOrNone(value['max']) ?? 'limited'} attempts` : 'unlimited';

const describeRateLimit = (value: unknown): string => {
  if (!isRecord(value)) return 'none';
  const window = timeOrNone(value['windowMs']) ?? timeOrNone(value['intervalMs']);
  return `${timeOrNone(value['limit']) ?? 'limited'} attempts${window === undefined ? '' : ` per ${formatDuration(window)}`}`;
};
