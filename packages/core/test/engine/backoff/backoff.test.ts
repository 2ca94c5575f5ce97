import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { backoffDelayMs, grownDelayMs } from '../../../src/engine/backoff/backoff.ts';
import type { RetrySettings } from '../../../src/engine/settings/settings.ts';
import { settingsWith } from '../../support/call-settings.ts';
import { when } from '../../support/when.ts';

const spec = settingsWith().retry;
const bare: RetrySettings = { ...spec, jitter: 'none' };
const delays = (settings: RetrySettings, count: number): readonly number[] =>
  Array.from({ length: count }, (_, index) => grownDelayMs(settings, index + 1));

describe('growth', () => {
  it.each<readonly [string, RetrySettings, readonly number[]]>([
    ['exponential', bare, [100, 200, 400, 800, 800]],
    ['linear', { ...bare, strategy: 'linear_backoff', stepMs: 150 }, [100, 250, 400, 550, 700, 800]],
    ['constant', { ...bare, strategy: 'constant_backoff' }, [100, 100, 100]],
    ['from 0', { ...bare, initialDelayMs: 0 }, [0, 0, 0]],
    ['capped at 0', { ...bare, maxDelayMs: 0 }, [0, 0]],
    ['multiplier 1', { ...bare, multiplier: 1 }, [100, 100]],
  ])('%s', (_name, settings, expected) => {
    expect(delays(settings, expected.length)).toEqual(expected);
  });
});

describe('jitter of the second delay, 200 ms before it', () => {
  it.each<readonly [RetrySettings['jitter'], number, number | undefined, number]>([
    ['none', 0.75, undefined, 200],
    ['proportional', 0, undefined, 180],
    ['proportional', 0.75, undefined, 210],
    ['full', 0.25, undefined, 50],
    ['equal', 0.5, undefined, 150],
    // Between the first delay and three times the last one, within the cap.
    ['decorrelated', 0.5, undefined, 200],
    ['decorrelated', 0.5, 200, 350],
    ['decorrelated', 0.5, 700, 450],
    ['decorrelated', 0.5, 10, 100],
  ])('%s at %f after %s ms is %f ms', (jitter, random, previousDelayMs, expected) => {
    expect(backoffDelayMs({ settings: { ...spec, jitter }, retry: 2, random, previousDelayMs })).toBeCloseTo(expected, 9);
  });
});

describe('Retry-After', () => {
  it.each([
    ['at most a tenth of it is added', spec, 400, 420],
    ['at most the first delay is added', spec, 5_000, 5_050],
    ['without jitter it is met to the millisecond', bare, 400, 400],
    ['fractions of a millisecond are rounded up', bare, 999.2, 1_000],
    ['a longer computed delay is kept', bare, 50, 100],
  ])('%s', (_name, given, retryAfterMs, expected) => {
    expect(backoffDelayMs({ settings: given, retry: 1, random: 0.5, retryAfterMs })).toBe(expected);
  });
});

const settings: fc.Arbitrary<RetrySettings> = fc.record({
  strategy: fc.constantFrom('exponential_backoff', 'linear_backoff', 'constant_backoff'),
  initialDelayMs: fc.oneof(fc.constant(0), fc.double({ min: 0, max: 1e12, noNaN: true })),
  maxDelayMs: fc.oneof(fc.constant(Number.POSITIVE_INFINITY), fc.double({ min: 0, max: 1e12, noNaN: true })),
  multiplier: fc.oneof(fc.constant(1e9), fc.double({ min: 1, max: 1e9, noNaN: true })),
  stepMs: fc.double({ min: 0, max: 1e12, noNaN: true }),
  jitter: fc.constantFrom('none', 'proportional', 'full', 'equal', 'decorrelated'),
  jitterPercent: fc.double({ min: 0, max: 100, noNaN: true }),
  maxAttempts: fc.constant(5),
  maxTotalTimeMs: fc.constant(2_000),
});
const retry = fc.oneof(fc.integer({ min: 1, max: 20 }), fc.constant(10_000));
const random = fc.double({ min: 0, max: 1, maxExcluded: true, noNaN: true });
const previousDelayMs = fc.option(fc.double({ min: 0, max: 1e12, noNaN: true }), { nil: undefined });

describe('for any settings', () => {
  it('is finite and within the bounds of its jitter', () => {
    fc.assert(
      fc.property(settings, retry, random, previousDelayMs, (given, number, drawn, previous) => {
        const grown = grownDelayMs(given, number);
        const delay = backoffDelayMs({ settings: given, retry: number, random: drawn, previousDelayMs: previous });
        expect(Number.isFinite(delay) && delay >= 0).toBe(true);
        expect(grown).toBeLessThanOrEqual(given.maxDelayMs);
        const slack = 1 + 1e-9;
        when(given.jitter === 'none', () => expect(delay).toBe(grown));
        when(given.jitter === 'proportional', () => {
          expect(delay).toBeGreaterThanOrEqual((grown * (1 - given.jitterPercent / 100)) / slack);
          expect(delay).toBeLessThanOrEqual(grown * (1 + given.jitterPercent / 100) * slack);
        });
        when(given.jitter === 'full', () => expect(delay).toBeLessThanOrEqual(grown));
        when(given.jitter === 'equal', () => expect(delay >= grown / 2 && delay <= grown).toBe(true));
        when(given.jitter === 'decorrelated', () => expect(delay).toBeLessThanOrEqual(Math.max(given.maxDelayMs, 0)));
      }),
      { numRuns: 3_000 },
    );
  });

  it('is never below the Retry-After', () => {
    fc.assert(
      fc.property(
        settings,
        retry,
        random,
        previousDelayMs,
        fc.double({ min: 0, max: 1e9, noNaN: true }),
        (given, number, drawn, previous, retryAfterMs) => {
          expect(
            backoffDelayMs({ settings: given, retry: number, random: drawn, previousDelayMs: previous, retryAfterMs }),
          ).toBeGreaterThanOrEqual(retryAfterMs);
        },
      ),
      { numRuns: 3_000 },
    );
  });

  it('spreads callers that got the same time, but not much later', () => {
    const drawn = [0, 0.25, 0.5, 0.75].map((value) => backoffDelayMs({ settings: spec, retry: 1, random: value, retryAfterMs: 1_000 }));
    expect(new Set(drawn).size).toBe(4);
    expect(Math.max(...drawn)).toBeLessThanOrEqual(1_100);
  });

  it.each([undefined, 0, -5, Number.NaN])('ignores a Retry-After of %s', (retryAfterMs) => {
    expect(backoffDelayMs({ settings: bare, retry: 2, random: 0.5, retryAfterMs })).toBe(200);
  });
});
