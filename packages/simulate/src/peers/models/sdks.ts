/** Owns models of the retries inside SDKs. */
import type { PeerClock, PeerModel } from '../policy.ts';
import { isTransient, layers } from '../policy.ts';
import { halfFullTokens, refundingBucket } from '../layers/budgets.ts';
import { exponential, orRetryAfter, retryAfterMs, spread } from '../layers/delays.ts';
import { retrying } from '../layers/retrying.ts';
import { pacedBySendingRate } from '../layers/sending-rate.ts';
import type { RequestOutcome, Layer } from '../policy.ts';

const awsRetry = (clock: PeerClock): Layer =>
  retrying(clock, {
    attempts: 3,
    retries: isTransient,
    budget: refundingBucket(),
    delayMs(count, outcome) {
      const base = outcome.kind === 'rate_limited' ? 1000 : 50;
      const backoff = clock.random() * Math.min(20_000, base * 2 ** (count - 1));
      const asked = retryAfterMs(outcome);
      return asked === undefined ? backoff : Math.max(backoff, Math.min(asked, backoff + 5000));
    },
  });

const awsDefaults =
  '@smithy/core 3.41.0, submodules/retry/util-retry (retries-2026-config, StandardRetryStrategy, DefaultRateLimiter): 3 attempts, base 50 ms (rate limited 1 s), full jitter up to 20 s, bucket 500, cost 14 (rate limited 5), refunds, Retry-After up to backoff + 5 s';

export const aws2026: PeerModel = {
  name: 'aws-2026',
  source: awsDefaults,
  configuration: 'retry mode "standard"',
  policy: awsRetry,
};

export const awsAdaptive: PeerModel = {
  name: 'aws-adaptive',
  source: `${awsDefaults}; sending rate with beta 0.7, scale 0.4, smoothing 0.8`,
  configuration: 'retry mode "adaptive": attempts wait for tokens after the first rate limit',
  policy: (clock) => layers(awsRetry(clock), pacedBySendingRate(clock)),
};

export const openaiSdk: PeerModel = {
  name: 'openai-sdk',
  source:
    'openai-node 6, src/client.ts (calculateDefaultRetryTimeoutMillis): maxRetries 2, 0.5 s doubling up to 8 s, up to 25 % less, Retry-After below 60 s',
  configuration: 'all defaults; timeouts are retried',
  policy: (clock) =>
    retrying(clock, {
      attempts: 3,
      retries: isTransient,
      delayMs: orRetryAfter(spread(clock, exponential(500, 8000), 0.75, 1), 60_000),
    }),
};

const sentBack = (outcome: RequestOutcome): boolean => outcome.kind === 'unavailable' || outcome.kind === 'rate_limited';

export const grpc: PeerModel = {
  name: 'grpc',
  source:
    'gRFC A6 and grpc-node src/retrying-call.ts: maxAttempts 4, 100 ms doubling up to 1 s, ±20 %, maxTokens 10, tokenRatio 0.1, pushback in full',
  configuration: 'service config of the gRFC; UNAVAILABLE is retried, DEADLINE_EXCEEDED is not',
  policy: (clock) =>
    retrying(clock, {
      attempts: 4,
      retries: sentBack,
      budget: halfFullTokens(10, 0.1),
      delayMs: orRetryAfter(spread(clock, exponential(100, 1000), 0.8, 1.2)),
    }),
};
