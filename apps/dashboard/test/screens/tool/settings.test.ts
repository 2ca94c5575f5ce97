import { describe, expect, test } from 'vitest';
import { settingLines } from '../../../src/screens/tool/settings.model.ts';

const lines = (settings: Readonly<Record<string, unknown>>): Readonly<Record<string, string>> =>
  Object.fromEntries(settingLines(settings).map(({ name, text }) => [name, text.replaceAll('\u00A0', ' ')]));

describe('settingLines', () => {
  test('say in plain words what is in force', () => {
    expect(
      lines({
        timeout_ms: 10_000,
        retry_policy: {
          strategy: 'exponential_backoff',
          max_attempts: 5,
          initial_delay_ms: 200,
          multiplier: 2,
          max_delay_ms: 1600,
          jitter: 'proportional',
          jitter_percent: 10,
          max_total_time_ms: 8000,
        },
        circuit_breaker: {
          failure_threshold: 5,
          timeout_ms: 30_000,
          success_threshold: 1,
          rate: { failure_rate: 0.5, minimum_calls: 20, window_ms: 30_000 },
        },
        alternatives: ['backup', 'cache'],
        fallback: { hotels: [] },
        effect: 'read',
        concurrency: { limit: 8, queue: null },
        rate_limit: { limit: 10, window_ms: 1000 },
        retry_budget: { ratio: 0.2, floor: 10, window_ms: 10_000 },
        hedge: { after_ms: 'p95' },
        accept_partial: true,
      }),
    ).toEqual({
      Attempts: 'Up to 5, waiting 200 ms, doubling up to 1.6 s ± 10 %; the last one begins at most 8 s after the first failure.',
      Timeout: 'An attempt may take 10 s.',
      Circuit:
        'Opens after 5 transient failures in a row, or at 50 % failures of at least 20 calls in 30 s, for 30 s; then one successful probe closes it.',
      Alternatives: 'When it finally fails: backup and cache.',
      Fallback: 'Answers {"hotels":[]} when nothing else helped.',
      Effect: 'Only reads: it may be repeated and replaced freely.',
      'At once': '8 calls at once, any number may wait.',
      Rate: '10 calls in 1 s.',
      'Retry budget': 'Retries are at most 20 % of the calls in 10 s, 10 in any case.',
      Hedging: 'A second attempt starts beside the first after the time that 95 % of its attempts take.',
      'Partial output': 'A timeout delivers what was reported so far.',
    });
  });

  test('what is off is not said, or said to be off', () => {
    expect(lines({ circuit_breaker: false, concurrency: false, rate_limit: false, retry_policy: { max_attempts: 1 } })).toEqual({
      Attempts: 'One attempt, no retry.',
      Circuit: 'None: a failing tool is asked all the same.',
    });
  });

  test('takes what it gets', () => {
    expect(
      lines({ timeout_ms: null, retry_policy: 'often', circuit_breaker: { failure_threshold: 'few' }, alternatives: [1, 'b'] }),
    ).toEqual({
      Timeout: 'An attempt may take any time.',
      Alternatives: 'When it finally fails: b.',
    });
    expect(settingLines({})).toEqual([]);
  });
});
