/**
 * Owns what is wrong with the database, as far as the history knows: since when, in which words, and when it is tried again.
 *
 * Invariants
 * 1. `onFault` is told once for each kind of fault, and once when it is over. Nothing it does reaches a call.
 * 2. A transaction that was in another's way is no fault.
 */
import type { HistoryStatus } from '@holdfast/core/history';
import { databaseFaultKind, databaseProblem } from '../database/faults.ts';

/** Who works when the others do not: a full disk can be read. */
type Who = 'writing' | 'reading';

const firstPauseMs = 100;
const longestPauseMs = 5_000;

export class HistoryLink {
  readonly #place: string;
  readonly #onFault: ((status: HistoryStatus) => void) | undefined;
  #problem: { readonly kind: string; readonly text: string; readonly by: Who } | undefined;
  #dropped = 0;
  #pauseMs = firstPauseMs;
  #triedAgainAt = 0;

  constructor(place: string, onFault: ((status: HistoryStatus) => void) | undefined) {
    this.#place = place;
    this.#onFault = onFault;
  }

  /** It has just failed, and is not asked before the pause is over. */
  get isDown(): boolean {
    return performance.now() < this.#triedAgainAt;
  }

  /** Whether it may be asked now: after a failure by one at a time, and not before the pause is over. */
  mayTry(): boolean {
    if (this.isDown) return false;
    if (this.#problem) this.#triedAgainAt = performance.now() + this.#pauseMs;
    return true;
  }

  get pauseMs(): number {
    return Math.max(0, this.#triedAgainAt - performance.now());
  }

  failed(error: unknown, by: Who): void {
    this.#triedAgainAt = performance.now() + this.#pauseMs * (0.5 + Math.random() / 2);
    this.#pauseMs = Math.min(this.#pauseMs * 2, longestPauseMs);
    this.tell(databaseFaultKind(error), `History: ${databaseProblem(this.#place, error)}`, by);
  }

  succeeded(by: Who): void {
    if (by === 'reading' && this.#problem?.by === 'writing') return;
    this.#pauseMs = firstPauseMs;
    this.#triedAgainAt = 0;
    if (!this.#problem) return;
    this.#problem = undefined;
    this.#report();
  }

  dropped(count: number): void {
    this.#dropped += count;
  }

  tell(kind: string, text: string, by: Who): void {
    const isNew = this.#problem?.kind !== kind;
    this.#problem = { kind, text, by };
    if (isNew) this.#report();
  }

  status(): HistoryStatus {
    const problem = this.#problem ? { problem: this.#problem.text } : {};
    return { ok: !this.#problem, dropped: this.#dropped, ...problem };
  }

  #report(): void {
    try {
      this.#onFault?.(this.status());
    } catch {
      // A listener that fails costs nothing but itself.
    }
  }
}
