/** Retry and circuit breaker on their own, around any function: no tools, no turns. */
export { circuitBreaker } from './circuit-breaker.ts';
export type { CircuitBreaker, CircuitBreakerOptions, RateDetector, RunOptions } from './circuit-breaker.ts';
export { rateDetector } from './rate-detector.ts';
export { retry } from './retry.ts';
export type { RetryNotice, RetryOptions } from './retry.ts';
export { unwrap } from './outcome.ts';
export type { Classifier, Task, TaskContext, TaskFailure, TaskOutcome, TaskSuccess, ValueOf } from './task.ts';
export { controlCircuit, restoreCircuit, saveCircuit } from './circuit-control.ts';
