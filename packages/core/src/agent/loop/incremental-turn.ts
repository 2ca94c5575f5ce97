/**
 * Owns a turn whose calls come one by one, from a framework that does not announce their number: they share a deadline and a concurrency limit, and may depend
 * on each other.
 *
 * Invariants
 * 1. A call without dependencies starts at once when a slot is free.
 * 2. A call waits for another until that has a result, until the deadline or an abort, or until no call is running and none has come for a while.
 */
import type { ToolResult } from '../../engine/call/result.ts';
import type { CancelSignal } from '../../engine/ports/signal.ts';
import type { System, TimerHandle } from '../../engine/ports/system.ts';
import { AnswerGrouping } from './answer-grouping.ts';
import { whenAborted, isAborted } from './sleep.ts';
import type { ModelAnswer } from './run-state.ts';

/** Why waiting ended. */
export type WaitEnd = 'ready' | 'lost' | 'deadline' | 'cancelled';

/** How long a missing call may still come. */
const LINGER_MS = 1_000;

export class IncrementalTurn {
  readonly answer: ModelAnswer;
  readonly grouping: AnswerGrouping;
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
    this.grouping = new AnswerGrouping(system, answer.deadlineAt);
    this.#concurrency = concurrency;
  }

  /** Returns the position of a new call: 0, 1, 2 … */
  nextPosition(): number {
    this.#stopLinger();
    this.#arrivals += 1;
    return this.#arrivals - 1;
  }

  resultOf(callId: string): ToolResult | undefined {
    return this.#results.get(callId);
  }

  /** Remaining milliseconds; `undefined` for no limit. */
  timeLeft(): number | undefined {
    return this.answer.deadlineAt === undefined ? undefined : this.answer.deadlineAt - this.#system.now();
  }

  /** Waits until the dependencies have results and a slot is free; `'ready'` has taken the slot. */
  enter(dependsOn: readonly string[], signal: CancelSignal | undefined): Promise<WaitEnd> | WaitEnd {
    if (isAborted(signal)) return 'cancelled';
    const remainingMs = this.timeLeft();
    if (remainingMs !== undefined && remainingMs <= 0) return 'deadline';
    if (this.#mayStart(dependsOn)) {
      this.#running += 1;
      return 'ready';
    }
    return new Promise((resolve) => {
      const wait: Wait = { dependsOn, end: ignore };
      const timer = remainingMs === undefined ? undefined : this.#system.setTimer(remainingMs, () => wait.end('deadline'));
      // A signal may call back while the listener is being added.
      let stop = ignore;
      wait.end = (end) => {
        if (!this.#waits.delete(wait)) return;
        if (timer) this.#system.clearTimer(timer);
        stop();
        if (end === 'ready') this.#running += 1;
        resolve(end);
      };
      this.#waits.add(wait);
      stop = whenAborted(signal, () => wait.end('cancelled'));
      this.#watch();
    });
  }

  /** Stores the result of a call. @param ran whether it had taken a slot */
  leave(callId: string, result: ToolResult, ran: boolean): void {
    if (!this.#results.has(callId)) this.#results.set(callId, result);
    if (ran) this.#running -= 1;
    for (const wait of this.#waits) if (this.#mayStart(wait.dependsOn)) wait.end('ready');
    this.#watch();
  }

  /** Declares that no more calls follow. */
  close(): void {
    this.#closed = true;
    this.#watch();
  }

  #mayStart(dependsOn: readonly string[]): boolean {
    return this.#running < this.#concurrency && dependsOn.every((callId) => this.#results.has(callId));
  }

  /** A call that waits while none is running waits for a call that has not come. */
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
  end: (end: WaitEnd) => void;
}

function ignore(): void {
  // Replaced before it can be called.
}
