/**
 * Owns the loop between machines and a host: inputs are fed one at a time, effects are performed in order, what a call settles with reaches its turn.
 * Does not own what an effect does (`host.ts`).
 *
 * Invariants
 * 1. A machine is never stepped while a step's effects are being performed: answers given at once wait in the queue.
 * 2. A timer that has fired or was cleared is forgotten.
 */
import { stepCall } from '../call/machine.ts';
import type { CallEffect, CallInput } from '../call/protocol.ts';
import { stepTurn } from '../turn/machine.ts';
import type { TurnEffect, TurnInput } from '../turn/protocol.ts';
import type { TurnReport } from '../turn/report.ts';
import type { TurnState } from '../turn/state.ts';
import type { TimerHandle } from '../ports/system.ts';
import type { CallRun, Feed, Host, TimerPurpose } from './host.ts';

/** A call that is to start now. `problem`: why no tool can take its arguments. */
export type CallStart = Pick<Extract<TurnEffect, { readonly type: 'start_call' }>, 'node' | 'arguments' | 'problem'>;

/** A turn on its way through a driver. */
export interface TurnRun {
  readonly state: TurnState;
  /** Makes the run of a call that may start now; `settled` is to be called with its result. */
  readonly openCall: (start: CallStart, settled: CallRun['onSettled']) => CallRun;
  readonly onSettled: (report: TurnReport) => void;
}

type Item = { readonly run: CallRun; readonly input: CallInput } | { readonly run: undefined; readonly input: TurnInput };

const turnDeadline: TimerPurpose = { run: undefined, timer: 'deadline', attempt: 0, background: false };

export class Conductor {
  readonly #host: Host;
  readonly #turn: TurnRun | undefined;
  readonly #calls = new Map<string, CallRun>();
  #queue: Item[] = [];
  #busy = false;
  #deadline: TimerHandle | undefined;

  constructor(host: Host, turn?: TurnRun) {
    this.#host = host;
    this.#turn = turn;
  }

  /** Feeds an input to a call. */
  readonly feed: Feed = (run, input) => this.#take({ run, input });

  /** Feeds an input to the turn. */
  feedTurn(input: TurnInput): void {
    this.#take({ run: undefined, input });
  }

  #take(item: Item): void {
    if (this.#busy) {
      this.#queue.push(item);
      return;
    }
    this.#busy = true;
    try {
      this.#step(item);
      while (this.#queue.length > 0) {
        const batch = this.#queue;
        this.#queue = [];
        for (const next of batch) this.#step(next);
      }
    } finally {
      this.#busy = false;
    }
  }

  #step(item: Item): void {
    try {
      this.#perform(item);
    } catch (error) {
      if (item.run) this.#bury(item.run);
      this.#host.crashed(error, item.run);
    }
  }

  /** Nothing more happens to a call whose machine or host threw: no timer, no further attempt, no slot held. */
  #bury(run: CallRun): void {
    run.dead = true;
    for (const { handle } of run.timers) this.#host.clearTimer(handle);
    this.#host.gates.awake(run);
    run.timers = [];
    for (const { leg, permit } of run.state.live) this.#host.gates.release({ type: 'release', toolName: leg.toolName, permit });
  }

  #perform(item: Item): void {
    const now = this.#host.now();
    if (item.run) {
      const { run } = item;
      if (run.dead) return;
      for (const effect of stepCall(run.state, item.input, now)) this.#performCall(run, effect);
    } else if (this.#turn) {
      for (const effect of stepTurn(this.#turn.state, item.input, now)) this.#performTurn(this.#turn, effect);
    }
  }

  #performCall(run: CallRun, effect: CallEffect): void {
    const host = this.#host;
    switch (effect.type) {
      case 'append':
        return host.append(effect.event);
      case 'prepare':
        return host.prepare(run, effect, this.feed);
      case 'admit':
        return host.gates.admit(run, effect, this.feed);
      case 'cancel_wait':
        return host.gates.cancelWait(effect);
      case 'start_attempt':
        return host.startAttempt(run, effect, this.feed);
      case 'abort_attempt':
        return host.abortAttempt(run, effect);
      case 'record':
        return host.gates.record(run, effect, this.feed);
      case 'observe':
        return host.gates.observe(run, effect, this.feed);
      case 'orphan':
        return host.gates.orphan(effect);
      case 'release':
        return host.gates.release(effect);
      case 'return_permit':
        return host.gates.returnPermit(effect);
      case 'set_timer':
        return this.#setTimer(run, effect);
      case 'clear_timer':
        return this.#clearTimer(run, effect);
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
        return this.#host.append(effect.event);
      case 'start_call': {
        const { callId } = effect.node;
        const run = turn.openCall(effect, (result) => this.feedTurn({ type: 'call_settled', callId, result }));
        this.#calls.set(callId, run);
        return this.feed(run, { type: 'submitted' });
      }
      case 'expire_call':
        return this.#feedCall(effect.callId, { type: 'deadline_reached', onDeadline: effect.onDeadline, timeoutMs: effect.timeoutMs });
      case 'cancel_call':
        return this.#feedCall(effect.callId, { type: 'cancelled', fault: effect.fault });
      case 'set_deadline':
        this.#deadline = this.#host.setTimer(effect.delayMs, () => this.feedTurn({ type: 'deadline_reached' }), turnDeadline);
        return;
      case 'clear_deadline':
        if (this.#deadline) this.#host.clearTimer(this.#deadline);
        return;
      case 'settle':
        return turn.onSettled(effect.report);
    }
  }

  #feedCall(callId: string, input: CallInput): void {
    const run = this.#calls.get(callId);
    if (run) this.feed(run, input);
  }

  #setTimer(run: CallRun, { timer, attempt, delayMs, background = false }: Extract<CallEffect, { type: 'set_timer' }>): void {
    if (!Number.isFinite(delayMs)) return;
    const fire = (): void => {
      const index = run.timers.findIndex((set) => set.handle === handle);
      if (index < 0) return;
      run.timers.splice(index, 1);
      if (timer === 'backoff') this.#host.gates.awake(run);
      this.feed(run, { type: 'timer_fired', timer, attempt });
    };
    const handle = this.#host.setTimer(delayMs, fire, { run, timer, attempt, background });
    run.timers.push({ timer, attempt, handle });
    if (timer === 'backoff') this.#host.gates.fallAsleep(run, () => this.#fireEarly(handle, fire));
  }

  #fireEarly(handle: TimerHandle, fire: () => void): void {
    this.#host.clearTimer(handle);
    fire();
  }

  #clearTimer(run: CallRun, { timer, attempt }: Extract<CallEffect, { type: 'clear_timer' }>): void {
    const index = run.timers.findIndex((set) => set.timer === timer && set.attempt === attempt);
    const [set] = index < 0 ? [] : run.timers.splice(index, 1);
    if (!set) return;
    this.#host.clearTimer(set.handle);
    if (timer === 'backoff') this.#host.gates.awake(run);
  }
}
