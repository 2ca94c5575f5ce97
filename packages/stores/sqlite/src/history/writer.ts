/**
 * Owns when the history is written: batches and housekeeping, each in one transaction, in pieces of a few milliseconds.
 *
 * Invariants
 * 1. A transaction holds a complete batch or nothing of it, also after a crash.
 * 2. Nothing here throws or waits. Pending batches are kept up to a limit, then dropped and counted.
 */
import type { HistoryWrite } from '@holdfast/core/history';
import { countRecords, type HistoryLevel } from '@holdfast/core/internal';
import { setImmediate as soon } from 'node:timers';
import { expireCells, rollUp } from './cells.ts';
import type { HistoryConnection } from './history-connection.ts';
import type { HistoryLink } from './link.ts';
import { expireRecords } from './records.ts';
import { expireTurns } from './turns.ts';
import { writeBatch } from './write-batch.ts';

/** One piece blocks the event loop for about this long. */
const pieceMs = 3;
const deletedAtOnce = 200;
/** Free pages are reused; only those beyond this number are returned to the file system. */
const pagesToKeep = 500;
const pagesPerStep = 100;

interface Job {
  readonly batch: HistoryWrite | undefined;
  readonly work: (connection: HistoryConnection) => Generator<undefined, unknown>;
}

export interface WriterOptions {
  readonly link: HistoryLink;
  readonly levels: readonly HistoryLevel[];
  readonly retentionMs: number;
  /** Records that may wait to be written. */
  readonly maxWaiting: number;
  readonly now: () => number;
}

export class HistoryWriter {
  readonly #options: WriterOptions;
  #jobs: Job[] = [];
  /** Records of the pending batches. */
  #waiting = 0;
  #underWay: { readonly job: Job; readonly connection: HistoryConnection; readonly steps: Generator<undefined, unknown> } | undefined;
  #scheduled: NodeJS.Immediate | undefined;
  readonly #tidyJob: Job = { batch: undefined, work: (connection) => this.#tidySteps(connection) };
  /** Whether there may be more to roll up or to delete. */
  #isBehind = false;

  constructor(options: WriterOptions) {
    this.#options = options;
  }

  add(batch: HistoryWrite): void {
    const size = countRecords(batch);
    if (size > 0) this.#jobs.push({ batch, work: (connection) => writeBatch(connection, batch) });
    this.#waiting += size;
    while (this.#waiting > this.#options.maxWaiting) {
      const place = this.#jobs.findIndex((job) => job.batch);
      const [oldest] = place < 0 ? [] : this.#jobs.splice(place, 1);
      if (!oldest?.batch) break;
      this.#waiting -= countRecords(oldest.batch);
      this.#options.link.countDropped(countRecords(oldest.batch));
    }
    this.#schedule();
  }

  /** Rolls up and deletes a little, and schedules more while there is more. */
  tidy(): void {
    if (this.#jobs.some(({ batch }) => batch === undefined)) return;
    this.#jobs.push(this.#tidyJob);
    this.#schedule();
  }

  /** Writes the pending batches synchronously; with `all`, also does everything else that is due. */
  settle(all: boolean): void {
    while (this.#underWay || this.#jobs.some(({ batch }) => all || batch)) if (!this.#step(Infinity)) break;
  }

  stop(): void {
    if (this.#scheduled) clearImmediate(this.#scheduled);
    this.#scheduled = undefined;
  }

  #schedule(): void {
    if (this.#jobs.length === 0 && !this.#underWay) return;
    this.#scheduled ??= soon(() => {
      this.#scheduled = undefined;
      if (this.#step(performance.now() + pieceMs)) this.#schedule();
    });
  }

  /** Continues until a time, or until a job is done. Returns whether to continue: not after a failure. */
  #step(until: number): boolean {
    const { link } = this.#options;
    if (!this.#underWay && this.#jobs.length === 0) return false;
    try {
      const { steps, connection } = (this.#underWay ??= this.#begin());
      while (!steps.next().done) if (performance.now() >= until) return true;
      connection.commit();
      const { batch } = this.#underWay.job;
      if (batch) this.#waiting -= countRecords(batch);
      this.#underWay = undefined;
      link.recordSuccess();
      if (this.#isBehind) this.tidy();
      return true;
    } catch (error) {
      const { job } = this.#underWay ?? {};
      this.#underWay = undefined;
      const again = link.recordFailure(error);
      const lost = job ?? (again ? undefined : this.#jobs.shift());
      if (!lost?.batch) return false;
      if (again) this.#jobs.unshift(lost);
      else {
        this.#waiting -= countRecords(lost.batch);
        link.countDropped(countRecords(lost.batch));
      }
      return false;
    }
  }

  #begin() {
    const connection = this.#options.link.open();
    connection.database.exec('BEGIN IMMEDIATE');
    const place = this.#jobs.findIndex(({ batch }) => batch);
    const [job = this.#tidyJob] = this.#jobs.splice(Math.max(place, 0), 1);
    return { job, connection, steps: job.work(connection) };
  }

  *#tidySteps(connection: HistoryConnection): Generator<undefined> {
    const { levels, retentionMs, now } = this.#options;
    this.#isBehind = yield* rollUp(connection, levels, now());
    yield undefined;
    this.#isBehind = expireCells(connection, levels, now(), deletedAtOnce) || this.#isBehind;
    yield undefined;
    this.#isBehind = expireTurns(connection, now() - retentionMs, deletedAtOnce) || this.#isBehind;
    yield undefined;
    this.#isBehind = expireRecords(connection, now() - retentionMs, deletedAtOnce) || this.#isBehind;
    const free = Number(connection.statement('PRAGMA freelist_count').get()?.['freelist_count']);
    if (free > pagesToKeep) connection.database.exec(`PRAGMA incremental_vacuum(${String(pagesPerStep)})`);
  }
}
