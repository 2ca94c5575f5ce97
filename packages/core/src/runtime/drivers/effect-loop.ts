/**
 * Owns the loop between machines and a host: inputs are fed one at a time, effects are performed in order, and a call's result is fed to its turn.
 * Does not own what an effect does (`host.ts`).
 *
 * Invariants
 * 1. A machine is never stepped while a step's effects are being performed: synchronous answers wait in the queue.
 * 2. A timer that has fired or was cleared is removed.
 * 3. A synchronous answer has the same time as its request; for everything else the clock is read.
 * 4. A deadline that has passed is handled before everything else: after a computer's sleep, everything is due at once.
 */
import { stepCall } from '../../engine/call/machine.ts';
import type { CallEffect, CallInput, CallTimer } from '../../engine/call/protocol.ts';
import { stepTurn } from '../../engine/turn/machine.ts';
import type { TurnEffect, TurnInput } from '../../engine/turn/protocol.ts';
import type { TurnReport } from '../../engine/turn/report.ts';
import type { Trace } from '../../engine/trace/turn-trace.ts';
import type { TurnState } from '../../engine/turn/state.ts';
import type { TimerHandle } from '../../engine/ports/system.ts';
import type { CallRun, Effect, Feed, Host, SetTimer, TimerPurpose } from './host.ts';

/** A call that starts now. `problem`: why no tool can run with its arguments. */
export type CallStart = Pick<Extract<TurnEffect, { readonly type: 'start_call' }>, 'node' | 'arguments' | 'problem'>;

/** A turn that a driver runs. */
export interface TurnRun {
  readonly state: TurnState;
  readonly trace: Trace;
  /** Creates the run of a call that may start now; `settled` receives its result. */
  readonly openCall: (start: CallStart, settled: CallRun['onSettled']) => CallRun;
  readonly onSettled: (report: TurnReport) => void;
}

export const turnDeadline: TimerPurpose = { run: undefined, timer: 'deadline', attempt: 0, background: false };

export class EffectLoop {
  readonly #host: Host;
  readonly #turn: TurnRun | undefined;
  readonly #calls = new Map<string, CallRun>();
  /** Queued inputs, each preceded by its call, or by `undefined` when it is for the turn. */
  #queue: (CallRun | CallInput | TurnInput | undefined)[] = [];
  #busy = false;
  /** The attempt that the step starts: its last effect. */
  #starting: Effect<'start_attempt'> | undefined;
  #deadline: TimerHandle | undefined;
  /** On the host's clock; `Infinity` without a future deadline. */
  #deadlineAt = Number.POSITIVE_INFINITY;

  constructor(host: Host, turn?: TurnRun) {
    this.#host = host;
    this.#turn = turn;
  }

  /** Whether a step is being performed: inputs that arrive now are queued. */
  get busy(): boolean {
    return this.#busy;
  }

  /** Feeds an input to a call. */
  readonly feed: Feed = (run, input) => this.#take(run, input, true);

  /** Feeds an input to the turn. */
  feedTurn(input: TurnInput): void {
    this.#take(undefined, input, true);
  }

  /** Feeds an input to a call at the time that the host has just read. */
  begin(run: CallRun, input: CallInput): void {
    this.#take(run, input, false);
  }

  #take(run: CallRun | undefined, input: CallInput | TurnInput, readClock: boolean): void {
    if (this.#busy) {
      this.#queue.push(run, input);
      return;
    }
    this.#busy = true;
    try {
      this.#step(run, input, readClock);
      if (this.#starting) this.#startAttempt(this.#starting, run as CallRun);
      const queue = this.#queue;
      for (let index = 0; index < queue.length; index += 2) {
        const next = queue[index + 1] as CallInput | TurnInput;
        const nextRun = queue[index] as CallRun | undefined;
        this.#step(nextRun, next, !isAnswer(next));
        if (this.#starting) this.#startAttempt(this.#starting, nextRun as CallRun);
      }
    } finally {
      if (this.#queue.length > 0) this.#queue = [];
      this.#busy = false;
    }
  }

  #step(run: CallRun | undefined, input: CallInput | TurnInput, readClock: boolean): void {
    try {
      if (readClock && this.#host.now() > this.#deadlineAt && this.#turn) this.#reachDeadlineFirst(this.#turn, run, input);
      else if (run) this.#stepCall(run, input as CallInput);
      else if (this.#turn) this.#stepTurn(this.#turn, input as TurnInput);
    } catch (error) {
      if (run) this.#discard(run);
      this.#host.crashed(error, run);
    }
  }

  /** The deadline comes first; the input waits. A cancellation after it is dropped. */
  #reachDeadlineFirst(turn: TurnRun, run: CallRun | undefined, input: CallInput | TurnInput): void {
    this.#deadlineAt = Number.POSITIVE_INFINITY;
    this.#stepTurn(turn, { type: 'deadline_reached' });
    if (run || input.type !== 'cancelled') this.#queue.push(run, input);
  }

  /** Started here, where the stack is short: an error that the tool creates captures every frame above it, which costs more than the rest of a failure. */
  #startAttempt(effect: Effect<'start_attempt'>, run: CallRun): void {
    this.#starting = undefined;
    try {
      this.#host.startAttempt(run, effect, this.feed);
    } catch (error) {
      this.#discard(run);
      this.#host.crashed(error, run);
    }
  }

  /** Ends a call whose machine or host threw: it keeps no timer, slot or place in a queue, and makes no further attempt. */
  #discard(run: CallRun): void {
    run.crashed = true;
    const { ticket, target } = run.state;
    if (ticket !== undefined) this.#host.gates.cancelWait({ type: 'cancel_wait', toolName: target.toolName, ticket });
    for (let set = run.timers; set; set = set.next) if (set.handle) this.#host.clearTimer(set.handle);
    this.#host.gates.delayEnded(run);
    run.timers = undefined;
    for (const { target, permit } of run.state.live) this.#host.gates.release({ type: 'release', toolName: target.toolName, permit });
  }

  #stepCall(run: CallRun, input: CallInput): void {
    if (run.crashed) return;
    const effects = stepCall(run.state, input, this.#host.moment);
    for (let index = 0; index < effects.length; index++) this.#performCall(run, effects[index] as CallEffect);
  }

  #stepTurn(turn: TurnRun, input: TurnInput): void {
    for (const effect of stepTurn(turn.state, input, this.#host.moment)) this.#performTurn(turn, effect);
  }

  #performCall(run: CallRun, effect: CallEffect): void {
    const host = this.#host;
    switch (effect.type) {
      case 'append':
        return host.append(run.trace, effect.event);
      case 'prepare':
        return host.prepare(run, effect, this.feed);
      case 'admit':
        return host.gates.admit(run, effect, this.feed);
      case 'cancel_wait':
        return host.gates.cancelWait(effect);
      case 'start_attempt':
        this.#starting = effect;
        return;
      case 'abort_attempt':
        return host.abortAttempt(run, effect);
      case 'record':
        return host.gates.record(run, effect, this.feed);
      case 'observe':
        return host.gates.observe(run, effect, this.feed);
      case 'hold':
        return host.gates.hold(effect);
      case 'orphan':
        return host.gates.orphan(effect);
      case 'release':
        return host.gates.release(effect);
      case 'return_permit':
        return host.gates.returnPermit(effect);
      case 'set_timer':
        return this.#setTimers(run, effect);
      case 'clear_timer':
        return this.#clearTimers(run, effect);
      case 'consult':
        return host.consult(run, effect.notice, this.feed);
      case 'settle':
        run.settled = true;
        return run.onSettled(effect.result);
    }
  }

  #performTurn(turn: TurnRun, effect: TurnEffect): void {
    switch (effect.type) {
      case 'append':
        return this.#host.append(turn.trace, effect.event);
      case 'start_call': {
        const { callId } = effect.node;
        const run = turn.openCall(effect, (result) => {
          this.#calls.delete(callId);
          this.feedTurn({ type: 'call_settled', callId, result });
        });
        this.#calls.set(callId, run);
        return this.feed(run, { type: 'submitted' });
      }
      case 'expire_call':
        return this.#feedCall(effect.callId, { type: 'deadline_reached', onDeadline: effect.onDeadline, timeoutMs: effect.timeoutMs });
      case 'cancel_call':
        return this.#feedCall(effect.callId, { type: 'cancelled', fault: effect.fault });
      case 'set_deadline':
        this.#deadline = this.#host.setTimer(effect.delayMs, () => this.#reachDeadline(), turnDeadline);
        this.#deadlineAt = this.#deadline.dueAt;
        return;
      case 'clear_deadline':
        this.#deadlineAt = Number.POSITIVE_INFINITY;
        if (this.#deadline) this.#host.clearTimer(this.#deadline);
        return;
      case 'settle':
        return turn.onSettled(effect.report);
    }
  }

  #reachDeadline(): void {
    this.#deadlineAt = Number.POSITIVE_INFINITY;
    this.feedTurn({ type: 'deadline_reached' });
  }

  #feedCall(callId: string, input: CallInput): void {
    const run = this.#calls.get(callId);
    if (run) this.feed(run, input);
  }

  #setTimers(run: CallRun, { timer, attempt, delayMs, background = false, hedgeAfterMs }: Effect<'set_timer'>): void {
    this.#setTimer(run, timer, attempt, delayMs, background);
    if (hedgeAfterMs !== undefined) this.#setTimer(run, 'hedge', attempt, hedgeAfterMs, false);
  }

  #setTimer(run: CallRun, timer: CallTimer, attempt: number, delayMs: number, background: boolean): void {
    if (!Number.isFinite(delayMs)) return;
    const set: SetTimer = { run, timer, attempt, background, handle: undefined, next: run.timers };
    run.timers = set;
    set.handle = this.#host.setTimer(delayMs, () => this.#fire(set), set);
    if (timer === 'backoff' && delayMs > 0) this.#host.gates.delayStarted(run, () => this.#fireEarly(set));
  }

  #fire(set: SetTimer): void {
    const { run, timer, attempt } = set;
    if (!forget(set)) return;
    if (timer === 'backoff') this.#host.gates.delayEnded(run);
    this.feed(run, { type: 'timer_fired', timer, attempt });
  }

  #fireEarly(set: SetTimer): void {
    if (set.handle) this.#host.clearTimer(set.handle);
    this.#fire(set);
  }

  #clearTimers(run: CallRun, { timer, attempt }: Effect<'clear_timer'>): void {
    for (let set = run.timers; set; set = set.next) {
      if (set.attempt !== attempt || (timer !== 'attempt' && timer !== set.timer)) continue;
      forget(set);
      if (set.handle) this.#host.clearTimer(set.handle);
      if (timer === 'backoff') this.#host.gates.delayEnded(run);
    }
  }
}

/** Hosts answer these requests synchronously, at the time of the request. */
function isAnswer({ type }: CallInput | TurnInput): boolean {
  return type === 'prepared' || type === 'admission' || type === 'assessed' || type === 'decided';
}

/** Removes the timer and returns whether it was still set. */
function forget(set: SetTimer): boolean {
  const { run, next } = set;
  if (run.timers === set) {
    run.timers = next;
    return true;
  }
  let before = run.timers;
  while (before && before.next !== set) before = before.next;
  if (before) before.next = next;
  return before !== undefined;
}
