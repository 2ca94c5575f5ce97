/** Delays under settings at the limits of the allowed values, and beyond. */
import { describe, expect, it } from 'vitest';
import { backoffDelayMs, grownDelayMs } from '../../../src/engine/backoff/backoff.ts';
import type { RetrySettings } from '../../../src/engine/settings/settings.ts';
import { checkToolPolicy } from '../../../src/engine/settings/validate.ts';
import { settingsWith } from '../../support/call-settings.ts';

const strategies = ['exponential_backoff', 'linear_backoff', 'constant_backoff'] as const;
const jitters = ['none', 'proportional', 'full', 'equal', 'decorrelated'] as const;
const largest = Number.MAX_VALUE;
const smallest = Number.MIN_VALUE;
/** Three times this is still a finite number. */
const longest = 5e307;

/** All combinations of extreme settings that pass the checks. */
function* extremes(): Generator<RetrySettings> {
  for (const strategy of strategies)
    for (const jitter of jitters)
      for (const initialDelayMs of [0, smallest, 100, longest])
        for (const maxDelayMs of [0, smallest, 800, largest, Number.POSITIVE_INFINITY])
          for (const multiplier of [1, 2, largest])
            for (const stepMs of [0, largest])
              for (const jitterPercent of [0, 100])
                yield { ...settingsWith().retry, strategy, jitter, initialDelayMs, maxDelayMs, multiplier, stepMs, jitterPercent };
}

const retries = [1, 2, 3, 1_024, 2 ** 31, Number.MAX_SAFE_INTEGER] as const;
const draws = [0, 0.5, 1 - Number.EPSILON / 2] as const;
const hints = [undefined, 0, -0, -5, smallest, 0.5, 1, 1_000.5, 2 ** 31, 1e15, largest, Number.NEGATIVE_INFINITY, Number.NaN] as const;
const previous = [undefined, 0, 100, longest] as const;

describe('extreme settings', () => {
  it('pass the checks', () => {
    for (const retry of extremes()) expect(() => checkToolPolicy({ retry }, 'Tool')).not.toThrow();
  });

  it('give a finite delay, not below the Retry-After', () => {
    for (const settings of extremes())
      for (const retry of retries)
        for (const random of draws)
          for (const previousDelayMs of settings.jitter === 'decorrelated' ? previous : [undefined])
            for (const retryAfterMs of hints) {
              const delay = backoffDelayMs({ settings, retry, random, previousDelayMs, retryAfterMs });
              if (!(Number.isFinite(delay) && delay >= 0 && delay >= (retryAfterMs || 0)))
                throw new Error(`${delay} ms: ${JSON.stringify({ settings, retry, random, previousDelayMs, retryAfterMs })}`);
            }
  });

  it('never shrink, up to the cap', () => {
    for (const settings of extremes()) {
      const grown = retries.map((retry) => grownDelayMs(settings, retry));
      for (const [index, delay] of grown.entries()) {
        if (!(delay >= (grown[index - 1] ?? 0) && delay <= settings.maxDelayMs))
          throw new Error(`${String(grown)}: ${JSON.stringify(settings)}`);
      }
    }
  });
});

describe('invalid settings', () => {
  it.each<readonly [keyof RetrySettings, readonly unknown[]]>([
    ['initialDelayMs', [-1, Number.NaN, Number.POSITIVE_INFINITY, '100', null]],
    ['maxDelayMs', [-1, Number.NaN, Number.NEGATIVE_INFINITY, 10n]],
    ['multiplier', [0, 0.5, -2, Number.NaN, Number.POSITIVE_INFINITY]],
    ['stepMs', [-1, Number.NaN, Number.POSITIVE_INFINITY]],
    ['jitterPercent', [-1, 101, Number.NaN]],
    ['jitter', ['Full', 'half', true]],
    ['strategy', ['exponential', '']],
    ['maxAttempts', [0, 1.5, -1, Number.NaN, '3']],
    ['maxTotalTimeMs', [-1, Number.NaN]],
  ])('%s', (name, values) => {
    for (const value of values)
      expect(() => checkToolPolicy({ retry: { [name]: value } }, 'Tool'), String(value)).toThrow(`Tool.retry.${name} must be`);
  });
});
