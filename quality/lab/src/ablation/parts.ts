/** Owns the parts of the profile `adaptive`: how each is switched off, and how it is added to `spec` alone. */
import type { HoldfastOptions } from '@holdfast/simulate';

export interface Part {
  readonly name: string;
  /** What it does, in one sentence. */
  readonly does: string;
  /** Settings over `adaptive`. */
  readonly off: Pick<HoldfastOptions, 'policy' | 'useMemory'>;
  /** Settings over `spec`; absent for parts that have no effect alone. */
  readonly alone?: Pick<HoldfastOptions, 'policy' | 'useMemory'>;
}

export const parts: readonly Part[] = [
  {
    name: 'waiting for recovery',
    does: 'Calls wait while the circuit is open, a Retry-After is in force or the limit is reached, as long as their turn has time.',
    off: { policy: { waitForRecovery: false } },
    alone: { policy: { waitForRecovery: { maxWaitMs: 60_000 }, retry: { maxTotalTimeMs: 60_000 } } },
  },
  {
    name: 'fresh calls first',
    does: 'Among waiting calls, those younger than two seconds go first; the backlog gets the remaining capacity.',
    off: { policy: { concurrency: { order: 'in_order' } } },
  },
  {
    name: 'adaptive limit',
    does: 'The limit of concurrent attempts is learned from latency; after an outage it starts at most of the earlier concurrency (slow start).',
    off: { policy: { concurrency: { adaptive: false } } },
    alone: { policy: { concurrency: { limit: Infinity, queue: Infinity, adaptive: {} } } },
  },
  {
    name: 'run that chance does not make',
    does: 'The circuit opens at a run of failures whose probability by chance is one in a million, given the usual share of failures.',
    off: { policy: { breaker: { falseAlarmRate: 0.999 } } },
    alone: { policy: { breaker: { falseAlarmRate: 1e-6, longestRun: 30 } } },
  },
  {
    name: 'rate detector',
    does: 'The circuit also opens when nine of ten attempts within half a minute have failed.',
    off: { policy: { breaker: { rate: { windowMs: 30_000, minimumCalls: 1_000_000, failureRate: 1 } } } },
    alone: { policy: { breaker: { rate: { windowMs: 30_000, minimumCalls: 20, failureRate: 0.9 } } } },
  },
  {
    name: 'short first opening',
    does: 'The first probe starts after a quarter of a second instead of half a minute.',
    off: { policy: { breaker: { openMs: 30_000, maxOpenMs: 30_000 } } },
    alone: { policy: { breaker: { openMs: 250 } } },
  },
  {
    name: 'openings that grow',
    does: 'The pause between probes triples while they fail, limited by demand.',
    off: { policy: { breaker: { openGrowth: 1 } } },
    alone: { policy: { breaker: { openMs: 250, openGrowth: 3, maxOpenMs: 15_000 } } },
  },
  {
    name: 'probes beside each other',
    does: 'A probe that hangs does not delay the next one.',
    off: { policy: { breaker: { probes: 1 } } },
    alone: { policy: { breaker: { probes: 16 } } },
  },
  {
    name: 'budget paid by successes',
    does: 'Successes earn retries, so that an outage stops earning them at once.',
    off: { policy: { retryBudget: { of: 'calls' } } },
    alone: { policy: { retryBudget: { ratio: 1.2, floor: 10, windowMs: 10_000, of: 'successes' } } },
  },
  {
    name: 'any retry budget',
    does: 'Retries are limited by a budget.',
    off: { policy: { retryBudget: false } },
  },
  {
    name: 'full jitter',
    does: 'Delays are drawn between 0 and the full delay.',
    off: { policy: { retry: { jitter: 'proportional' } } },
    alone: { policy: { retry: { jitter: 'full' } } },
  },
  {
    name: 'eight attempts',
    does: 'Three attempts more than in `spec`.',
    off: { policy: { retry: { maxAttempts: 5 } } },
    alone: { policy: { retry: { maxAttempts: 8 } } },
  },
  {
    name: 'hedging',
    does: 'A slow read has a second attempt beside it.',
    off: { policy: { hedge: false } },
    alone: { policy: { hedge: { afterMs: 'p95', maxHedges: 1 } } },
  },
  {
    name: 'episodic memory',
    does: 'The results of earlier failures influence the next decision.',
    off: { useMemory: false },
    alone: { useMemory: true },
  },
  {
    name: 'circuit breaker',
    does: 'The whole breaker: detectors, open periods, probes.',
    off: { policy: { breaker: false } },
  },
];
