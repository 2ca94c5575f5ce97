import { BreakerError, BreakerState, Circuit, Retry, SlidingCountBreaker, Timeout } from 'mollitia';
import type { Contender, Job } from './contender.ts';
import { callUntil, withCheck, failing, openMs, timeLimitMs } from './contender.ts';

export const mollitia: Contender = {
  name: 'mollitia 0.1.1',
  configuration: 'a `Circuit` of `Retry`, `SlidingCountBreaker` and `Timeout`; no delay between attempts; an open circuit is not retried',
  retries: true,
  protect(job) {
    const { circuit } = circuitOf(job);
    return { call: () => circuit.execute(), close: () => circuit.dispose() };
  },
  async open() {
    const { circuit, breaker } = circuitOf({ run: failing, retriesAtOnce: 0 });
    await callUntil(
      () => breaker.state === BreakerState.OPENED,
      () => circuit.execute(),
    );
    return { call: () => circuit.execute(), close: () => circuit.dispose() };
  },
  isRefusal: (error) => error instanceof BreakerError,
};

function circuitOf(job: Job): { readonly circuit: Circuit; readonly breaker: SlidingCountBreaker } {
  // Half of the attempts of a job with one retry fail; the circuit must not open because of it.
  const breaker = new SlidingCountBreaker({ failureRateThreshold: 80, openStateDelay: openMs });
  const again = new Retry({
    attempts: job.retriesAtOnce ?? 4,
    interval: 0,
    onRejection: (error: unknown) => !(error instanceof BreakerError),
  });
  const circuit = new Circuit({ func: withCheck(job), options: { modules: [again, breaker, new Timeout({ delay: timeLimitMs })] } });
  return { circuit, breaker };
}
