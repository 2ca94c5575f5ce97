import { describe, expect, test } from 'vitest';
import { settingLines } from '../../../src/screens/tool/settings.model.ts';

const lines = (settings: Readonly<Record<string, unknown>>): Readonly<Record<string, string>> =>
  Object.fromEntries(settingLines(settings).map(({ name, text }) => [name, text.replaceAll('\u00A0', ' ')]));

describe('settingLines', () => {
  test('describes each setting', () => {
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
      Attempts: 'Up to 5 attempts, with delays from 200 ms, doubling up to 1.6 s ± 10 %; no retry later than 8 s after the first failure.',
      Timeout: '10 s per attempt.',
      Circuit:
        'Opens after 5 transient failures in a row, or at a failure rate of 50 % over at least 20 calls in 30 s, for 30 s; then one successful probe closes it.',
      Alternatives: 'If it fails: backup and cache.',
      Fallback: 'Returns {"hotels":[]} if everything else fails.',
      Effect: 'Read-only: safe to retry and to replace.',
      Concurrency: '8 concurrent calls, unlimited queue.',
      'Rate limit': '10 calls per 1 s.',
      'Retry budget': 'Retries are limited to 20 % of the calls per 10 s, with a minimum of 10.',
      Hedging: 'A second attempt starts in parallel after the p95 latency.',
      'Partial output': 'Accepted after a timeout.',
    });
  });

  test('omits disabled settings, or describes them as disabled', () => {
    expect(lines({ circuit_breaker: false, concurrency: false, rate_limit: false, retry_policy: { max_attempts: 1 } })).toEqual({
      Attempts: 'One attempt, no retry.',
      Circuit: 'None: calls continue even if the tool keeps failing.',
    });
  });

  test('ignores invalid values', () => {
    expect(
      lines({ timeout_ms: null, retry_policy: 'often', circuit_breaker: { failure_threshold: 'few' }, alternatives: [1, 'b'] }),
    ).toEqual({
      Timeout: 'No timeout.',
      Alternatives: 'If it fails: b.',
    });
    expect(settingLines({})).toEqual([]);
  });
});
