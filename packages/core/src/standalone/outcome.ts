/**
 * Owns creating, recognizing and unwrapping outcomes.
 *
 * Invariants
 * 1. An outcome is plain data with a non-enumerable mark, which identifies it also between two copies of this package.
 * 2. A failure of a circuit breaker has the retries that wait at its circuit.
 */
import type { Classification, ErrorCategory, ErrorClass } from '../engine/classify/classification.ts';
import { read } from '../engine/classify/reading.ts';
import { refuse } from '../engine/settings/check.ts';
import type { TaskFailure, TaskOutcome, TaskSuccess } from './task.ts';
import { isObject } from '../engine/plain/is-object.ts';

const mark: unique symbol = Symbol.for('holdfast.outcome');

/** Passed to a waiting retry when the circuit of its failure opens. */
export interface CircuitWait {
  readonly retryAfterMs?: number;
}

/** The waiting retries of one circuit. */
export type Waiters = Set<(wait: CircuitWait) => void>;

function markOutcome<Outcome extends object>(outcome: Outcome, waiters: Waiters | null): Outcome {
  return Object.defineProperty(outcome, mark, { value: waiters });
}

export function taskSuccess<Value>(value: Value, attempts: number): TaskSuccess<Value> {
  return markOutcome({ success: true, value, attempts }, null);
}

export function taskFailure(error: unknown, classification: Classification, attempts: number): TaskFailure {
  return markOutcome({ success: false, error, ...classification, attempts }, null);
}

/** Returns a copy of the failure with changes. */
export function withChanges(
  failure: TaskFailure,
  changes: Partial<TaskFailure>,
  waiters: Waiters | null = waitersOf(failure),
): TaskFailure {
  return markOutcome({ ...failure, ...changes }, waiters);
}

export function waitersOf(failure: TaskFailure): Waiters | null {
  return read(failure, mark) as Waiters | null;
}

export function isOutcome(value: unknown): value is TaskOutcome<unknown> {
  return isObject(value) && read(value, mark) !== undefined;
}

/** Marks the error of a refusal with its failure, so that an error thrown by `unwrap` is not classified as an error of the task. */
export function markRefusal(error: object, failure: TaskFailure): TaskFailure {
  Object.defineProperty(error, mark, { value: failure });
  return failure;
}

export function refusalIn(error: unknown): TaskFailure | undefined {
  const failure = isObject(error) ? read(error, mark) : undefined;
  return isOutcome(failure) ? (failure as TaskFailure) : undefined;
}

export function classificationOf(classification: ErrorClass, category: ErrorCategory, rule: string, ambiguous = false): Classification {
  return { classification, category, rule, ambiguous };
}

/**
 * Returns the value of a success, or throws the error of a failure.
 * @throws the last error of the task (`error` of the failure)
 */
export function unwrap<Value>(outcome: TaskOutcome<Value>): Value {
  if (typeof (outcome as TaskOutcome<Value> | undefined)?.success !== 'boolean')
    refuse(
      'unwrap: outcome',
      outcome,
      isObject(outcome) && 'then' in outcome ? 'awaited first' : 'an outcome of retry or of a circuit breaker',
      '',
    );
  if (outcome.success) return outcome.value;
  throw outcome.error;
}
