/** Owns models of libraries and platforms of other languages. */
import type { PeerModel } from '../policy.ts';
import { isFailure, isTransient, layers } from '../policy.ts';
import { shareOfCalls } from '../layers/budgets.ts';
import { countingBreaker } from '../layers/counting-breaker.ts';
import { decorrelated, exponential, orRetryAfter, spread } from '../layers/delays.ts';
import { retrying } from '../layers/retrying.ts';
import { shareBreaker } from '../layers/share-breaker.ts';
import { throttler } from '../layers/throttler.ts';

export const finagle: PeerModel = {
  name: 'finagle',
  source: "Finagle 24, service/RetryBudget.scala: 20 % of calls and 10 a second, kept for 10 s; the back-off is the caller's to choose",
  configuration: 'five attempts within the budget, 100 ms doubling, ±10 %; Retry-After is not read',
  policy: (clock) =>
    retrying(clock, {
      attempts: 5,
      retries: isTransient,
      budget: shareOfCalls(clock, 0.2, 10, 10_000),
      delayMs: spread(clock, exponential(100), 0.9, 1.1),
    }),
};

export const polly: PeerModel = {
  name: 'polly',
  source:
    'Polly 8.7.0 and Microsoft.Extensions.Http.Resilience (HttpStandardResilienceOptions): 3 retries, 2 s doubling, jittered, Retry-After; breaker 10 % of at least 100 in 30 s, 5 s',
  configuration: 'standard handler: retry around breaker around time limit; an open circuit is not retried',
  policy: (clock) =>
    layers(
      retrying(clock, { attempts: 4, retries: isTransient, withinMs: 30_000, delayMs: orRetryAfter(decorrelated(clock, 2000, Infinity)) }),
      shareBreaker(clock, {
        share: 0.1,
        inclusive: true,
        minimum: 100,
        windowMs: 30_000,
        steps: 10,
        openMs: 5000,
        countsStaleAnswers: true,
        forgets: true,
        counts: isTransient,
      }),
    ),
};

export const temporal: PeerModel = {
  name: 'temporal',
  source:
    'Temporal server, common/backoff/retrypolicy.go and the documentation of retry policies: 1 s doubling up to 100 s, no limit of attempts, no jitter',
  configuration:
    "schedule-to-close 60 s, start-to-close as the others' time limit; permanent errors are non-retryable; Retry-After is not read",
  policy: (clock) => retrying(clock, { attempts: Infinity, retries: isTransient, withinMs: 60_000, delayMs: exponential(1000, 100_000) }),
};

export const resilience4j: PeerModel = {
  name: 'resilience4j',
  source: 'resilience4j 2.3, CircuitBreakerConfig and RetryConfig: 50 % of the last 100 calls, 60 s, 10 trial calls; 3 attempts, 500 ms',
  configuration: 'Retry(CircuitBreaker(work)), all defaults; an open circuit is retried as everything is; permanent errors are ignored',
  policy: (clock) =>
    layers(
      retrying(clock, { attempts: 3, retries: (outcome) => isFailure(outcome) && outcome.kind !== 'permanent', delayMs: () => 500 }),
      countingBreaker(clock, { size: 100, share: 0.5, openMs: 60_000, trials: 10, counts: isTransient }),
    ),
};

export const failsafeGo: PeerModel = {
  name: 'failsafe-go',
  source:
    'failsafe-go 0.9, adaptivethrottler (NewWithDefaults) and retrypolicy: 3 attempts; refuses above 10 % failures in a minute, at most 90 %',
  configuration: "retry around adaptive throttler; the delay, 100 ms doubling, is the caller's to choose",
  policy: (clock) =>
    layers(
      retrying(clock, { attempts: 3, retries: isTransient, delayMs: exponential(100, 10_000) }),
      throttler(clock, { successShare: 0.9, windowMs: 60_000, atMost: 0.9 }),
    ),
};
