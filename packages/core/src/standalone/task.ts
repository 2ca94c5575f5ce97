/** Owns the words of a task that is run under `retry` or `circuitBreaker`: what it is given, and what comes of it. Owns no behaviour. */
import type { Classification } from '../engine/classify/classification.ts';
import type { ClassifyOptions } from '../engine/classify/classify.ts';
import type { Signal } from '../engine/ports/signal.ts';
import type { StoppedBy } from '../engine/recover/decision.ts';

/** What a task is given. */
export interface TaskContext {
  /** 1 for the first attempt. */
  readonly attempt: number;
  /** Aborted when the caller gives up and when the attempt's time is up. Hand it on to whatever the task waits for. */
  readonly signal: Signal;
}

/** May answer at once or later, may throw or reject. Answer the outcome of another `retry` or `run` as it is: it is not wrapped again. */
export type Task<Result> = (context: TaskContext) => Result | PromiseLike<Result>;

/** What came of a task. Exactly one, as a value: nothing is thrown, nothing rejects. */
export type TaskOutcome<Value> = TaskSuccess<Value> | TaskFailure;

/** The value of a task that succeeded. */
export interface TaskSuccess<Value> {
  /** Discriminates the union of outcomes. */
  readonly success: true;
  /** What the task returned or resolved to. */
  readonly value: Value;
  /** How often the task was started. */
  readonly attempts: number;
}

/** A failure with its classification. `code` is `CIRCUIT_OPEN` or `RATE_LIMITED` where the circuit breaker refused to start the task. */
export interface TaskFailure extends Classification {
  /** Discriminates the union of outcomes. */
  readonly success: false;
  /** What the task threw last, live, with its stack. Where it was never started: the refusal, or the caller's reason for the abort. */
  readonly error: unknown;
  /** How often the task was started; 0 when it was refused or cancelled before. */
  readonly attempts: number;
  /** What ended the attempts of a task that might have continued. Absent where the error itself did. */
  readonly stoppedBy?: StoppedBy;
  /** Not before this many milliseconds from the end: what the server asked for, or what is left of the circuit's open period. */
  readonly retryAfterMs?: number;
}

/** What a task's answer is worth: the value of an outcome, or the answer itself. */
export type ValueOf<Result> = Result extends TaskFailure ? never : Result extends TaskSuccess<infer Value> ? Value : Result;

/** Says what an error means; `classify` of this package is the full one. One that throws is not asked again for that error. */
export type Classifier = (error: unknown, options: ClassifyOptions) => Classification;
