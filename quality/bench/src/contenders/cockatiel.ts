import {
  circuitBreaker,
  ConsecutiveBreaker,
  handleAll,
  handleWhen,
  isBrokenCircuitError,
  retry,
  timeout,
  TimeoutStrategy,
  wrap,
  type CircuitBreakerPolicy,
  type IPolicy,
} from 'cockatiel';
import type { Contender, Job } from './contender.ts';
import { callUntil, withCheck, failing, failuresToOpen, openMs, timeLimitMs } from './contender.ts';

export const cockatiel: Contender = {
  name: 'cockatiel 4',
  configuration: '`wrap(retry, circuitBreaker, timeout)`; no delay between attempts; an open circuit is not retried',
  retries: true,
  protect(job) {
    const { policy } = policyOf(job);
    const work = withCheck(job);
    return { call: () => policy.execute(work) };
  },
  async open() {
    const { policy, breaker } = policyOf({ run: failing, retriesAtOnce: 0 });
    const call = (): Promise<unknown> => policy.execute(failing);
    // 0 is its state "closed".
    await callUntil(() => breaker.state !== 0, call);
    return { call };
  },
  isRefusal: isBrokenCircuitError,
};

function policyOf({ retriesAtOnce = 4 }: Job): { readonly policy: IPolicy; readonly breaker: CircuitBreakerPolicy } {
  const breaker = circuitBreaker(handleAll, { halfOpenAfter: openMs, breaker: new ConsecutiveBreaker(failuresToOpen) });
  const again = retry(
    handleWhen((error) => !isBrokenCircuitError(error)),
    { maxAttempts: retriesAtOnce },
  );
  return { policy: wrap(again, breaker, timeout(timeLimitMs, TimeoutStrategy.Aggressive)), breaker };
}
