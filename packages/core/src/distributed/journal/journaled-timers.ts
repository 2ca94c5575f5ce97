/** Owns the timers of a journaled turn's calls: kept by name while the record is taken, running on the system's clock once the turn is live. */
import type { CallTimer } from '../../engine/call/protocol.ts';
import type { TimerPurpose } from '../../runtime/drivers/host.ts';
import type { System, TimerHandle } from '../../engine/ports/system.ts';

interface KeptTimer extends TimerHandle {
  readonly fire: () => void;
  readonly purpose: TimerPurpose;
  /** Since the turn began. */
  readonly dueAt: number;
  running: TimerHandle | undefined;
}

export class JournaledTimers {
  readonly #system: System;
  readonly #onRing: (callKey: string, timer: CallTimer, attempt: number) => void;
  readonly #kept = new Map<string, KeptTimer>();

  constructor(system: System, onRing: (callKey: string, timer: CallTimer, attempt: number) => void) {
    this.#system = system;
    this.#onRing = onRing;
  }

  /** `now`: since the turn began; `live`: it runs at once. */
  set(delayMs: number, fire: () => void, purpose: TimerPurpose, now: number, live: boolean): TimerHandle {
    const timer: KeptTimer = { dueAt: now + delayMs, fire, purpose, running: undefined };
    this.#kept.set(nameOfPurpose(purpose), timer);
    if (live) this.#run(timer, delayMs);
    return timer;
  }

  clear(handle: TimerHandle): void {
    const timer = handle as KeptTimer;
    if (timer.purpose === undefined) return;
    const name = nameOfPurpose(timer.purpose);
    if (this.#kept.get(name) === timer) this.#kept.delete(name);
    if (timer.running) this.#system.clearTimer(timer.running);
  }

  clearAll(): void {
    for (const timer of this.#kept.values()) this.clear(timer);
  }

  /** Those that the record left set continue here. */
  goLive(now: number): void {
    for (const timer of this.#kept.values()) if (!timer.running) this.#run(timer, Math.max(timer.dueAt - now, 0));
  }

  /** The attempt begins anew, and so does its time. */
  restart(callKey: string, timer: CallTimer, attempt: number, delayMs: number): void {
    const kept = this.#kept.get(nameOf(callKey, timer, attempt));
    if (!kept) return;
    if (kept.running) this.#system.clearTimer(kept.running);
    this.#run(kept, delayMs);
  }

  isSet(callKey: string, timer: CallTimer, attempt: number): boolean {
    return this.#kept.has(nameOf(callKey, timer, attempt));
  }

  /** What a timer that rang, here or in the record, is for. */
  ring(callKey: string, timer: CallTimer, attempt: number): void {
    const name = nameOf(callKey, timer, attempt);
    const kept = this.#kept.get(name);
    if (!kept) return;
    this.#kept.delete(name);
    if (kept.running) this.#system.clearTimer(kept.running);
    kept.fire();
  }

  #run(timer: KeptTimer, delayMs: number): void {
    const { run, timer: kind, attempt, background } = timer.purpose;
    if (!run || kind === 'deadline') return;
    timer.running = this.#system.setTimer(delayMs, () => this.#onRing(run.state.spec.callKey, kind, attempt), background);
  }
}

function nameOf(callKey: string, timer: TimerPurpose['timer'], attempt: number): string {
  return `${timer} ${attempt} ${callKey}`;
}

function nameOfPurpose({ run, timer, attempt }: TimerPurpose): string {
  return nameOf(run?.state.spec.callKey ?? '', timer, attempt);
}
