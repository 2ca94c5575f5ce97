/**
 * Owns reading from the file: waiting for another process's lock, and the result when a read fails. Does not own the queries (`queries.ts`).
 */
import { setTimeout as sleep } from 'node:timers/promises';
import type { TraceEvent } from '@holdfast/core';
import type { EventQuery } from '@holdfast/core/store';
import type { StoreFaults } from '@holdfast/core/internal/store';
import type { Connection } from './connection.ts';
import { faultKind, problemOf } from './faults.ts';
import type { Link } from './link.ts';
import type { SqliteFaultKind } from './settings.ts';
import { eventRange, nextStep, readStep } from './queries.ts';

/** How long a read waits for another process's lock, and between two tries. */
const maxLockedMs = 2_000;
const lockPauseMs = 20;

export class Reader {
  readonly #path: string;
  readonly #link: Link;
  readonly #faults: StoreFaults<SqliteFaultKind>;
  #closed = false;

  constructor(path: string, link: Link, faults: StoreFaults<SqliteFaultKind>) {
    this.#path = path;
    this.#link = link;
    this.#faults = faults;
  }

  get closed(): boolean {
    return this.#closed;
  }

  close(): void {
    this.#closed = true;
  }

  /** Resolves to `otherwise` if the file cannot be read. */
  async ask<Answer>(otherwise: Answer, question: (connection: Connection) => Answer): Promise<Answer> {
    const began = performance.now();
    while (!this.#closed) {
      try {
        const answer = question(this.#link.open());
        this.#faults.clear('unreadable');
        return answer;
      } catch (error) {
        if (faultKind(error) === 'locked' && performance.now() - began < maxLockedMs) await sleep(lockPauseMs);
        else {
          this.#reportFailure(error);
          break;
        }
      }
    }
    return otherwise;
  }

  async *events(query: EventQuery): AsyncGenerator<readonly TraceEvent[], void> {
    const { from, to } = await this.ask({ from: 1, to: 0 }, (connection) => eventRange(connection, query));
    for (let at = from; at <= to; at = nextStep(at)) {
      const events = await this.ask(undefined, (connection) => readStep(connection, query, at, to));
      if (events === undefined) return;
      if (events.length > 0) yield events;
      else await new Promise((resolve) => setImmediate(resolve));
    }
  }

  #reportFailure(error: unknown): void {
    if (this.#faults.kind !== undefined) return;
    const kind = faultKind(error);
    this.#faults.raise('unreadable', problemOf(kind === 'unavailable' ? 'unreadable' : kind, this.#path, error));
  }
}
