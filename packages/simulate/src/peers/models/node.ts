/** Owns models of the most used packages on Node.js; the real packages run in the bench. */
import type { PeerClock, PeerModel } from '../policy.ts';
import { isFailure, layers } from '../policy.ts';
import { decorrelated, exponential } from '../layers/delays.ts';
import { retrying } from '../layers/retrying.ts';
import { shareBreaker } from '../layers/share-breaker.ts';
import { waitingBreaker } from '../layers/waiting-breaker.ts';
import type { RequestOutcome, Layer } from '../policy.ts';

export const pRetry: PeerModel = {
  name: 'p-retry',
  source: 'p-retry 9.0.0, readme.md, "options": retries 10, factor 2, minTimeout 1000, maxTimeout Infinity, randomize false',
  configuration: '`pRetry(() => pTimeout(work(), …))`, all defaults; continues when its caller has left',
  policy: (clock) => retrying(clock, { attempts: 11, retries: isFailure, delayMs: exponential(1000) }),
};

export const cockatiel: PeerModel = {
  name: 'cockatiel',
  source:
    'cockatiel 4.0.0, readme.md, first example: maxAttempts 3, ExponentialBackoff (128 ms, decorrelated), halfOpenAfter 10 s, ConsecutiveBreaker(5), handleAll',
  configuration: '`wrap(retry(handleAll), circuitBreaker(handleAll), timeout)`; an open circuit is retried as everything is',
  policy: (clock) =>
    layers(
      retrying(clock, { attempts: 4, retries: isFailure, delayMs: decorrelated(clock, 128, 30_000) }),
      waitingBreaker(clock, 5, 10_000, isFailure),
    ),
};

const counts = (outcome: RequestOutcome): boolean => isFailure(outcome) && outcome.kind !== 'permanent';

const opossumBreaker = (clock: PeerClock): Layer =>
  shareBreaker(clock, {
    share: 0.5,
    minimum: 0,
    windowMs: 10_000,
    steps: 10,
    openMs: 30_000,
    countsAtStart: true,
    countsStaleAnswers: true,
    counts,
  });

export const opossum: PeerModel = {
  name: 'opossum',
  source: 'opossum 10.0.0, lib/circuit.js: errorThresholdPercentage 50, resetTimeout 30 s, rollingCountTimeout 10 s, volumeThreshold 0',
  configuration: '`new CircuitBreaker(work, { timeout, errorFilter })`; permanent errors are filtered',
  policy: opossumBreaker,
};

export const opossumRetry: PeerModel = {
  name: 'opossum-retry',
  source: 'opossum 10.0.0 with p-retry 9.0.0; neither documents the two together',
  configuration: '`pRetry(() => breaker.fire(), { retries: 3, minTimeout: 300 })`; an open circuit is not retried',
  policy: (clock) =>
    layers(
      retrying(clock, { attempts: 4, retries: (outcome) => counts(outcome) && outcome.kind !== 'refused', delayMs: exponential(300) }),
      opossumBreaker(clock),
    ),
};
