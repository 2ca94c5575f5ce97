/**
 * Owns a turn whose calls come one by one, from a framework that does not say how many there will be: they share a deadline, a limit of calls at once, and
 * may wait for each other.
 *
 * Invariants
 * 1. A call that waits for nothing starts at once.
 * 2. A call waits for another until that has a result, the deadline, an abort, or until it is clear that nothing comes: nobody runs, and nobody has come
 *    for a while.
 */
import type { ToolResult } from '../../engine/call/result.ts';
import type { CancelSignal } from '../../engine/ports/signal.ts';
import type { System, TimerHandle } from '../../engine/ports/system.ts';
import { Membership } from './answer-grouping.ts';
import { whenAborted, isAborted } from './sleep.ts';
import type { ModelAnswer } from './run-state.ts';

/** Why waiting ended. */
export type WaitEnd = 'ready' | 'lost' | 'deadline' | 'cancelled';

/** For so long a missing call may still come. */
const LINGER_MS = 1_000;

export class GatheredTurn {
  readonly answer: ModelAnswer;
  readonly members: Membership;
  readonly #system: System;
  readonly #concurrency: number;
  readonly #results = new Map<string, ToolResult>();
  #running = 0;
  #arrivals = 0;
  #closed = false;
  readonly #waits = new Set<Wait>();
  #linger: TimerHandle | undefined;

  constructor(system: System, answer: ModelAnswer, concurrency: number) {
    this.#system = system;
    this.answer = answer;
    this.members = new Membership(system, answer.deadlineAt);
    this.#concurrency = concurrency;
  }

  /** A position for a call: 0, 1, 2 … */
  arrive(): number {
    this.#stopLinger();
    this.#arrivals += 1;
    return this.#arrivals - 1;
  }

  resultOf(callId: string): ToolResult | undefined {
    return this.#results.get(callId);
  }

  /** Milliseconds that are left; `undefined` for no limit. */
  timeLeft(): number | undefined {
    return this.answer.deadlineAt === undefined ? undefined : this.answer.deadlineAt - this.#system.now();
  }

  /** Waits until the calls named have results and a slot is free; `'ready'` has taken the slot. */
  enter(dependsOn: readonly string[], signal: CancelSignal | undefined): Promise<WaitEnd> | WaitEnd {
    if (isAborted(signal)) return 'cancelled';
    const left = this.timeLeft();
    if (left !== undefined && left <= 0) return 'deadline';
    if (this.#mayStart(dependsOn)) {
      this.#running += 1;
      return 'ready';
    }
    return new Promise((resolve) => {
      const wait: Wait = { dependsOn, end: ignore };
      const timer = left === undefined ? undefined : this.#system.setTimer(left, () => wait.end('deadline'));
      // A signal may call back while it is being listened to.
      let stop = ignore;
      wait.end = (how) => {
        if (!this.#waits.delete(wait)) return;
        if (timer) this.#system.clearTimer(timer);
        stop();
        if (how === 'ready') this.#running += 1;
        resolve(how);
      };
      this.#waits.add(wait);
      stop = whenAborted(signal, () => wait.end('cancelled'));
      this.#watch();
    });
  }

  /** A call has its result. @param ran it had a slot */
  leave(callId: string, result: ToolResult, ran: boolean): void {
    if (!this.#results.has(callId)) this.#results.set(callId, result);
    if (ran) this.#running -= 1;
    for (const wait of this.#waits) if (this.#mayStart(wait.dependsOn)) wait.end('ready');
    this.#watch();
  }

  /** Nobody will come any more. */
  close(): void {
    this.#closed = true;
    this.#watch();
  }

  #mayStart(dependsOn: readonly string[]): boolean {
    return this.#running < this.#concurrency && dependsOn.every((callId) => this.#results.has(callId));
  }

  /** Anyone who waits while nobody runs, waits for somebody who has not come. */
  #watch(): void {
    this.#stopLinger();
    if (this.#running > 0 || this.#waits.size === 0) return;
    const giveUp = (): void => {
      for (const wait of this.#waits) wait.end('lost');
    };
    if (this.#closed) giveUp();
    else this.#linger = this.#system.setTimer(LINGER_MS, giveUp);
  }

  #stopLinger(): void {
    if (this.#linger) this.#system.clearTimer(this.#linger);
    this.#linger = undefined;
  }
}

interface Wait {
  readonly dependsOn: readonly string[];
  end: (how: WaitEnd) => void;
}

function ignore(): void {
  // Set before anybody can call it.
}
