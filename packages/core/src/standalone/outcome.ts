/**
 * Owns making outcomes, telling them from other values, and taking them apart.
 *
 * Invariants
 * 1. An outcome is plain data; a mark that no listing shows tells it from other values, also between two copies of this package.
 * 2. A failure of a circuit breaker leads to anyone who waits for that circuit.
 */
import type { Classification, ErrorCategory, ErrorClass } from '../engine/classify/classification.ts';
import { read } from '../engine/classify/reading.ts';
import type { TaskFailure, TaskOutcome, TaskSuccess } from './task.ts';
import { isObject } from '../engine/plain/is-object.ts';

const mark: unique symbol = Symbol.for('holdfast.outcome');

/** What those hear who wait before a retry when the circuit behind their failure opens. */
export interface CircuitNews {
  readonly retryAfterMs?: number;
}

/** Who waits before a retry behind one circuit. */
export type Sleepers = Set<(news: CircuitNews) => void>;

function marked<Outcome extends object>(outcome: Outcome, sleepers: Sleepers | null): Outcome {
  return Object.defineProperty(outcome, mark, { value: sleepers });
}

export function succeeded<Value>(value: Value, attempts: number): TaskSuccess<Value> {
  return marked({ success: true, value, attempts }, null);
}

export function failed(error: unknown, classification: Classification, attempts: number): TaskFailure {
  return marked({ success: false, error, ...classification, attempts }, null);
}

/** The same failure, told otherwise. */
export function changed(failure: TaskFailure, changes: Partial<TaskFailure>, sleepers: Sleepers | null = sleepersOf(failure)): TaskFailure {
  return marked({ ...failure, ...changes }, sleepers);
}

export function sleepersOf(failure: TaskFailure): Sleepers | null {
  return read(failure, mark) as Sleepers | null;
}

export function isOutcome(value: unknown): value is TaskOutcome<unknown> {
  return isObject(value) && read(value, mark) !== undefined;
}

/** The error of a refusal leads back to it, so that one thrown by `unwrap` is not taken for the task's. */
export function ownError(error: object, failure: TaskFailure): TaskFailure {
  Object.defineProperty(error, mark, { value: failure });
  return failure;
}

export function refusalIn(error: unknown): TaskFailure | undefined {
  const own = isObject(error) ? read(error, mark) : undefined;
  return isOutcome(own) ? (own as TaskFailure) : undefined;
}

export function known(classification: ErrorClass, category: ErrorCategory, rule: string, ambiguous = false): Classification {
  return { classification, category, rule, ambiguous };
}

/**
 * The value of a success, for anyone who would rather have a throw.
 * @throws whatever the task threw last (`error` of the failure)
 */
export function unwrap<Value>(outcome: TaskOutcome<Value>): Value {
  if (outcome.success) return outcome.value;
  throw outcome.error;
}
