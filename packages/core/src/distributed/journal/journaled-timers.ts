/** Owns the timers of a journaled turn's calls: registered by name during replay, running on the system's clock once the turn is live. */
import type { CallTimer } from '../../engine/call/protocol.ts';
import type { TimerPurpose } from '../../runtime/drivers/host.ts';
import type { System, TimerHandle } from '../../engine/ports/system.ts';

interface JournaledTimer extends TimerHandle {
  readonly fire: () => void;
  readonly purpose: TimerPurpose;
  /** Milliseconds since the turn started. */
  readonly dueAt: number;
  running: TimerHandle | undefined;
}

export class JournaledTimers {
  readonly #system: System;
  readonly #onFire: (callKey: string, timer: CallTimer, attempt: number) => void;
  readonly #timers = new Map<string, JournaledTimer>();

  constructor(system: System, onFire: (callKey: string, timer: CallTimer, attempt: number) => void) {
    this.#system = system;
    this.#onFire = onFire;
  }

  /** Registers a timer; with `live` it runs at once. `now`: milliseconds since the turn started. */
  set(delayMs: number, fire: () => void, purpose: TimerPurpose, now: number, live: boolean): TimerHandle {
    const timer: JournaledTimer = { dueAt: now + delayMs, fire, purpose, running: undefined };
    this.#timers.set(nameOfPurpose(purpose), timer);
    if (live) this.#run(timer, delayMs);
    return timer;
  }

  clear(handle: TimerHandle): void {
    const timer = handle as JournaledTimer;
    if (timer.purpose === undefined) return;
    const name = nameOfPurpose(timer.purpose);
    if (this.#timers.get(name) === timer) this.#timers.delete(name);
    if (timer.running) this.#system.clearTimer(timer.running);
  }

  clearAll(): void {
    for (const timer of this.#timers.values()) this.clear(timer);
  }

  /** Runs the timers that are still set at the end of the record. */
  goLive(now: number): void {
    for (const timer of this.#timers.values()) if (!timer.running) this.#run(timer, Math.max(timer.dueAt - now, 0));
  }

  /** Restarts the timer of an attempt that is started again. */
  restart(callKey: string, timer: CallTimer, attempt: number, delayMs: number): void {
    const registered = this.#timers.get(nameOf(callKey, timer, attempt));
    if (!registered) return;
    if (registered.running) this.#system.clearTimer(registered.running);
    this.#run(registered, delayMs);
  }

  isSet(callKey: string, timer: CallTimer, attempt: number): boolean {
    return this.#timers.has(nameOf(callKey, timer, attempt));
  }

  /** Runs the callback of a timer that fired, here or in the record. */
  fire(callKey: string, timer: CallTimer, attempt: number): void {
    const name = nameOf(callKey, timer, attempt);
    const registered = this.#timers.get(name);
    if (!registered) return;
    this.#timers.delete(name);
    if (registered.running) this.#system.clearTimer(registered.running);
    registered.fire();
  }

  #run(timer: JournaledTimer, delayMs: number): void {
    const { run, timer: kind, attempt, background } = timer.purpose;
    if (!run || kind === 'deadline') return;
    timer.running = this.#system.setTimer(delayMs, () => this.#onFire(run.state.spec.callKey, kind, attempt), background);
  }
}

function nameOf(callKey: string, timer: TimerPurpose['timer'], attempt: number): string {
  return `${timer} ${attempt} ${callKey}`;
}

function nameOfPurpose({ run, timer, attempt }: TimerPurpose): string {
  return nameOf(run?.state.spec.callKey ?? '', timer, attempt);
}
