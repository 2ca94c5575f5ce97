/**
 * Owns `circuitBreaker`: a circuit around any task. Does not own the circuit's rules (`../engine/breaker`).
 *
 * Invariants
 * 1. Exactly one outcome per run; only invalid arguments throw, synchronously.
 * 2. A refused task is not started and does not count; the refusal has the remaining wait if it is known.
 * 3. The caller's abort is neutral, and so is its time limit (`AbortSignal.timeout`), which shows nothing about the task; that of a `retry` around it counts. A
 *    permanent error means that the service answered, only transient errors count as failures.
 * 4. A probe that never ends is lost when its lease ends; no timer runs for it.
 */
import { read } from '../engine/classify/reading.ts';
import { circuitState, heldMs, peek, record, tryAcquire } from '../engine/breaker/breaker.ts';
import { takeChanges } from '../engine/breaker/transition.ts';
import { Breaker, type BreakerSettings, type CircuitState, type CircuitTransition, type RateSettings } from '../engine/breaker/types.ts';
import { withDefaults } from '../engine/breaker/settings.ts';
import { signalRule, type CancelSignal } from '../engine/ports/signal.ts';
import type { System } from '../engine/ports/system.ts';
import { suggestRetryField } from '../engine/plain/suggest.ts';
import { checkFields, checkRule, refuse as refuseOption, type Fields } from '../engine/settings/check.ts';
import { circuitFields } from '../engine/settings/fields.ts';
import { classifyStructure } from './classify-structure.ts';
import { notify, outcomeOf, defaultSystem, type OutcomeContext } from './classify-outcome.ts';
import { sharedFields } from './option-rules.ts';
import { withChanges, taskFailure, classificationOf, markRefusal, type CircuitWait, type Waiters } from './outcome.ts';
import { abortOf, runTask, wasAborted } from './run-task.ts';
import type { Classifier, Task, TaskFailure, TaskOutcome, ValueOf } from './task.ts';

/** The second detector of a circuit breaker, created by `rateDetector`. */
export interface RateDetector {
  /** The settings of the detector, with defaults. */
  readonly rate: RateSettings;
}

/** The internal form of a `RateDetector`. */
export interface DetectorInternals extends RateDetector {
  readonly attach: (breaker: Breaker) => void;
}

/** Options of `circuitBreaker`; missing ones have the defaults of `BreakerSettings`. */
export interface CircuitBreakerOptions extends Partial<
  Pick<BreakerSettings, 'failureThreshold' | 'successThreshold' | 'openMs' | 'probeLeaseMs' | 'permanentProbeLimit'>
> {
  /** Also opens the circuit on a share of failed or slow calls: `rateDetector({ … })`. @default none */
  readonly detector?: RateDetector;
  /** The name in refusal messages. @default 'the task' */
  readonly name?: string;
  /** Time limit of a run, also if the task ignores its signal. A timeout is transient. @default Infinity */
  readonly timeoutMs?: number;
  /** Classifies errors. @default by HTTP status and by a short list of codes, otherwise transient */
  readonly classify?: Classifier;
  /** Called for each change of state. An error that it throws is ignored. */
  readonly onTransition?: (transition: CircuitTransition) => void;
  /** Clocks and timers. @default those of the platform */
  readonly system?: System;
}

/** Options of `CircuitBreaker.run`. */
export interface RunOptions {
  /** The caller's signal: an abort ends the run at once and is neutral. An abort by `AbortSignal.timeout` is a timeout that the circuit does not count. @default none */
  readonly signal?: CancelSignal | undefined;
}

/** A circuit breaker around any task. */
export interface CircuitBreaker {
  /** The current state. */
  readonly state: CircuitState;
  /** Number of consecutive transient failures. */
  readonly failureCount: number;
  /**
   * Runs a task if the circuit allows it. An open circuit refuses all calls at once, a half-open one all calls except one probe. The promise never rejects.
   * @throws TypeError or RangeError for an invalid option
   */
  run<Result>(task: Task<Result>, options?: RunOptions): Promise<TaskOutcome<ValueOf<Result>>>;
  /** Used by `controlCircuit`, `saveCircuit` and `restoreCircuit`. */
  readonly [internals]: unknown;
}

export const internals: unique symbol = Symbol.for('holdfast.circuit');

export interface CircuitInternals {
  readonly breaker: Breaker;
  readonly system: System;
  /** Reports its changes of state. */
  readonly report: () => void;
}

/**
 * Creates a circuit breaker. By default it opens for 30 s after 5 consecutive transient failures, then allows one probe (docs/specification.md#s0-3, #s1-3).
 * @throws TypeError or RangeError for an invalid option
 */
export function circuitBreaker(options: CircuitBreakerOptions = {}): CircuitBreaker {
  checkFields(optionFields, options, 'circuitBreaker', suggestRetryField);
  const { name = 'the task', timeoutMs = Infinity, classify = classifyStructure } = options;
  const { system = defaultSystem(), onTransition, detector } = options;
  const breaker = new Breaker(withDefaults(options));
  (detector as DetectorInternals | undefined)?.attach(breaker);
  const context: OutcomeContext = { classify, system };
  const waiters: Waiters = new Set();

  const report = (): void => {
    for (const transition of takeChanges(breaker)) {
      if (transition.to === 'open') for (const wake of waiters) wake(waitFieldOf(transition.openForMs));
      notify(onTransition, transition);
    }
  };

  const run = async (task: Task<unknown>, signal: CancelSignal | undefined): Promise<TaskOutcome<unknown>> => {
    if (wasAborted(signal)) return outcomeOf(abortOf(signal), context, signal, 0);
    const startedAt = system.now();
    const retryAfterMs = heldMs(breaker, startedAt);
    if (retryAfterMs && !peek(breaker, startedAt))
      return refuse({ code: 'RATE_LIMITED', source: 'server_hint', retryAfterMs }, name, waiters);
    const admission = tryAcquire(breaker, startedAt, timeoutMs);
    report();
    if (admission.kind === 'refused') return refuse(admission.refusal, name, waiters);
    const ending = await runTask(system, task, { attempt: 1, signal, timeoutMs });
    const outcome = outcomeOf(ending, context, signal);
    const now = system.now();
    // A limit of the caller, whose error does not tell it.
    const isCallers = ending.kind === 'timeout' && read(ending.error as object, 'timeoutMs') === undefined;
    const observation = {
      outcome: outcome.success ? 'success' : isCallers ? 'neutral' : outcome.classification,
      durationMs: now - startedAt,
      ...(!outcome.success && waitFieldOf(outcome.retryAfterMs)),
    } as const;
    record(breaker, admission.permit, observation, now);
    report();
    if (outcome.success) return outcome;
    // The failure has the current state of the circuit, so that a `retry` does not retry against an open one.
    const open = peek(breaker, now);
    const wait = waitFieldOf(Math.max(outcome.retryAfterMs ?? 0, open?.retryAfterMs ?? 0));
    return withChanges(outcome, open ? { stoppedBy: 'circuit', ...wait } : {}, waiters);
  };

  return {
    get state() {
      return circuitState(breaker, system.now());
    },
    get failureCount() {
      return breaker.failureCount;
    },
    run<Result>(task: Task<Result>, options: RunOptions = {}) {
      checkRule('function', task, 'circuitBreaker: task');
      checkFields(runFields, options, "run's options", suggestRetryField);
      return run(task, options.signal) as Promise<TaskOutcome<ValueOf<Result>>>;
    },
    [internals]: { breaker, system, report } satisfies CircuitInternals,
  };
}

const optionFields: Fields = {
  ...circuitFields,
  ...sharedFields,
  name: 'string',
  onTransition: 'function',
  detector: (value, field) => {
    if (typeof (value as Partial<DetectorInternals> | null)?.attach !== 'function')
      refuseOption(field, value, 'created with rateDetector({ … })', '');
  },
};

const runFields: Fields = { signal: signalRule };

interface Refusal {
  /** Error code of the outcome; `RATE_LIMITED` while a server's Retry-After holds calls. */
  readonly code: 'CIRCUIT_OPEN' | 'RATE_LIMITED';
  /** The source of the refusal, for the rule of the classification. */
  readonly source: string;
  readonly retryAfterMs?: number;
}

function refuse({ code, retryAfterMs, source }: Refusal, name: string, waiters: Waiters): TaskFailure {
  const open = code === 'CIRCUIT_OPEN';
  const error = new Error(`${open ? 'Circuit open' : 'Retry-After in force'} for ${name}`);
  const classification = classificationOf('neutral', open ? 'unavailable' : 'rate_limit', `refused:${source}`);
  const fields = { code, ...waitFieldOf(retryAfterMs) };
  const failure = taskFailure(Object.assign(error, fields), classification, 0);
  return markRefusal(error, withChanges(failure, open ? { ...fields, stoppedBy: 'circuit' } : fields, waiters));
}

/** Returns the field only if there is a wait. */
function waitFieldOf(retryAfterMs: number | undefined): CircuitWait {
  return retryAfterMs ? { retryAfterMs } : {};
}
