/**
 * Owns the host of a journaled turn: inputs from outside pass through the turn's input queue, effects run in its steps.
 *
 * Invariants
 * 1. During replay there are no effects: no tool runs, no gate is asked, no timer is set.
 * 2. An attempt starts once its step runs in this process; an attempt of a tool that must not run twice only once its start is journaled.
 * 3. Nothing starts once the turn's end is known.
 * 4. An attempt that another process has started is started again, with the same idempotency key; for a tool that must not run twice, the outcome is unknown.
 */
import { probeLimitMs } from '../../engine/call/attempts.ts';
import type { Fault } from '../../engine/call/fault.ts';
import type { CallRun, Effect, Feed, Host, TimerPurpose } from '../../runtime/drivers/host.ts';
import { countedEffect } from '../../engine/settings/effect.ts';
import type { TimerHandle } from '../../engine/ports/system.ts';
import type { FailureNotice } from '../../engine/recover/error-handler.ts';
import type { TraceEventBody } from '../../engine/trace/events.ts';
import type { Trace } from '../../engine/trace/turn-trace.ts';
import type { InputQueue } from './input-queue.ts';
import type { InputLog } from './input-log.ts';
import type { JournaledGates } from './journaled-gates.ts';
import type { JournaledTimers } from './journaled-timers.ts';
import type { LocalHost } from './local-host.ts';
import { interruptedFault } from './interrupted.ts';
import type { AttemptStep, Steps } from './attempt-steps.ts';

export interface JournaledHostOptions {
  readonly local: LocalHost;
  readonly gates: JournaledGates;
  readonly inputs: InputQueue;
  readonly log: InputLog;
  readonly steps: Steps;
  readonly timers: JournaledTimers;
  readonly onCrash: (error: unknown, run: CallRun | undefined) => void;
}

export class JournaledHost implements Host {
  readonly #options: JournaledHostOptions;
  /** By call: the tool whose arguments this process has checked. */
  readonly #prepared = new Map<string, string>();

  constructor(options: JournaledHostOptions) {
    this.#options = options;
  }

  get gates(): JournaledGates {
    return this.#options.gates;
  }

  get moment(): number {
    return this.#options.inputs.moment;
  }

  /** Everything that follows from an input happens at the moment of that input. */
  now(): number {
    return this.moment;
  }

  append(trace: Trace, event: TraceEventBody): void {
    trace.append(event, this.moment);
  }

  crashed(error: unknown, run: CallRun | undefined): void {
    this.#options.onCrash(error, run);
  }

  setTimer(delayMs: number, fire: () => void, purpose: TimerPurpose): TimerHandle {
    const { timers, steps, inputs } = this.#options;
    const { run, timer } = purpose;
    // The turn's deadline is a timer of the journal.
    if (!run || timer === 'deadline') return { dueAt: Number.POSITIVE_INFINITY };
    if (timer === 'backoff') steps.nextOf(run);
    return timers.set(delayMs, fire, purpose, this.moment, inputs.live);
  }

  clearTimer(handle: TimerHandle): void {
    this.#options.timers.clear(handle);
  }

  prepare(run: CallRun, effect: Effect<'prepare'>, feed: Feed): void {
    const { inputs, local, steps } = this.#options;
    const { callKey } = run.state.spec;
    const question = (answered: Feed): void =>
      local.prepare(run, effect, (prepared, input) => {
        if (input.type === 'prepared' && !input.fault) this.#prepared.set(callKey, effect.toolName);
        answered(prepared, input);
      });
    // An asynchronous schema: its result needs a step to be journaled with.
    if (!inputs.ask(run, 'prepared', question, feed)) steps.nextOf(run);
  }

  consult(run: CallRun, notice: FailureNotice, feed: Feed): void {
    const { inputs, local, steps } = this.#options;
    // An asynchronous error handler, for a call without an active step: its decision needs a step to be journaled with.
    const isAnswered = inputs.ask(run, 'decided', (answered) => local.consult(run, notice, answered), feed);
    if (!isAnswered && !steps.isUnderWay(run, notice.attempt)) steps.nextOf(run);
  }

  startAttempt(run: CallRun, effect: Effect<'start_attempt'>): void {
    const { inputs, log, steps } = this.#options;
    const step = steps.admittedOf(run.state.spec.callKey);
    if (!step) return;
    step.attempt = effect.attempt;
    const isReplayed = !inputs.live;
    step.start = () => (isReplayed ? this.#startAgain(run, effect) : this.#start(run, effect));
    step.startsAfter = countedEffect(run.state.target.settings) === 'unsafe' ? log.length : 0;
    if (step.working) this.work(step);
  }

  /** Runs a step of this process: the request or attempt that waited for it continues. */
  work(step: AttemptStep): void {
    const { inputs, log } = this.#options;
    const { requestAdmission, start } = step;
    if (inputs.held) return;
    if (requestAdmission && !start) {
      step.requestAdmission = undefined;
      return requestAdmission();
    }
    if (!start || log.journaled < step.startsAfter) return;
    step.start = undefined;
    start();
  }

  #start(run: CallRun, effect: Effect<'start_attempt'>): void {
    const { inputs, local } = this.#options;
    const { callKey } = run.state.spec;
    // The attempt has ended while its step waited for the journal.
    if (!isAwaited(run, effect.attempt)) return;
    const start = (): void =>
      local.startAttempt(run, effect, (answered, input) => inputs.add({ call: answered.state.spec.callKey, input }));
    if (this.#prepared.get(callKey) === effect.toolName) return start();
    // The arguments were checked in another process, and the parsed value is not journaled. The call may end while they are checked again.
    local.prepare(run, { type: 'prepare', toolName: effect.toolName }, (answered, input) => {
      if (inputs.held || !isAwaited(answered, effect.attempt)) return;
      if (input.type === 'prepared' && input.fault) this.#fail(answered, effect.attempt, input.fault);
      else start();
    });
  }

  #startAgain(run: CallRun, effect: Effect<'start_attempt'>): void {
    const { gates, timers } = this.#options;
    const { toolName, attempt } = effect;
    const { settings } = run.state.target;
    const live = run.state.live.find(({ number }) => number === attempt);
    if (!live || !isAwaited(run, attempt)) return;
    if (countedEffect(live.target.settings) === 'unsafe') return this.#fail(run, attempt, interruptedFault('unsafe', toolName));
    const admission = { type: 'admit', request: run.state.requests, toolName, retry: false, timeLimitMs: probeLimitMs(settings) } as const;
    if (gates.adopt(run, live.permit, admission) === 'refused') return this.#fail(run, attempt, interruptedFault('refused', toolName));
    const { timeoutMs, idleTimeoutMs = Infinity } = settings;
    timers.restart(run.state.spec.callKey, 'attempt', attempt, timeoutMs);
    timers.restart(run.state.spec.callKey, 'idle', attempt, idleTimeoutMs);
    this.#start(run, effect);
  }

  #fail(run: CallRun, attempt: number, fault: Fault): void {
    this.#options.inputs.add({ call: run.state.spec.callKey, input: { type: 'attempt_settled', attempt, outcome: { ok: false, fault } } });
  }

  abortAttempt(run: CallRun, effect: Effect<'abort_attempt'>): void {
    this.#options.local.abortAttempt(run, effect);
  }
}

/** Whether the call still waits for the attempt. */
function isAwaited({ state, crashed }: CallRun, attempt: number): boolean {
  return !crashed && state.phase !== 'settled' && state.live.some(({ number, orphaned }) => number === attempt && !orphaned);
}
