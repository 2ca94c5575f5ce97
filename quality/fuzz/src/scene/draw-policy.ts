/** Owns random settings: any that are valid, most of them strict, so that limits are reached within seconds. */
import type { ToolPolicy } from '@holdfast/core';
import type { Draw } from './draw.ts';
import { drawnOnly } from './draw.ts';

export function drawPolicy(draw: Draw, others: readonly string[]): ToolPolicy {
  return drawnOnly({
    timeoutMs: draw.maybe(0.8, () => draw.one([40, 150, 600, 2_500]) + 0.25),
    abandonMs: draw.maybe(0.6, () => draw.one([0, 80, 1_000, 20_000])),
    retry: draw.maybe(0.7, () => drawRetry(draw)),
    breaker: draw.maybe(0.75, () => (draw.chance(0.12) ? (false as const) : drawBreaker(draw))),
    concurrency: draw.maybe(0.4, () =>
      draw.chance(0.1) ? (false as const) : { limit: draw.whole(1, 3), queue: draw.one([0, 1, 4, Number.POSITIVE_INFINITY]) },
    ),
    rateLimit: draw.maybe(0.2, () => ({ limit: draw.whole(1, 4), windowMs: draw.one([50, 300, 2_000]) })),
    retryBudget: draw.maybe(0.35, () => ({
      ratio: draw.one([0, 0.2, 0.5, 1]),
      floor: draw.whole(0, 3),
      windowMs: draw.one([200, 1_000, 10_000]),
    })),
    hedge: draw.maybe(0.3, () => ({ afterMs: draw.one([15, 60, 'p95']), maxHedges: draw.whole(1, 3) })),
    effect: draw.maybe(0.75, () => draw.one(['read', 'read', 'idempotent', 'unsafe'])),
    acceptPartial: draw.maybe(0.3, () => true),
    fallback: draw.maybe(0.15, () => ({ value: { stale: true } })),
    alternatives: draw.maybe(0.35, () => others.slice(0, draw.whole(1, 2))),
    maxOutputChars: draw.maybe(0.1, () => 200),
  });
}

/** The settings that a single call may have. */
export function drawCallPolicy(draw: Draw, others: readonly string[]): ToolPolicy {
  const {
    breaker: _breaker,
    concurrency: _concurrency,
    rateLimit: _rateLimit,
    retryBudget: _retryBudget,
    ...own
  } = drawPolicy(draw, others);
  return own;
}

function drawRetry(draw: Draw): NonNullable<ToolPolicy['retry']> {
  return drawnOnly({
    strategy: draw.maybe(0.4, () => draw.one(['exponential_backoff', 'linear_backoff', 'constant_backoff'])),
    maxAttempts: draw.maybe(0.6, () => draw.whole(1, 6)),
    initialDelayMs: draw.maybe(0.6, () => draw.one([0, 5, 40, 300])),
    maxDelayMs: draw.maybe(0.3, () => draw.one([10, 200, 1_000])),
    multiplier: draw.maybe(0.2, () => draw.one([1, 3])),
    jitter: draw.maybe(0.5, () => draw.one(['proportional', 'full', 'equal', 'decorrelated', 'none'])),
    maxTotalTimeMs: draw.maybe(0.4, () => draw.one([50, 500, 10_000])),
  });
}

function drawBreaker(draw: Draw): NonNullable<Exclude<ToolPolicy['breaker'], false>> {
  const hasRate = draw.chance(0.3);
  return drawnOnly({
    failureThreshold: draw.maybe(0.8, () => draw.whole(1, 5)),
    successThreshold: draw.maybe(0.3, () => draw.whole(1, 3)),
    openMs: draw.maybe(0.85, () => draw.one([30, 200, 1_000, 5_000])),
    probeLeaseMs: draw.maybe(0.3, () => draw.one([50, 500])),
    permanentProbeLimit: draw.maybe(0.3, () => draw.whole(1, 3)),
    count: draw.maybe(0.3, () => draw.one(['attempt', 'call'])),
    rate: hasRate
      ? { windowMs: draw.one([300, 2_000]), minimumCalls: draw.whole(2, 6), failureRate: draw.one([0.3, 0.6, 0.9]) }
      : undefined,
  });
}

/** Settings of calls that wait for recovery, drawn separately: over those of `drawPolicy`. */
export function drawRecovery(draw: Draw, { concurrency, ...policy }: ToolPolicy): ToolPolicy {
  const slots = {
    limit: draw.one([1, 2, 5]),
    queue: draw.one([0, 2, Number.POSITIVE_INFINITY]),
  };
  return drawnOnly({
    ...policy,
    waitForRecovery: draw.maybe(0.8, () => (draw.chance(0.15) ? (false as const) : { maxWaitMs: draw.one([20, 300, 3_000, 60_000]) })),
    concurrency: draw.chance(0.4) ? slots : concurrency,
  });
}
