/** mollitia: one circuit with its modules in the order given. */
import {
  BreakerError,
  BreakerState,
  Bulkhead,
  BulkheadOverloadError,
  Circuit as MollitiaCircuit,
  Retry,
  RetryMode,
  SlidingCountBreaker,
  SlidingTimeBreaker,
  Timeout,
  TimeoutError,
} from 'mollitia';
import type { Module, SlidingWindowBreaker } from 'mollitia';
import type { Answer, Circuit, Contender, Guarded, Part, Work } from '../port.ts';
import { BadRequest } from '../situation.ts';

const isFault = (error: unknown): boolean => !(error instanceof BadRequest);
/** Retries transient failures: not a bad request, and not the refusal of an open circuit. */
const onRejection = (error: unknown): boolean => isFault(error) && !(error instanceof BreakerError);

function moduleOf(part: Part): Module {
  switch (part.part) {
    case 'retry':
      return new Retry({
        attempts: part.retries,
        interval: part.delayMs,
        mode: part.jitter ? RetryMode.JITTER : RetryMode.CONSTANT,
        factor: 1,
        onRejection,
      });
    case 'breaker':
      return new SlidingCountBreaker({
        slidingWindowSize: part.failures ?? 1,
        minimumNumberOfCalls: part.failures ?? 1,
        failureRateThreshold: 50,
        openStateDelay: part.openMs,
        permittedNumberOfCallsInHalfOpenState: 1,
        halfOpenStateMaxDelay: part.probeMs ?? 0,
        onError: isFault,
      });
    case 'rate breaker':
      return new SlidingTimeBreaker({
        slidingWindowSize: part.windowMs,
        minimumNumberOfCalls: 5,
        failureRateThreshold: 50,
        onError: isFault,
      });
    case 'timeout':
      return new Timeout({ delay: part.ms });
    case 'bulkhead':
      return new Bulkhead({ concurrentSize: part.limit, queueSize: part.queue });
  }
}

function answerOf(error: unknown): Answer {
  const message = error instanceof Error ? error.message : String(error);
  const { retryAfterMs, retryAfter } = error as { retryAfterMs?: number; retryAfter?: number };
  if (error instanceof BreakerError) return { kind: 'refused', by: 'circuit', retryAfterMs: retryAfterMs ?? retryAfter, message };
  if (error instanceof BulkheadOverloadError) return { kind: 'refused', by: 'bulkhead', retryAfterMs: undefined, message };
  return { kind: error instanceof TimeoutError ? 'timed out' : 'failed', message };
}

const states: Readonly<Record<BreakerState, Circuit>> = {
  [BreakerState.CLOSED]: 'closed',
  [BreakerState.OPENED]: 'open',
  [BreakerState.HALF_OPENED]: 'half-open',
};
const never = new AbortController().signal;

function build(parts: readonly Part[]): Guarded {
  const modules = parts.map(moduleOf);
  const circuit = new MollitiaCircuit({ options: { modules } });
  const breaker = modules.find((module): module is SlidingWindowBreaker => 'openStateDelay' in module);
  let timeouts = 0;
  for (const module of modules) module.on('timeout', () => void (timeouts += 1));
  return {
    call: async (work: Work) => {
      try {
        return { kind: 'value', value: await circuit.fn(async () => work(never)).execute() };
      } catch (error) {
        return answerOf(error);
      }
    },
    circuit: () => states[breaker?.state ?? BreakerState.CLOSED],
    onRetry: (listener) => {
      for (const module of modules) module.on('delay-before-next-retry', (_circuit: unknown, delayMs: number) => listener(delayMs));
    },
    timeoutEvents: () => timeouts,
    events: ['execute', 'retry', 'success-without-retry', 'state-changed'],
    listen: (event, listener) => {
      for (const module of modules) module.on(event, listener);
    },
    save: async () => Promise.resolve(undefined),
  };
}

export const contender: Contender = { name: 'mollitia', build };
