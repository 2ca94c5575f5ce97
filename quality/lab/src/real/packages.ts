/** Owns the real packages, configured as their models are. */
import { circuitBreaker, ConsecutiveBreaker, ExponentialBackoff, handleAll, retry, timeout, TimeoutStrategy, wrap } from 'cockatiel';
import CircuitBreaker from 'opossum';
import pRetry from 'p-retry';
import pTimeout from 'p-timeout';

type Work = () => Promise<unknown>;

/** A package's policy that all callers of a tool share. */
export type Protection = (work: Work) => Promise<unknown>;

export interface RealPackage {
  readonly name: string;
  /** The name of its model. */
  readonly model: string;
  readonly protect: (timeoutMs: number) => Protection;
}

const isPermanent = (error: unknown): boolean => {
  const { status } = error as { readonly status?: number };
  return status !== undefined && status >= 400 && status < 500 && status !== 429;
};

const isRefusal = (error: unknown): boolean => (error as NodeJS.ErrnoException).code === 'EOPENBREAKER';

const breakerOf = (timeoutMs: number): CircuitBreaker<[Work], unknown> =>
  // Percentiles have no effect on decisions, and sorting them at every failure takes longer than everything else.
  new CircuitBreaker((work: Work) => work(), { timeout: timeoutMs, errorFilter: isPermanent, rollingPercentilesEnabled: false });

export const realPackages: readonly RealPackage[] = [
  {
    name: 'p-retry 9 + p-timeout 8',
    model: 'p-retry',
    protect: (timeoutMs) => (work) => pRetry(() => pTimeout(work(), { milliseconds: timeoutMs })),
  },
  {
    name: 'cockatiel 4',
    model: 'cockatiel',
    protect(timeoutMs) {
      const policy = wrap(
        retry(handleAll, { maxAttempts: 3, backoff: new ExponentialBackoff() }),
        circuitBreaker(handleAll, { halfOpenAfter: 10_000, breaker: new ConsecutiveBreaker(5) }),
        timeout(timeoutMs, TimeoutStrategy.Aggressive),
      );
      return (work) => policy.execute(work);
    },
  },
  {
    name: 'opossum 10',
    model: 'opossum',
    protect(timeoutMs) {
      const breaker = breakerOf(timeoutMs);
      return (work) => breaker.fire(work);
    },
  },
  {
    name: 'opossum 10 + p-retry 9',
    model: 'opossum-retry',
    protect(timeoutMs) {
      const breaker = breakerOf(timeoutMs);
      return (work) =>
        pRetry(() => breaker.fire(work), {
          retries: 3,
          minTimeout: 300,
          shouldRetry: ({ error }) => !isRefusal(error) && !isPermanent(error),
        });
    },
  },
];
