/**
 * Owns `retry`: further attempts at a task after transient failures. Does not own delays (`../engine/backoff/backoff.ts`).
 *
 * Invariants
 * 1. Exactly one outcome; only invalid arguments throw, synchronously.
 * 2. No retry after a permanent or neutral failure, against an open circuit, beyond a limit, or after an ambiguous failure of an `unsafe` task.
 * 3. A delay that would exceed the time limit is not started; an abort or the opening of the circuit ends a delay at once.
 * 4. A delay is never shorter than the server requested.
 */
import { signalRule, type CancelSignal } from '../engine/ports/signal.ts';
import type { System } from '../engine/ports/system.ts';
import type { Effect, StoppedBy } from '../engine/recover/decision.ts';
import { backoffDelayMs } from '../engine/backoff/backoff.ts';
import { drawAt } from '../engine/backoff/random.ts';
import { suggestRetryField } from '../engine/plain/suggest.ts';
import { checkFields, checkRule, type Fields } from '../engine/settings/check.ts';
import { retryDefaults } from '../engine/settings/defaults.ts';
import { effects, retryFields } from '../engine/settings/fields.ts';
import type { RetrySettings } from '../engine/settings/settings.ts';
import { classifyStructure } from './classify-structure.ts';
import { defaultSystem, notify, outcomeOf, type OutcomeContext } from './classify-outcome.ts';
import { sharedFields } from './option-rules.ts';
import { withChanges, waitersOf, taskSuccess, type CircuitWait } from './outcome.ts';
import { abortOf, runTask, sleep, wasAborted } from './run-task.ts';
import type { Classifier, Task, TaskFailure, TaskOutcome, ValueOf } from './task.ts';
import { withoutUndefined } from '../engine/plain/without-undefined.ts';

/** A retry, before its delay. */
export interface RetryNotice {
  /** Number of the next attempt, from 2. */
  readonly attempt: number;
  /** Time until its start. */
  readonly delayMs: number;
  /** The failure that is retried. */
  readonly failure: TaskFailure;
}

/** Options of `retry`. */
export interface RetryOptions extends Partial<RetrySettings> {
  /** The caller's signal: an abort ends the task or the delay at once with a neutral failure. @default none */
  readonly signal?: CancelSignal | undefined;
  /** Time limit of an attempt, also if the task ignores its signal. A timeout is transient. @default Infinity */
  readonly timeoutMs?: number;
  /** Side effect of the task. An `unsafe` task is not repeated after a failure that may have had its effect. @default retried */
  readonly effect?: Effect;
  /** Classifies errors. @default by HTTP status and by a short list of codes, otherwise transient */
  readonly classify?: Classifier;
  /** Seed of the random delays. Use a different one for each call, such as its id. @default random */
  readonly seed?: string;
  /** Called for each retry before its delay. An error that it throws is ignored. */
  readonly onRetry?: (notice: RetryNotice) => void;
  /** Clocks and timers. @default those of the platform */
  readonly system?: System;
}

/**
 * Runs a task, and retries it after transient failures. By default there are at most 5 attempts, 100 to 800 ms apart, within 2 s of the first failure
 * (docs/specification.md#s0-2, #s1-2). `Retry-After` is honoured. An open circuit ends the retries; the outcome then has the remaining wait (`retryAfterMs`). The promise
 * never rejects.
 * @throws TypeError or RangeError for an invalid option
 */
export function retry<Result>(task: Task<Result>, options: RetryOptions = {}): Promise<TaskOutcome<ValueOf<Result>>> {
  checkRule('function', task, 'retry: task');
  checkFields(optionFields, options, 'retry', suggestRetryField);
  const complete = { ...retryDefaults, classify: classifyStructure, system: defaultSystem(), ...withoutUndefined(options) };
  return run(task, complete) as Promise<TaskOutcome<ValueOf<Result>>>;
}

const optionFields: Fields = {
  ...retryFields,
  ...sharedFields,
  signal: signalRule,
  effect: effects,
  seed: 'string',
  onRetry: 'function',
};

type CompleteOptions = RetryOptions & RetrySettings & OutcomeContext;

async function run(task: Task<unknown>, options: CompleteOptions): Promise<TaskOutcome<unknown>> {
  const { system, signal, timeoutMs = Infinity } = options;
  let attempts = 0;
  let failedAt: number | undefined;
  let delayMs: number | undefined;
  let seed = options.seed;
  let failure: TaskFailure | undefined;
  while (!wasAborted(signal)) {
    const outcome = outcomeOf(await runTask(system, task, { attempt: attempts + 1, signal, timeoutMs }), options, signal);
    attempts += outcome.attempts;
    if (outcome.success) return taskSuccess(outcome.value, attempts);
    failure = combine(outcome, attempts, failure);
    failedAt ??= system.now();
    if (isFinal(failure) || !isRetryable(outcome)) return failure;
    seed ??= system.randomSeed();
    delayMs = backoffDelayMs({
      settings: options,
      retry: Math.max(attempts, 1),
      random: drawAt(seed, String(attempts)),
      previousDelayMs: delayMs,
      retryAfterMs: outcome.retryAfterMs,
    });
    const stoppedBy = limitOf(failure, attempts, system.now() - failedAt + delayMs, options);
    if (stoppedBy) return withChanges(failure, { stoppedBy });
    notify(options.onRetry, { attempt: attempts + 1, delayMs, failure });
    const opened = await waitUnlessOpened(failure, delayMs, options);
    if (opened) return withChanges(failure, { stoppedBy: 'circuit', ...opened });
  }
  const abort = abortOf(signal);
  // A time limit between attempts does not hide the failure that was retried.
  return failure && abort.kind === 'timeout'
    ? withChanges(failure, { stoppedBy: 'deadline' })
    : outcomeOf(abort, options, signal, attempts);
}

/** Returns the failure with the total of attempts; a refusal does not hide the error before it. */
function combine(failure: TaskFailure, attempts: number, previous: TaskFailure | undefined): TaskFailure {
  if (failure.attempts > 0 || !previous) return withChanges(failure, { attempts });
  const { stoppedBy, retryAfterMs } = failure;
  return withChanges(previous, withoutUndefined({ stoppedBy, retryAfterMs }) as Partial<TaskFailure>, waitersOf(failure));
}

/** Whether a circuit breaker, or a `retry` inside this one, has ended the attempts. */
function isFinal({ stoppedBy }: TaskFailure): boolean {
  return stoppedBy === 'circuit' || stoppedBy === 'policy';
}

/** Whether the dependency failed, or requested all callers to wait. */
function isRetryable({ classification, code, attempts }: TaskFailure): boolean {
  return classification === 'transient' || (attempts === 0 && code === 'RATE_LIMITED');
}

function limitOf({ ambiguous }: TaskFailure, attempts: number, startsAfterMs: number, options: CompleteOptions): StoppedBy | undefined {
  if (wasAborted(options.signal)) return 'deadline';
  if (ambiguous && options.effect === 'unsafe') return 'policy';
  if (attempts >= options.maxAttempts) return 'attempts';
  return Math.round(startsAfterMs) < options.maxTotalTimeMs ? undefined : 'budget';
}

/** Waits for the delay. Resolves early with the remaining wait when the circuit of the failure opens. */
function waitUnlessOpened(failure: TaskFailure, delayMs: number, { system, signal }: CompleteOptions): Promise<CircuitWait | undefined> {
  const waiters = waitersOf(failure);
  return sleep<CircuitWait>(system, delayMs, signal, (wake) => {
    waiters?.add(wake);
    return () => waiters?.delete(wake);
  });
}
