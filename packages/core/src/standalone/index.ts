/** The entry `@holdfast/core/standalone`: retry and circuit breaker around any function, without tools and turns. */
export { circuitBreaker } from './circuit-breaker.ts';
export type { CircuitBreaker, CircuitBreakerOptions, RateDetector, RunOptions } from './circuit-breaker.ts';
export { rateDetector } from './rate-detector.ts';
export { retry } from './retry.ts';
export type { RetryNotice, RetryOptions } from './retry.ts';
export { unwrap } from './outcome.ts';
export type { Classifier, Task, TaskContext, TaskFailure, TaskOutcome, TaskSuccess, ValueOf } from './task.ts';
export { controlCircuit, restoreCircuit, saveCircuit } from './circuit-control.ts';
export { backoffDelayMs } from './backoff-delay.ts';
export type { BackoffRequest } from '../engine/backoff/backoff.ts';
export type {
  CircuitCounters,
  CircuitMode,
  CircuitRefusal,
  CircuitTransition,
  TransitionReason,
  WindowSnapshot,
} from '../engine/breaker/types.ts';
