/**
 * Owns timers without a delay: they fire in a microtask, where the platform's shortest timer takes a millisecond.
 *
 * Invariants
 * 1. Never synchronously.
 * 2. After a number of them in a row, or a millisecond, they wait for the event loop: a chain of them cannot delay timers, sockets and cancellations.
 */
import type { Entry } from './timer-list.ts';

const MAX_IN_A_ROW = 100;
/** For work that takes longer, even a few are too many. */
const MAX_ROW_MS = 1;

/** Cleared like any other timer (`timer-list.ts`), but it is in no heap. */
class NoDelayTimer implements Entry {
  readonly dueAt: number;
  readonly index = -1;
  cleared = false;

  constructor(dueAt: number) {
    this.dueAt = dueAt;
  }
}

export class NoDelayTimers {
  readonly #now: () => number;
  readonly #afterTurn: (task: () => void) => void;
  /** Number of timers since the last turn of the event loop. */
  #inARow = 0;
  #rowBeganAt = 0;

  /** `afterTurn` runs a task in the next iteration of the event loop. */
  constructor(now: () => number, afterTurn: (task: () => void) => void) {
    this.#now = now;
    this.#afterTurn = afterTurn;
  }

  set(fire: () => void): NoDelayTimer {
    const timer = new NoDelayTimer(this.#now());
    const fireUnlessCleared = (): void => {
      if (!timer.cleared) fire();
    };
    if (this.#inARow === 0) this.#beginRow(timer.dueAt);
    this.#inARow += 1;
    if (this.#inARow <= MAX_IN_A_ROW && timer.dueAt - this.#rowBeganAt <= MAX_ROW_MS) void Promise.resolve().then(fireUnlessCleared);
    else this.#afterTurn(fireUnlessCleared);
    return timer;
  }

  #beginRow(now: number): void {
    this.#rowBeganAt = now;
    this.#afterTurn(() => {
      this.#inARow = 0;
    });
  }
}
