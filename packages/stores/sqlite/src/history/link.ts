/**
 * Owns the connection of a history over time, and what is wrong with it: opened anew after a failure and where the file was
 * deleted or replaced, moved aside where it is damaged.
 *
 * Invariants
 * 1. Only the first opening may throw, and only for a path that can never work.
 * 2. `onFault` is told once for each kind of fault, and once when it is over. Nothing it does reaches a call.
 * 3. Another process that holds the file for a moment is no fault: only where it costs records, or lasts.
 */
import type { HistoryStatus } from '@holdfast/core/history';
import type { Stats } from 'node:fs';
import { isConfigurationError } from '../configuration-error.ts';
import { isSameFile, moveAside, statOf } from '../corrupt-file.ts';
import { faultKind } from '../faults.ts';
import { memoryPath, openHistory } from './connection.ts';
import type { HistoryConnection } from './history-connection.ts';

/** So long another process may hold the file before anybody is told. */
const lockPatienceMs = 10_000;

export class HistoryLink {
  readonly #path: string;
  readonly #onFault: ((status: HistoryStatus) => void) | undefined;
  #connection: HistoryConnection | undefined;
  #file: Stats | undefined;
  #problem: { readonly kind: string; readonly text: string } | undefined;
  #dropped = 0;
  #locked: { readonly since: number; readonly text: string } | undefined;

  constructor(path: string, onFault: ((status: HistoryStatus) => void) | undefined) {
    this.#path = path;
    this.#onFault = onFault;
    for (let round = 0; round < 2 && !this.#connection; round += 1) {
      try {
        this.open();
      } catch (error) {
        if (isConfigurationError(error)) throw error;
        this.failed(error);
      }
    }
  }

  /** @throws what stands in the way. */
  open(): HistoryConnection {
    if (this.#connection && this.#isLost()) {
      this.#tell('unavailable', `History ${this.#path}: the file was deleted or replaced; what was in it is gone.`);
      this.close();
    }
    if (!this.#connection) {
      this.#connection = openHistory(this.#path);
      this.#file = statOf(this.#path);
    }
    return this.#connection;
  }

  #isLost(): boolean {
    return this.#path !== memoryPath && !isSameFile(statOf(this.#path), this.#file);
  }

  /** Takes note of what `open` or a use of the connection threw. Answers whether trying again may help. */
  failed(error: unknown): boolean {
    const kind = faultKind(error);
    try {
      this.#connection?.rollBack();
    } catch {
      // It is closed in a moment.
    }
    const text = `History ${this.#path}: ${error instanceof Error ? error.message : String(error)}.`;
    if (kind === 'locked') {
      this.#locked ??= { since: performance.now(), text };
      if (performance.now() - this.#locked.since > lockPatienceMs) this.#tell(kind, text);
      return true;
    }
    this.#tell(kind, text);
    if (kind === 'full') return false;
    const damaged = this.#path === memoryPath ? undefined : statOf(this.#path);
    this.close();
    if (kind !== 'corrupt' || damaged === undefined) return false;
    try {
      moveAside(this.#path, damaged, Date.now());
    } catch (reason) {
      this.#tell('unavailable', `History ${this.#path} is damaged and could not be moved aside: ${String(reason)}.`);
    }
    return true;
  }

  succeeded(): void {
    this.#locked = undefined;
    if (!this.#problem) return;
    this.#problem = undefined;
    this.#report();
  }

  dropped(count: number): void {
    this.#dropped += count;
    if (this.#locked) this.#tell('locked', this.#locked.text);
  }

  status(): HistoryStatus {
    const problem = this.#problem ? { problem: this.#problem.text } : {};
    return { ok: !this.#problem, dropped: this.#dropped, ...problem };
  }

  close(): void {
    const connection = this.#connection;
    this.#connection = undefined;
    try {
      connection?.close();
    } catch {
      // The file behind it is gone or damaged; there is nothing left to save through it.
    }
  }

  #tell(kind: string, text: string): void {
    const isNew = this.#problem?.kind !== kind;
    this.#problem = { kind, text };
    if (isNew) this.#report();
  }

  #report(): void {
    try {
      this.#onFault?.(this.status());
    } catch {
      // A listener that fails costs nothing but itself.
    }
  }
}
