/**
 * Owns timers without a delay: they fire in a microtask, where the platform's shortest timer takes a millisecond.
 *
 * Invariants
 * 1. Never synchronously.
 * 2. After so many in a row the event loop gets its turn: a chain of them cannot hold up timers, sockets and cancels.
 */
import type { TimerHandle } from '../ports/system.ts';

const MOST_IN_A_ROW = 100;

export class NoDelayTimer implements TimerHandle {
  readonly dueAt: number;
  cleared = false;

  constructor(dueAt: number) {
    this.dueAt = dueAt;
  }
}

export class NoDelayTimers {
  readonly #now: () => number;
  #inARow = 0;

  constructor(now: () => number) {
    this.#now = now;
  }

  /** Answers `undefined` when it is the event loop's turn. */
  set(fire: () => void): NoDelayTimer | undefined {
    if (this.#inARow >= MOST_IN_A_ROW) return undefined;
    this.#inARow += 1;
    const timer = new NoDelayTimer(this.#now());
    void Promise.resolve().then(() => {
      if (!timer.cleared) fire();
    });
    return timer;
  }

  /** The event loop has had its turn. */
  loopTurned(): void {
    this.#inARow = 0;
  }
}
