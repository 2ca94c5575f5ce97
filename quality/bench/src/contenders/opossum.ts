import CircuitBreaker from 'opossum';
import pRetry from 'p-retry';
import type { Contender, ProtectedJob } from './contender.ts';
import { callUntil, withCheck, failing, openMs, timeLimitMs } from './contender.ts';

export const opossum: Contender = {
  name: 'opossum 10',
  configuration: '`new CircuitBreaker(work, { timeout })`, `.fire()`; breaker and timeout',
  retries: false,
  protect(job) {
    const breaker = new CircuitBreaker(withCheck(job), { timeout: timeLimitMs });
    return { call: () => breaker.fire(), close: () => breaker.shutdown() };
  },
  open: () => openedJob((breaker) => () => breaker.fire()),
  isRefusal,
};

export const opossumRetrying: Contender = {
  name: 'opossum 10 + p-retry 9',
  configuration: '`pRetry(() => breaker.fire())`; no delay between attempts; an open circuit is not retried',
  retries: true,
  protect(job) {
    // Half of the attempts of a job with one retry fail; the circuit must not open because of it.
    const breaker = new CircuitBreaker(withCheck(job), { timeout: timeLimitMs, errorThresholdPercentage: 80, volumeThreshold: 10 });
    return { call: retrying(breaker, job.retriesAtOnce ?? 4), close: () => breaker.shutdown() };
  },
  open: () => openedJob((breaker) => retrying(breaker, 4)),
  isRefusal,
};

function isRefusal(error: unknown): boolean {
  return (error as NodeJS.ErrnoException).code === 'EOPENBREAKER';
}

function retrying(breaker: CircuitBreaker<[], unknown>, retries: number): () => Promise<unknown> {
  const options = {
    retries,
    minTimeout: 0,
    shouldRetry: ({ error }: { readonly error: Error }) => !isRefusal(error),
  };
  return () => pRetry(() => breaker.fire(), options);
}

async function openedJob(callOf: (breaker: CircuitBreaker<[], unknown>) => () => Promise<unknown>): Promise<ProtectedJob> {
  const breaker = new CircuitBreaker<[], unknown>(failing, { timeout: timeLimitMs, resetTimeout: openMs });
  await callUntil(
    () => breaker.opened,
    () => breaker.fire(),
  );
  return { call: callOf(breaker), close: () => breaker.shutdown() };
}
