/**
 * Owns reading from the database: the result when a read fails, and reading events step by step. Does not own the queries (`queries.ts`).
 */
import type { TraceEvent } from '@holdfast/core';
import type { StoreFaults } from '@holdfast/core/internal/store';
import type { EventQuery } from '@holdfast/core/store';
import type { Database } from './database/database.ts';
import { databaseProblem } from './database/faults.ts';
import type { Session } from './database/session.ts';
import type { PostgresFaultKind } from './settings.ts';
import { eventRange, type Position, readStep } from './queries.ts';

export class Reader {
  readonly #database: Database;
  readonly #faults: StoreFaults<PostgresFaultKind>;
  #closed = false;

  constructor(database: Database, faults: StoreFaults<PostgresFaultKind>) {
    this.#database = database;
    this.#faults = faults;
  }

  get closed(): boolean {
    return this.#closed;
  }

  close(): void {
    this.#closed = true;
  }

  /** Resolves to `otherwise` if the database cannot be read. */
  async ask<Answer>(otherwise: Answer, question: (session: Session) => Promise<Answer>): Promise<Answer> {
    if (this.#closed) return otherwise;
    try {
      const answer = await this.#database.read(question);
      this.#faults.clear('unreadable');
      return answer;
    } catch (error) {
      if (this.#faults.kind === undefined) this.#faults.raise('unreadable', databaseProblem(this.#database.place, error));
      return otherwise;
    }
  }

  async *events(query: EventQuery): AsyncGenerator<readonly TraceEvent[], void> {
    const { schema } = this.#database;
    const range = await this.ask(undefined, (session) => eventRange(session, schema, query));
    for (let from: Position | undefined = range?.from; range !== undefined && from !== undefined;) {
      const at: Position = from;
      const step = await this.ask(undefined, (session) => readStep(session, schema, query, at, range.to));
      if (step === undefined) return;
      if (step.events.length > 0) yield step.events;
      from = step.next;
    }
  }
}
