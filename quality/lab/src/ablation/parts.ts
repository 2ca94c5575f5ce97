/** Owns the parts of the profile `adaptive`: how each is switched off, and how it is given to `spec` alone. */
import type { HoldfastOptions } from '@holdfast/simulate';

export interface Part {
  readonly name: string;
  /** What it does, in one sentence. */
  readonly does: string;
  /** Laid over `adaptive`. */
  readonly off: Pick<HoldfastOptions, 'policy' | 'useMemory'>;
  /** Laid over `spec`; absent for what is nothing without other parts. */
  readonly alone?: Pick<HoldfastOptions, 'policy' | 'useMemory'>;
}

export const parts: readonly Part[] = [
  {
    name: 'waiting for recovery',
    does: 'Calls wait while the circuit is open, a Retry-After runs or the limit is full, as long as their turn has time.',
    off: { policy: { waitForRecovery: false } },
    alone: { policy: { waitForRecovery: { maxWaitMs: 60_000 }, retry: { maxTotalTimeMs: 60_000 } } },
  },
  {
    name: 'fresh calls first',
    does: 'Of those who wait, calls younger than two seconds go first; the backlog gets what is left of the capacity.',
    off: { policy: { concurrency: { order: 'in_order' } } },
  },
  {
    name: 'adaptive limit',
    does: 'How many attempts may be out at once is learned from latency; after an outage it begins with most of those of before (slow start).',
    off: { policy: { concurrency: { adaptive: false } } },
    alone: { policy: { concurrency: { limit: Infinity, queue: Infinity, adaptive: {} } } },
  },
  {
    name: 'run that chance does not make',
    does: 'The circuit opens at as many failures in a row as would happen by chance once in a million, given the usual share of failures.',
    off: { policy: { breaker: { falseAlarmRate: 0.999 } } },
    alone: { policy: { breaker: { falseAlarmRate: 1e-6, longestRun: 30 } } },
  },
  {
    name: 'rate detector',
    does: 'The circuit also opens when nine of ten attempts of half a minute have failed.',
    off: { policy: { breaker: { rate: { windowMs: 30_000, minimumCalls: 1_000_000, failureRate: 1 } } } },
    alone: { policy: { breaker: { rate: { windowMs: 30_000, minimumCalls: 20, failureRate: 0.9 } } } },
  },
  {
    name: 'short first opening',
    does: 'The first probe goes out after a quarter of a second instead of half a minute.',
    off: { policy: { breaker: { openMs: 30_000, maxOpenMs: 30_000 } } },
    alone: { policy: { breaker: { openMs: 250 } } },
  },
  {
    name: 'openings that grow',
    does: 'The pause between probes trebles while they fail, within what demand allows.',
    off: { policy: { breaker: { openGrowth: 1 } } },
    alone: { policy: { breaker: { openMs: 250, openGrowth: 3, maxOpenMs: 15_000 } } },
  },
  {
    name: 'probes beside each other',
    does: 'A probe that hangs does not keep the next one back.',
    off: { policy: { breaker: { probes: 1 } } },
    alone: { policy: { breaker: { probes: 16 } } },
  },
  {
    name: 'budget paid by successes',
    does: 'Successes earn the retries, so that an outage stops paying for them at once.',
    off: { policy: { retryBudget: { of: 'calls' } } },
    alone: { policy: { retryBudget: { ratio: 1.2, floor: 10, windowMs: 10_000, of: 'successes' } } },
  },
  {
    name: 'any retry budget',
    does: 'Retries are paid for at all.',
    off: { policy: { retryBudget: false } },
  },
  {
    name: 'full jitter',
    does: 'Delays are drawn from nothing to the whole.',
    off: { policy: { retry: { jitter: 'proportional' } } },
    alone: { policy: { retry: { jitter: 'full' } } },
  },
  {
    name: 'eight attempts',
    does: 'Three attempts more than the sources have.',
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
    does: 'What became of earlier failures shapes what is done about the next.',
    off: { useMemory: false },
    alone: { useMemory: true },
  },
  {
    name: 'circuit breaker',
    does: 'The whole of it: detectors, openings, probes.',
    off: { policy: { breaker: false } },
  },
];
