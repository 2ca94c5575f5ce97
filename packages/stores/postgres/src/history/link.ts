/**
 * Owns what is wrong with the database, as far as the history knows: since when, in which words, and when it is tried again.
 *
 * Invariants
 * 1. `onFault` is told once for each kind of fault, and once when it is over. Nothing it does reaches a call.
 * 2. A transaction that was in another's way is no fault.
 */
import type { HistoryStatus } from '@holdfast/core/history';
import { databaseFaultKind, type DatabaseFaultKind, databaseProblem } from '../database/faults.ts';

/** Who works when the others do not: a full disk can be read. */
type Who = 'writing' | 'reading';

/** Nobody gets an answer then, whatever he asks. */
const withoutAnswer: ReadonlySet<DatabaseFaultKind> = new Set(['unreachable', 'timeout', 'starting', 'credentials', 'missing_database']);
const firstPauseMs = 100;
const longestPauseMs = 2_000;

export class HistoryLink {
  readonly #place: string;
  readonly #onFault: ((status: HistoryStatus) => void) | undefined;
  #problem: { readonly kind: string; readonly text: string; readonly by: Who } | undefined;
  #dropped = 0;
  #pauseMs = firstPauseMs;
  #pausedUntil = 0;
  #canRead = true;

  constructor(place: string, onFault: ((status: HistoryStatus) => void) | undefined) {
    this.#place = place;
    this.#onFault = onFault;
  }

  /** How long it is not asked again after a failure. */
  get pauseMs(): number {
    return Math.max(0, this.#pausedUntil - performance.now());
  }

  /** Whether a read may be tried now: where none can be hoped for, one after each pause finds out for all. */
  mayRead(): boolean {
    if (this.#canRead) return true;
    if (this.pauseMs > 0) return false;
    this.#pausedUntil = performance.now() + this.#pauseMs;
    return true;
  }

  failed(error: unknown, by: Who): void {
    const kind = databaseFaultKind(error);
    if (by === 'reading' || withoutAnswer.has(kind)) this.#canRead = false;
    this.#pausedUntil = performance.now() + this.#pauseMs * (0.5 + Math.random() / 2);
    this.#pauseMs = Math.min(this.#pauseMs * 2, longestPauseMs);
    this.tell(kind, `History: ${databaseProblem(this.#place, error)}`, by);
  }

  succeeded(by: Who): void {
    this.#canRead = true;
    if (by === 'reading' && this.#problem?.by === 'writing') return;
    this.#pauseMs = firstPauseMs;
    this.#pausedUntil = 0;
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
