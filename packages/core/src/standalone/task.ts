/** Owns the types of tasks that `retry` and `circuitBreaker` run, and of their outcomes. It has no code. */
import type { Classification } from '../engine/classify/classification.ts';
import type { ClassifyOptions } from '../engine/classify/classify.ts';
import type { Signal } from '../engine/ports/signal.ts';
import type { StoppedBy } from '../engine/recover/decision.ts';

/** The argument of a task. */
export interface TaskContext {
  /** 1 for the first attempt. */
  readonly attempt: number;
  /** Aborted by the caller's signal and by the time limit of the attempt. Pass it to everything that the task waits for. */
  readonly signal: Signal;
}

/** A task, which may return, resolve, throw or reject. It can return the outcome of another `retry` or `run`, which is not wrapped again. */
export type Task<Result> = (context: TaskContext) => Result | PromiseLike<Result>;

/** The outcome of a task, as a value: nothing is thrown or rejected. */
export type TaskOutcome<Value> = TaskSuccess<Value> | TaskFailure;

/** The outcome of a task that succeeded. */
export interface TaskSuccess<Value> {
  /** Discriminates the union of outcomes. */
  readonly success: true;
  /** The value that the task returned or resolved to. */
  readonly value: Value;
  /** How often the task was started. */
  readonly attempts: number;
}

/** A failure with its classification. `code` is `CIRCUIT_OPEN` or `RATE_LIMITED` if the circuit breaker refused to start the task. */
export interface TaskFailure extends Classification {
  /** Discriminates the union of outcomes. */
  readonly success: false;
  /** The last error of the task, with its stack. For a task that was not started, the refusal or the caller's reason for the abort. */
  readonly error: unknown;
  /** How often the task was started; 0 if it was refused or cancelled before. */
  readonly attempts: number;
  /** The limit that ended the attempts; absent if the error itself ended them. */
  readonly stoppedBy?: StoppedBy;
  /** Time in milliseconds before which a retry is pointless: the wait that the server requested, or the rest of the circuit's open period. */
  readonly retryAfterMs?: number;
}

/** The value type of a task's result: the value of an outcome, or the result itself. */
export type ValueOf<Result> = Result extends TaskFailure ? never : Result extends TaskSuccess<infer Value> ? Value : Result;

/** Classifies an error; `classify` of this package is the full classifier. If it throws, the default classifier is used for that error. */
export type Classifier = (error: unknown, options: ClassifyOptions) => Classification;
