/** cockatiel: `wrap` in the order given, errors distinguished with `handleType` as its readme recommends. */
import {
  bulkhead,
  circuitBreaker,
  CircuitState,
  ConsecutiveBreaker,
  ConstantBackoff,
  ExponentialBackoff,
  handleType,
  isBrokenCircuitError,
  isBulkheadRejectedError,
  isTaskCancelledError,
  retry,
  SamplingBreaker,
  timeout,
  TimeoutStrategy,
  wrap,
} from 'cockatiel';
import type { CircuitBreakerPolicy, IPolicy, Policy, RetryPolicy, TimeoutPolicy } from 'cockatiel';
import type { Answer, BuildOptions, Circuit, Contender, Guarded, Part } from '../port.ts';
import { DependencyDown } from '../situation.ts';

type Listen = (listener: () => void) => unknown;

interface Policies {
  readonly retry: RetryPolicy[];
  readonly breaker: CircuitBreakerPolicy[];
  readonly timeout: TimeoutPolicy[];
  readonly all: IPolicy[];
}

/** What counts as the dependency's failure; with a timeout in use, that too. */
const faults = (parts: readonly Part[]): Policy =>
  parts.some(({ part }) => part === 'timeout') ? handleType(DependencyDown).orWhen(isTaskCancelledError) : handleType(DependencyDown);

function policiesOf(parts: readonly Part[], { saved, unref }: BuildOptions): Policies {
  const policies: Policies = { retry: [], breaker: [], timeout: [], all: [] };
  const initialState = saved === undefined ? {} : { initialState: saved };
  const keep = <Kind extends IPolicy>(list: Kind[], policy: Kind): void => {
    list.push(policy);
    policies.all.push(policy);
  };
  for (const part of parts) {
    if (part.part === 'retry') {
      const backoff = part.jitter ? new ExponentialBackoff({ initialDelay: part.delayMs }) : new ConstantBackoff(part.delayMs);
      const policy = retry(faults(parts), { maxAttempts: part.retries, backoff });
      keep(policies.retry, unref ? policy.dangerouslyUnref() : policy);
    } else if (part.part === 'breaker') {
      const breaker = new ConsecutiveBreaker(part.failures ?? 1);
      keep(policies.breaker, circuitBreaker(faults(parts), { halfOpenAfter: part.openMs, breaker, ...initialState }));
    } else if (part.part === 'rate breaker') {
      // Four calls of a window are too few, five are enough.
      const breaker = new SamplingBreaker({ threshold: 0.5, duration: part.windowMs, minimumRps: 4_500 / part.windowMs });
      keep(policies.breaker, circuitBreaker(faults(parts), { halfOpenAfter: 60_000, breaker }));
    } else if (part.part === 'timeout') {
      const policy = timeout(part.ms, part.cooperative ? TimeoutStrategy.Cooperative : TimeoutStrategy.Aggressive);
      keep(policies.timeout, unref ? policy.dangerouslyUnref() : policy);
    } else policies.all.push(bulkhead(part.limit, part.queue));
  }
  return policies;
}

function answerOf(error: unknown): Answer {
  const message = error instanceof Error ? error.message : String(error);
  if (isBrokenCircuitError(error)) {
    const { retryAfterMs, retryAfter } = error as { retryAfterMs?: number; retryAfter?: number };
    return { kind: 'refused', by: 'circuit', retryAfterMs: retryAfterMs ?? retryAfter, message };
  }
  if (isBulkheadRejectedError(error)) return { kind: 'refused', by: 'bulkhead', retryAfterMs: undefined, message };
  if (isTaskCancelledError(error)) return { kind: /timed out/i.test(message) ? 'timed out' : 'cancelled', message };
  return { kind: 'failed', message };
}

function circuitOf(state: CircuitState | undefined): Circuit {
  if (state === CircuitState.Open || state === CircuitState.Isolated) return 'open';
  return state === CircuitState.HalfOpen ? 'half-open' : 'closed';
}

function build(parts: readonly Part[], options: BuildOptions = {}): Guarded {
  const policies = policiesOf(parts, options);
  const policy = wrap(...policies.all);
  let timeouts = 0;
  for (const each of policies.timeout) each.onTimeout(() => void (timeouts += 1));
  return {
    call: async (work, { signal } = {}) => {
      try {
        return { kind: 'value', value: await policy.execute((context) => work(context.signal), signal) };
      } catch (error) {
        return answerOf(error);
      }
    },
    circuit: () => circuitOf(policies.breaker[0]?.state),
    onRetry: (listener) => void policies.retry[0]?.onRetry(({ delay }) => listener(delay)),
    timeoutEvents: () => timeouts,
    events: ['retry.onSuccess', 'retry.onFailure', 'retry.onRetry', 'breaker.onSuccess', 'breaker.onFailure', 'breaker.onStateChange'],
    listen: (event, listener) => {
      const [part, name] = event.split('.') as ['retry' | 'breaker', string];
      for (const each of policies[part]) (each as unknown as Record<string, Listen>)[name]?.(listener);
    },
    save: async () => Promise.resolve(policies.breaker[0]?.toJSON()),
  };
}

export const contender: Contender = { name: 'cockatiel', build };
