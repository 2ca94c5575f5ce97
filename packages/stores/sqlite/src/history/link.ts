/**
 * Owns the connection of a history and its faults: reopened after a failure and when the file was deleted or replaced; a damaged
 * file is moved aside.
 *
 * Invariants
 * 1. Only the first opening may throw, and only for a path that cannot be used.
 * 2. Another process that holds the file for a moment is no fault: only a lock that lasts, or that loses records.
 */
import type { HistoryStatus } from '@holdfast/core/history';
import { createStoreFaults, type StoreFaults, withoutFaultKind } from '@holdfast/core/internal/store';
import type { Stats } from 'node:fs';
import { isConfigurationError } from '../configuration-error.ts';
import { isSameFile, moveAside, statOf } from '../corrupt-file.ts';
import { faultKind } from '../faults.ts';
import type { SqliteFaultKind } from '../settings.ts';
import { memoryPath, openHistory } from './connection.ts';
import type { HistoryConnection } from './history-connection.ts';

/** A lock of another process that lasts longer is a fault. */
const maxLockedMs = 10_000;

export class HistoryLink {
  readonly #path: string;
  readonly #faults: StoreFaults<SqliteFaultKind>;
  #connection: HistoryConnection | undefined;
  #file: Stats | undefined;
  #locked: { readonly since: number; readonly text: string } | undefined;

  constructor(path: string, onFault: ((status: HistoryStatus) => void) | undefined) {
    this.#path = path;
    this.#faults = createStoreFaults(onFault && ((fault) => onFault(withoutFaultKind(fault))));
    for (let round = 0; round < 2 && !this.#connection; round += 1) {
      try {
        this.open();
      } catch (error) {
        if (isConfigurationError(error)) throw error;
        this.recordFailure(error);
      }
    }
  }

  /** @throws the error that prevents it. */
  open(): HistoryConnection {
    if (this.#connection && this.#isLost()) {
      this.#faults.raise('unavailable', `History ${this.#path}: the file was deleted or replaced; its contents are lost.`);
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

  /** Handles an error of `open` or of the connection. Returns whether a retry may help. */
  recordFailure(error: unknown): boolean {
    const kind = faultKind(error);
    try {
      this.#connection?.rollBack();
    } catch {
      // It is closed below.
    }
    const text = `History ${this.#path}: ${error instanceof Error ? error.message : String(error)}.`;
    if (kind === 'locked') {
      this.#locked ??= { since: performance.now(), text };
      if (performance.now() - this.#locked.since > maxLockedMs) this.#faults.raise(kind, text);
      return true;
    }
    this.#faults.raise(kind, text);
    if (kind === 'full') return false;
    const damaged = this.#path === memoryPath ? undefined : statOf(this.#path);
    this.close();
    if (kind !== 'corrupt' || damaged === undefined) return false;
    try {
      moveAside(this.#path, damaged, Date.now());
    } catch (reason) {
      this.#faults.raise('unavailable', `History ${this.#path} is damaged and could not be moved aside: ${String(reason)}.`);
    }
    return true;
  }

  recordSuccess(): void {
    this.#locked = undefined;
    this.#faults.clear();
  }

  countDropped(count: number): void {
    this.#faults.dropped += count;
    if (this.#locked) this.#faults.raise('locked', this.#locked.text);
  }

  status(): HistoryStatus {
    return withoutFaultKind(this.#faults.status());
  }

  close(): void {
    const connection = this.#connection;
    this.#connection = undefined;
    try {
      connection?.close();
    } catch {
      // The file is gone or damaged: nothing can be saved through this connection.
    }
  }
}
