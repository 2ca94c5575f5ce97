/**
 * Owns `retry`: further attempts at a task after transient failures. Does not own delays (`../engine/backoff/backoff.ts`).
 *
 * Invariants
 * 1. Exactly one outcome; only misuse throws, and at once.
 * 2. No retry after a permanent or neutral failure, against an open circuit, past a limit, or after an ambiguous failure of an `unsafe` task.
 * 3. A delay that does not fit is not waited for; an abort, and a circuit that opens, end a delay at once.
 * 4. What a server asked for is never undercut.
 */
import type { CancelSignal } from '../engine/ports/signal.ts';
import type { System } from '../engine/ports/system.ts';
import type { Effect, StoppedBy } from '../engine/recover/decision.ts';
import { backoffDelayMs } from '../engine/backoff/backoff.ts';
import { drawAt } from '../engine/backoff/random.ts';
import { checkFields, checkRule, type Fields } from '../engine/settings/check.ts';
import { retryDefaults } from '../engine/settings/defaults.ts';
import { effects, retryFields } from '../engine/settings/fields.ts';
import type { RetrySettings } from '../engine/settings/settings.ts';
import { classifyStructure } from './classify-structure.ts';
import { notify, outcomeOf, theMachine, type Judge } from './classify-outcome.ts';
import { sharedFields } from './option-rules.ts';
import { changed, sleepersOf, succeeded, type CircuitNews } from './outcome.ts';
import { abortOf, runTask, sleep, wasAborted } from './run-task.ts';
import type { Classifier, Task, TaskFailure, TaskOutcome, ValueOf } from './task.ts';
import { withoutUndefined } from '../engine/plain/without-undefined.ts';

/** A retry that is about to be waited for. */
export interface RetryNotice {
  /** Of the attempt to come, from 2. */
  readonly attempt: number;
  /** From now to its start. */
  readonly delayMs: number;
  /** Why there is a retry at all. */
  readonly failure: TaskFailure;
}

/** Options of `retry`. */
export interface RetryOptions extends Partial<RetrySettings> {
  /** The caller's: an abort ends the task, or the delay, at once, with a neutral failure. @default none */
  readonly signal?: CancelSignal | undefined;
  /** One attempt may take this long, also when it ignores its signal. A timeout is transient. @default Infinity */
  readonly timeoutMs?: number;
  /** What the task does to the world; `unsafe`: not repeated after a failure that may have done it. @default retried */
  readonly effect?: Effect;
  /** What an error means. @default by HTTP status, by a short list of codes, else transient */
  readonly classify?: Classifier;
  /** The same seed gives the same delays, so give each call one of its own (such as its id). @default random */
  readonly seed?: string;
  /** Hears of each retry before its delay. One that throws changes nothing. */
  readonly onRetry?: (notice: RetryNotice) => void;
  /** The machine. @default the real one */
  readonly system?: System;
}

/**
 * Runs a task, and again after transient failures: 5 attempts in all, 100 to 800 ms apart, within 2 s of the first failure, unless `options` say
 * otherwise (docs/specification.md#s0-2, #s1-2). `Retry-After` is honoured, an open circuit ends it, and its outcome says when to come back (`retryAfterMs`).
 * @throws TypeError | RangeError when an option is not usable. The promise never rejects.
 */
export function retry<Result>(task: Task<Result>, options: RetryOptions = {}): Promise<TaskOutcome<ValueOf<Result>>> {
  checkRule('function', task, 'task');
  checkFields(optionFields, options, 'retry');
  const complete = { ...retryDefaults, classify: classifyStructure, system: theMachine(), ...withoutUndefined(options) };
  return run(task, complete) as Promise<TaskOutcome<ValueOf<Result>>>;
}

const optionFields: Fields = {
  ...retryFields,
  ...sharedFields,
  signal: 'object',
  effect: effects,
  seed: 'string',
  onRetry: 'function',
};

type Complete = RetryOptions & RetrySettings & Judge;

async function run(task: Task<unknown>, options: Complete): Promise<TaskOutcome<unknown>> {
  const { system, signal, timeoutMs = Infinity } = options;
  let attempts = 0;
  let failedAt: number | undefined;
  let delayMs: number | undefined;
  let seed = options.seed;
  let failure: TaskFailure | undefined;
  while (!wasAborted(signal)) {
    const outcome = outcomeOf(await runTask(system, task, { attempt: attempts + 1, signal, timeoutMs }), options, signal);
    attempts += outcome.attempts;
    if (outcome.success) return succeeded(outcome.value, attempts);
    failure = afterAll(outcome, attempts, failure);
    failedAt ??= system.now();
    if (isFinal(failure) || !mayPass(outcome)) return failure;
    seed ??= system.randomSeed();
    delayMs = backoffDelayMs({
      settings: options,
      retry: Math.max(attempts, 1),
      random: drawAt(seed, String(attempts)),
      previousDelayMs: delayMs,
      retryAfterMs: outcome.retryAfterMs,
    });
    const stoppedBy = limitOf(failure, attempts, system.now() - failedAt + delayMs, options);
    if (stoppedBy) return changed(failure, { stoppedBy });
    notify(options.onRetry, { attempt: attempts + 1, delayMs, failure });
    const opened = await waitBehind(failure, delayMs, options);
    if (opened) return changed(failure, { stoppedBy: 'circuit', ...opened });
  }
  const abort = abortOf(signal);
  // Time that is up between attempts does not hide why another one was needed.
  return failure && abort.kind === 'timeout' ? changed(failure, { stoppedBy: 'deadline' }) : outcomeOf(abort, options, signal, attempts);
}

/** A refusal does not hide the error that came before it. */
function afterAll(failure: TaskFailure, attempts: number, before: TaskFailure | undefined): TaskFailure {
  if (failure.attempts > 0 || !before) return changed(failure, { attempts });
  const { stoppedBy, retryAfterMs } = failure;
  return changed(before, withoutUndefined({ stoppedBy, retryAfterMs }) as Partial<TaskFailure>, sleepersOf(failure));
}

/** Said by a circuit breaker, or by a `retry` inside this one. */
function isFinal({ stoppedBy }: TaskFailure): boolean {
  return stoppedBy === 'circuit' || stoppedBy === 'policy';
}

/** The dependency failed, or asked all of us to wait. */
function mayPass({ classification, code, attempts }: TaskFailure): boolean {
  return classification === 'transient' || (attempts === 0 && code === 'RATE_LIMITED');
}

function limitOf({ ambiguous }: TaskFailure, attempts: number, startsAfterMs: number, options: Complete): StoppedBy | undefined {
  if (wasAborted(options.signal)) return 'deadline';
  if (ambiguous && options.effect === 'unsafe') return 'policy';
  if (attempts >= options.maxAttempts) return 'attempts';
  return Math.round(startsAfterMs) < options.maxTotalTimeMs ? undefined : 'budget';
}

/** Waits, unless the circuit behind the failure opens meanwhile: then answers for how long. */
function waitBehind(failure: TaskFailure, delayMs: number, { system, signal }: Complete): Promise<CircuitNews | undefined> {
  const sleepers = sleepersOf(failure);
  return sleep<CircuitNews>(system, delayMs, signal, (wake) => {
    sleepers?.add(wake);
    return () => sleepers?.delete(wake);
  });
}
