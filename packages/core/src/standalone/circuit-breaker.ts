/**
 * Owns `circuitBreaker`: a circuit of one's own around any task. Does not own the circuit's rules (`../engine/breaker`).
 *
 * Invariants
 * 1. Exactly one outcome per run; only misuse throws, and at once.
 * 2. A refusal starts nothing, counts nothing, and says when to come back where that can be known.
 * 3. The caller's abort is neutral, a permanent error says that the service answered, only transient ones count.
 * 4. A probe that never ends loses its place when its lease ends; no timer runs for it.
 */
import { circuitState, createCircuit, isHeld, peek, record, tryAcquire } from '../engine/breaker/breaker.ts';
import type {
  Breaker,
  BreakerSettings,
  CircuitAdmission,
  CircuitPermit,
  CircuitState,
  CircuitTransition,
  Detect,
  RateSettings,
} from '../engine/breaker/types.ts';
import type { RollingWindow } from '../engine/breaker/rolling-window.ts';
import { withDefaults } from '../engine/breaker/settings.ts';
import { waitMs } from '../engine/breaker/wait.ts';
import type { CancelSignal } from '../engine/ports/signal.ts';
import type { System } from '../engine/ports/system.ts';
import { checkFields, checkRule, type Fields } from '../engine/settings/check.ts';
import { circuitFields } from '../engine/settings/fields.ts';
import { classifyStructure } from './classify-structure.ts';
import { notify, outcomeOf, theMachine, type Judge } from './classify-outcome.ts';
import { sharedFields } from './option-rules.ts';
import { changed, failed, known, ownError, type CircuitNews, type Sleepers } from './outcome.ts';
import { abortOf, runTask, wasAborted } from './run-task.ts';
import type { Classifier, Task, TaskFailure, TaskOutcome, ValueOf } from './task.ts';

/** The second detector of a circuit breaker, made by `rateDetector`. */
export interface RateDetector {
  /** The settings of the detector, defaults filled in. */
  readonly rate: RateSettings;
}

/** What `rateDetector` makes, as seen from here. */
export interface WorkingDetector extends RateDetector {
  readonly detect: Detect;
  readonly start: () => RollingWindow;
}

/** Options of `circuitBreaker`; what is left out has the default of `BreakerSettings`. */
export interface CircuitBreakerOptions extends Partial<Omit<BreakerSettings, 'rate'>> {
  /** Opens on a share of failed or slow calls too: `rateDetector({ … })`. @default none */
  readonly detector?: RateDetector;
  /** For the text of refusals. @default 'the task' */
  readonly name?: string;
  /** One run may take this long, also when it ignores its signal. A timeout is transient. @default Infinity */
  readonly timeoutMs?: number;
  /** What an error means. @default by HTTP status, by a short list of codes, else transient */
  readonly classify?: Classifier;
  /** Hears of each change of state. One that throws changes nothing. */
  readonly onTransition?: (transition: CircuitTransition) => void;
  /** The machine. @default the real one */
  readonly system?: System;
}

/** Options of `CircuitBreaker.run`. */
export interface RunOptions {
  /** The caller's: an abort ends the run at once and says nothing about the dependency; that of `AbortSignal.timeout` is a timeout. @default none */
  readonly signal?: CancelSignal | undefined;
}

/** A circuit breaker around any task. */
export interface CircuitBreaker {
  /** As it acts on calls now. */
  readonly state: CircuitState;
  /** Consecutive transient failures. */
  readonly failureCount: number;
  /**
   * Runs a task if the circuit lets it. While open, everybody is refused at once; while half-open, everybody but one probe.
   * @throws TypeError | RangeError when an option is not usable. The promise never rejects.
   */
  run<Result>(task: Task<Result>, options?: RunOptions): Promise<TaskOutcome<ValueOf<Result>>>;
  /** For `controlCircuit`, `saveCircuit` and `restoreCircuit`. */
  readonly [inside]: unknown;
}

export const inside: unique symbol = Symbol.for('holdfast.circuit');

export interface Inside {
  readonly breaker: Breaker;
  readonly system: System;
  readonly tell: (transition: CircuitTransition) => void;
}

/**
 * A circuit breaker: opens after 5 transient failures in a row, for 30 s, then lets one probe through (docs/specification.md#s0-3, #s1-3), unless `options` say otherwise.
 * @throws TypeError | RangeError when an option is not usable.
 */
export function circuitBreaker(options: CircuitBreakerOptions = {}): CircuitBreaker {
  checkFields(optionFields, options, 'circuitBreaker');
  const { name = 'the task', timeoutMs = Infinity, classify = classifyStructure, system = theMachine(), onTransition, detector } = options;
  const settings = withDefaults(options);
  const second = detector as WorkingDetector | undefined;
  const breaker = second ? createCircuit({ ...settings, rate: second.rate }, second.detect, second.start()) : createCircuit(settings);
  const judge: Judge = { classify, system };
  const sleepers: Sleepers = new Set();

  const tell = (transition: CircuitTransition | undefined): void => {
    if (!transition) return;
    const { to, openForMs } = transition;
    if (to === 'open') for (const wake of sleepers) wake(newsOf(openForMs));
    notify(onTransition, transition);
  };

  const admit = (now: number): CircuitAdmission | Refusal => {
    if (isHeld(breaker, now) && !peek(breaker, now))
      return { code: 'RATE_LIMITED', source: 'server_hint', retryAfterMs: waitMs(breaker.holdUntil, now) };
    const admission = tryAcquire(breaker, now, timeoutMs < Infinity ? timeoutMs + PROBE_GRACE_MS : 0);
    tell(admission.earlierTransition);
    tell(admission.transition);
    return admission.refusal ?? admission;
  };

  const run = async (task: Task<unknown>, signal: CancelSignal | undefined): Promise<TaskOutcome<unknown>> => {
    if (wasAborted(signal)) return outcomeOf(abortOf(signal), judge, signal, 0);
    const startedAt = system.now();
    const admission = admit(startedAt);
    if ('code' in admission) return refused(admission, name, sleepers);
    const outcome = outcomeOf(await runTask(system, task, { attempt: 1, signal, timeoutMs }), judge, signal);
    const now = system.now();
    const observation = { outcome: outcome.success ? 'success' : outcome.classification, durationMs: now - startedAt } as const;
    tell(
      record(breaker, admission.permit as CircuitPermit, { ...observation, ...(!outcome.success && newsOf(outcome.retryAfterMs)) }, now),
    );
    if (outcome.success) return outcome;
    // Anyone who failed hears where the circuit stands now, so that nobody retries against it.
    const open = peek(breaker, now);
    const waits = newsOf(Math.max(outcome.retryAfterMs ?? 0, open?.retryAfterMs ?? 0));
    return changed(outcome, open ? { stoppedBy: 'circuit', ...waits } : {}, sleepers);
  };

  return {
    get state() {
      return circuitState(breaker, system.now());
    },
    get failureCount() {
      return breaker.failureCount;
    },
    run<Result>(task: Task<Result>, { signal }: RunOptions = {}) {
      checkRule('function', task, 'task');
      checkFields(runFields, { signal }, 'run');
      return run(task, signal) as Promise<TaskOutcome<ValueOf<Result>>>;
    },
    [inside]: { breaker, system, tell } satisfies Inside,
  };
}

const optionFields: Fields = { ...circuitFields, ...sharedFields, name: 'string', onTransition: 'function', detector: 'object' };

const runFields: Fields = { signal: 'object' };

/** Between the time limit of a probe and the end of its lease. */
const PROBE_GRACE_MS = 1_000;

interface Refusal {
  /** Error code of the outcome. */
  readonly code: 'CIRCUIT_OPEN' | 'RATE_LIMITED';
  /** What refused, for the rule of the classification. */
  readonly source: string;
  readonly retryAfterMs?: number;
}

function refused({ code, retryAfterMs, source }: Refusal, name: string, sleepers: Sleepers): TaskFailure {
  const open = code === 'CIRCUIT_OPEN';
  const error = new Error(`${open ? 'Circuit open' : 'Rate limit reached'} for ${name}`);
  const meaning = known('neutral', open ? 'unavailable' : 'rate_limit', `refused:${source}`);
  const news = { code, ...newsOf(retryAfterMs) };
  const failure = failed(Object.assign(error, news), meaning, 0);
  return ownError(error, changed(failure, open ? { ...news, stoppedBy: 'circuit' } : news, sleepers));
}

/** Without the field where there is nothing to wait for. */
function newsOf(retryAfterMs: number | undefined): CircuitNews {
  return retryAfterMs ? { retryAfterMs } : {};
}
