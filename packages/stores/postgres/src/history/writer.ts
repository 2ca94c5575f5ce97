/**
 * Owns when the history is written: what waits, in its order, one transaction after the other, again after a pause where the database failed.
 *
 * Invariants
 * 1. Nothing here throws or makes anybody wait. Memory is bounded: what cannot be written is kept for a while, the oldest is dropped and counted.
 * 2. What was tried is tried as the same group until it is known what became of it, so that nothing is written twice.
 * 3. What the database refuses for what it is costs itself only.
 */
import type { HistoryWrite } from '@holdfast/core/history';
import type { Session } from '../database/session.ts';
import { databaseFaultKind, isConflict, isDataFault } from '../database/faults.ts';
import type { LeaseMark } from './cursors.ts';
import type { HistoryLink } from './link.ts';
import { type BatchPlace, sizeOf, writeGroup } from './write-batch.ts';

/** Records of one transaction. */
const recordsAtOnce = 5_000;
const mostConflicts = 5;

/** Something else that is written in its turn. It may be tried again although it was done. */
export interface WriteJob {
  readonly run: (session: Session) => Promise<unknown>;
  /** Jobs of one name: the last takes the place of one that waits. */
  readonly name?: string;
  /** With what `run` answered; `undefined` where a later one took its place. */
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
  readonly #most: number;
  #items: Item[] = [];
  #trial: Trial | undefined;
  /** Records that wait or are under way. */
  #size = 0;
  #number = 0;
  /** So many items are written one by one, since one among them was refused. */
  #singly = 0;
  #isWorking = false;
  #isStopped = false;
  #pause: NodeJS.Timeout | undefined;
  #waiters: (() => void)[] = [];

  constructor(place: BatchPlace, link: HistoryLink, mostWaiting: number) {
    this.#place = place;
    this.#link = link;
    this.#most = mostWaiting;
  }

  add(batch: HistoryWrite, mark?: LeaseMark): void {
    const size = sizeOf(batch);
    if (size > 0 || mark) this.#push({ batch, mark, size: Math.max(size, 1) });
  }

  addJob(job: WriteJob): void {
    const place = job.name === undefined ? -1 : this.#items.findIndex((item) => item.job?.name === job.name);
    const [replaced] = place < 0 ? [] : this.#items.splice(place, 1);
    if (replaced) this.#size -= replaced.size;
    replaced?.job?.done(undefined);
    this.#push({ job, size: 1 });
  }

  /** Resolves when nothing waits any more, or when that cannot be hoped for. */
  async settled(limitMs: number): Promise<void> {
    if (!this.#isBusy() || this.#pause) return;
    let timer: NodeJS.Timeout | undefined;
    await new Promise<void>((resolve) => {
      this.#waiters.push(resolve);
      timer = setTimeout(resolve, limitMs);
    });
    clearTimeout(timer);
  }

  /** Nothing is written any more; what waits is lost. */
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
    while (this.#size > this.#most && this.#items.length > 0)
      this.#forget(this.#items.splice(0, 1), new Error('Too much waits to be written.'));
    void this.#work();
  }

  #forget(items: readonly Item[], error: Error, wasWaiting = true): void {
    for (const { size, job } of items) {
      if (wasWaiting) this.#size -= size;
      this.#link.dropped(size);
      job?.failed(error);
    }
  }

  async #work(): Promise<void> {
    if (this.#isWorking || this.#pause) return;
    this.#isWorking = true;
    // What is handed over together is written together.
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

  /** Answers whether going on is of use now. */
  async #try(trial: Trial): Promise<boolean> {
    try {
      const value = await this.#write(trial);
      this.#link.succeeded('writing');
      this.#settle(trial, value);
      return true;
    } catch (error) {
      return this.#failed(trial, error);
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

  #failed(trial: Trial, error: unknown): boolean {
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
    if (isConflict(error) && trial.conflicts <= mostConflicts) return true;
    this.#place.tools.forget();
    this.#link.failed(error, 'writing');
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
