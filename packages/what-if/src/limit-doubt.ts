/**
 * Owns when the limits of a tool are in doubt: when the attempts of unknown calls may use up its slots, its rate limit or its retry budget, so that another call
 * waits or is refused. Counted from above: every unknown call may run as long and try as often as the settings allow.
 */
import type { ToolSettings } from '@holdfast/core';

/** What the calls of one turn may take from a limit, and until when that counts. */
interface Claim {
  readonly until: number;
  readonly count: number;
}

interface Limit {
  readonly limit: number;
  /** How long a use counts after it. */
  readonly windowMs: number;
  /** What one call may take. */
  readonly perCall: number;
  /** What is counted of certain attempts: those that start, that fail, or that run. */
  readonly counts: 'start' | 'failure' | 'running';
  claims: Claim[];
  uses: number[];
}

export class LimitDoubt {
  readonly #limits: readonly Limit[];
  #running = 0;

  constructor({ concurrency, rateLimit, retryBudget, retry }: ToolSettings) {
    const { maxAttempts } = retry;
    this.#limits = [
      ...(concurrency ? [limitOf({ limit: concurrency.limit, windowMs: 0, perCall: 1, counts: 'running' })] : []),
      ...(rateLimit ? [limitOf({ ...rateLimit, perCall: maxAttempts, counts: 'start' })] : []),
      // The share of calls that adds to the budget is left out: it may be small.
      ...(retryBudget
        ? [limitOf({ limit: retryBudget.floor - 1, windowMs: retryBudget.windowMs, perCall: maxAttempts - 1, counts: 'failure' })]
        : []),
    ];
  }

  /** `calls` calls of a turn may use the tool at any time until then. */
  claim(calls: number, until: number): void {
    for (const limit of this.#limits) limit.claims.push({ until: until + limit.windowMs, count: calls * limit.perCall });
  }

  /** A certain attempt starts, fails or ends. */
  note(what: 'start' | 'failure' | 'end', now: number): void {
    if (what !== 'failure') this.#running = Math.max(0, this.#running + (what === 'start' ? 1 : -1));
    for (const limit of this.#limits) if (limit.counts === what) limit.uses.push(now);
  }

  /** Whether a call more than the limits allow may be there. */
  isExceeded(now: number): boolean {
    return this.#limits.some((limit) => {
      limit.claims = limit.claims.filter(({ until }) => until >= now);
      limit.uses = limit.uses.filter((at) => at >= now - limit.windowMs);
      const claimed = limit.claims.reduce((total, { count }) => total + count, 0);
      const used = limit.counts === 'running' ? this.#running : limit.uses.length;
      return claimed > 0 && claimed + used > limit.limit;
    });
  }

  forget(): void {
    for (const limit of this.#limits) [limit.claims, limit.uses] = [[], []];
  }
}

const limitOf = (limit: Omit<Limit, 'claims' | 'uses'>): Limit => ({ ...limit, claims: [], uses: [] });
