/**
 * Owns when the history is written: pending batches in their order, one transaction after another, and retries after a pause.
 *
 * Invariants
 * 1. Nothing here throws or blocks. Memory is bounded: pending batches are kept up to a limit, then the oldest are dropped and counted.
 * 2. A group is retried unchanged until its outcome is known, so that nothing is written twice.
 * 3. A batch whose data the database refuses is dropped alone.
 */
import type { HistoryWrite } from '@holdfast/core/history';
import { countRecords } from '@holdfast/core/internal';
import type { Session } from '../database/session.ts';
import { databaseFaultKind, isConflict, isDataFault } from '../database/faults.ts';
import type { LeaseMark } from './cursors.ts';
import type { HistoryLink } from './link.ts';
import { type BatchPlace, writeGroup } from './write-batch.ts';

/** Most records of one transaction. */
const recordsAtOnce = 5_000;
const maxConflicts = 5;

/** Another write, in its place in the order. It may run again although it was committed. */
export interface WriteJob {
  readonly run: (session: Session) => Promise<unknown>;
  /** A job replaces a pending one of the same name. */
  readonly name?: string;
  /** Called with the result of `run`; with `undefined` if a later job replaced it. */
  readonly done: (value: unknown) => void;
  readonly failed: (error: unknown) => void;
}

type Item = { readonly size: number } & (
  | { readonly batch: HistoryWrite; readonly mark: LeaseMark | undefined; readonly job?: never }
  | { readonly job: WriteJob; readonly batch?: never; readonly mark?: never }
);

interface Trial {
  readonly items: readonly Item[];
  readonly number: number;
  conflicts: number;
}

export class HistoryWriter {
  readonly #place: BatchPlace;
  readonly #link: HistoryLink;
  readonly #maxWaiting: number;
  #items: Item[] = [];
  #trial: Trial | undefined;
  /** Records that wait or are being written. */
  #size = 0;
  #number = 0;
  /** The next items are written one by one, since one of them was refused. */
  #singly = 0;
  #isWorking = false;
  #isStopped = false;
  #pause: NodeJS.Timeout | undefined;
  #waiters: (() => void)[] = [];

  constructor(place: BatchPlace, link: HistoryLink, maxWaiting: number) {
    this.#place = place;
    this.#link = link;
    this.#maxWaiting = maxWaiting;
  }

  add(batch: HistoryWrite, mark?: LeaseMark): void {
    const size = countRecords(batch);
    if (size > 0 || mark) this.#push({ batch, mark, size: Math.max(size, 1) });
  }

  addJob(job: WriteJob): void {
    const place = job.name === undefined ? -1 : this.#items.findIndex((item) => item.job?.name === job.name);
    const [replaced] = place < 0 ? [] : this.#items.splice(place, 1);
    if (replaced) this.#size -= replaced.size;
    replaced?.job?.done(undefined);
    this.#push({ job, size: 1 });
  }

  /** Resolves when nothing is pending, at the time limit, or while the database is down. */
  async whenSettled(limitMs: number): Promise<void> {
    if (!this.#isBusy() || this.#pause) return;
    let timer: NodeJS.Timeout | undefined;
    await new Promise<void>((resolve) => {
      this.#waiters.push(resolve);
      timer = setTimeout(resolve, limitMs);
    });
    clearTimeout(timer);
  }

  /** Stops writing; pending items are lost. */
  stop(): void {
    this.#isStopped = true;
    clearTimeout(this.#pause);
    const isUnderWay = this.#isWorking;
    this.#forget([...(isUnderWay ? [] : (this.#trial?.items ?? [])), ...this.#items.splice(0)], closedError());
    this.#wake();
  }

  #isBusy(): boolean {
    return this.#items.length > 0 || this.#trial !== undefined;
  }

  #push(item: Item): void {
    if (this.#isStopped) {
      this.#forget([item], closedError(), false);
      return;
    }
    this.#items.push(item);
    this.#size += item.size;
    while (this.#size > this.#maxWaiting && this.#items.length > 0)
      this.#forget(this.#items.splice(0, 1), new Error('Too many records are waiting to be written.'));
    void this.#work();
  }

  #forget(items: readonly Item[], error: Error, wasWaiting = true): void {
    for (const { size, job } of items) {
      if (wasWaiting) this.#size -= size;
      this.#link.countDropped(size);
      job?.failed(error);
    }
  }

  async #work(): Promise<void> {
    if (this.#isWorking || this.#pause) return;
    this.#isWorking = true;
    // Batches that are added in the same turn of the event loop are written together.
    await Promise.resolve();
    while (!this.#isStopped) {
      this.#trial ??= this.#next();
      if (!this.#trial) break;
      if (!(await this.#try(this.#trial))) break;
    }
    this.#isWorking = false;
    if (!this.#isBusy() || this.#pause) this.#wake();
  }

  #next(): Trial | undefined {
    const [first] = this.#items;
    if (!first) return undefined;
    let count = 1;
    if (this.#singly > 0) this.#singly -= 1;
    else if (!first.job) {
      let size = first.size;
      for (; count < this.#items.length; count += 1) {
        const item = this.#items[count];
        if (!item?.batch || !isSame(item.mark, first.mark) || size + item.size > recordsAtOnce) break;
        size += item.size;
      }
    }
    this.#number += 1;
    return { items: this.#items.splice(0, count), number: this.#number, conflicts: 0 };
  }

  /** Resolves to whether to continue now. */
  async #try(trial: Trial): Promise<boolean> {
    try {
      const value = await this.#write(trial);
      this.#link.recordSuccess('writing');
      this.#settle(trial, value);
      return true;
    } catch (error) {
      return this.#handleFailure(trial, error);
    }
  }

  async #write({ items, number }: Trial): Promise<unknown> {
    const [{ job } = { job: undefined }] = items;
    if (job) return this.#place.database.write(job.run);
    const batches = items.flatMap(({ batch }) => batch ?? []);
    return writeGroup(this.#place, { batches, number, mark: items.at(-1)?.mark });
  }

  #settle({ items }: Trial, value: unknown): void {
    this.#trial = undefined;
    for (const { size, job } of items) {
      this.#size -= size;
      job?.done(value);
    }
  }

  #handleFailure(trial: Trial, error: unknown): boolean {
    if (this.#isStopped) {
      this.#forget(trial.items, closedError());
      return false;
    }
    if (isDataFault(error)) {
      this.#trial = undefined;
      if (trial.items.length > 1) {
        this.#items.unshift(...trial.items);
        this.#singly = trial.items.length;
        return true;
      }
      this.#forget(trial.items, error instanceof Error ? error : new Error(String(error)));
      this.#link.raise(databaseFaultKind(error), `History: the database refused a record: ${String(error)}.`, 'writing');
      return true;
    }
    trial.conflicts += 1;
    if (isConflict(error) && trial.conflicts <= maxConflicts) return true;
    this.#place.tools.forget();
    this.#link.recordFailure(error, 'writing');
    this.#pause = setTimeout(() => {
      this.#pause = undefined;
      void this.#work();
    }, this.#link.pauseMs + 1);
    this.#pause.unref();
    return false;
  }

  #wake(): void {
    for (const wake of this.#waiters.splice(0)) wake();
  }
}

const closedError = (): Error => new Error('The history was closed.');

function isSame(one: LeaseMark | undefined, other: LeaseMark | undefined): boolean {
  return one?.name === other?.name && one?.term === other?.term;
}
