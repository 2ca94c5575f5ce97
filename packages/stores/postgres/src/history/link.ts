/**
 * Owns what is wrong with the database of a history, and when it is tried again.
 *
 * Invariant: two transactions that conflict are no fault.
 */
import type { HistoryStatus } from '@holdfast/core/history';
import { createStoreFaults, type StoreFaults, withoutFaultKind } from '@holdfast/core/internal/store';
import { databaseFaultKind, type DatabaseFaultKind, databaseProblem } from '../database/faults.ts';

/** One may work while the other fails: a full disk can be read. */
type Access = 'writing' | 'reading';

/** With these, neither writing nor reading gets an answer. */
const withoutAnswer: ReadonlySet<DatabaseFaultKind> = new Set(['unreachable', 'timeout', 'starting', 'credentials', 'missing_database']);
const firstPauseMs = 100;
const maxPauseMs = 2_000;

export class HistoryLink {
  readonly #place: string;
  readonly #faults: StoreFaults<DatabaseFaultKind>;
  /** What raised the fault. */
  #failedBy: Access | undefined;
  #pauseMs = firstPauseMs;
  #pausedUntil = 0;
  #canRead = true;

  constructor(place: string, onFault: ((status: HistoryStatus) => void) | undefined) {
    this.#place = place;
    this.#faults = createStoreFaults(onFault && ((fault) => onFault(withoutFaultKind(fault))));
  }

  /** How long the database is not asked again after a failure. */
  get pauseMs(): number {
    return Math.max(0, this.#pausedUntil - performance.now());
  }

  /** Whether a read may be tried now. While none is expected to work, one read after each pause tries it for all. */
  mayRead(): boolean {
    if (this.#canRead) return true;
    if (this.pauseMs > 0) return false;
    this.#pausedUntil = performance.now() + this.#pauseMs;
    return true;
  }

  recordFailure(error: unknown, by: Access): void {
    const kind = databaseFaultKind(error);
    if (by === 'reading' || withoutAnswer.has(kind)) this.#canRead = false;
    this.#pausedUntil = performance.now() + this.#pauseMs * (0.5 + Math.random() / 2);
    this.#pauseMs = Math.min(this.#pauseMs * 2, maxPauseMs);
    this.raise(kind, `History: ${databaseProblem(this.#place, error)}`, by);
  }

  recordSuccess(by: Access): void {
    this.#canRead = true;
    if (by === 'reading' && this.#failedBy === 'writing') return;
    this.#pauseMs = firstPauseMs;
    this.#pausedUntil = 0;
    this.#failedBy = undefined;
    this.#faults.clear();
  }

  countDropped(count: number): void {
    this.#faults.dropped += count;
  }

  raise(kind: DatabaseFaultKind, problem: string, by: Access): void {
    this.#failedBy = by;
    this.#faults.raise(kind, problem);
  }

  status(): HistoryStatus {
    return withoutFaultKind(this.#faults.status());
  }
}
