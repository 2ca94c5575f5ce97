/**
 * Owns when a batch is written, and what happens after a failure. Does not own what waits (`outbox.ts`) or on which thread it is written (`write-scheduler.ts`).
 *
 * 1. `append` only queues. It never throws, writes nothing, and calls no listener.
 * 2. The queue never holds more than `maxBufferedEvents`; further events are dropped and counted.
 * 3. An event leaves the queue when its transaction is committed.
 * 4. One batch at a time, with a turn of the event loop in between.
 * 5. A lock of another process becomes a fault when it lasts longer than `maxLockedMs`.
 * 6. Only a pending `flush` keeps the process alive.
 * 7. A caller that appends faster than the store writes is blocked between two turns of the event loop, before the queue is full.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import type { CircuitSnapshot, MemoryEntry, TraceEvent } from '@holdfast/core';
import type { StoreFaults } from '@holdfast/core/internal/store';
import { WriteScheduler } from './write-scheduler.ts';
import type { Link } from './link.ts';
import { Outbox, type WaitingBatch } from './outbox.ts';
import type { Settings, SqliteFaultKind } from './settings.ts';
import type { Answer } from './thread-protocol.ts';
import { heartbeatEveryMs, type WriterIdentity } from './writer-identity.ts';

const maxLockedMs = 2_000;
const maxExitMs = 1_000;
/** Each try may block for the busy timeout of the connection. */
const maxLockPauseMs = 400;
const maxPauseMs = 2_000;

/** What this store has written since it was opened, and what is buffered. */
export interface SqliteWriterStats {
  /** Events in memory that wait to be written. */
  readonly buffered: number;
  /** Events written. */
  readonly written: number;
  /** Transactions that wrote events, circuits or memory. */
  readonly batches: number;
}

/** What prevented a batch; `undefined` if it was written, `later` if it was not tried. */
type Failure = SqliteFaultKind | 'later' | undefined;

export class Writer {
  readonly #settings: Settings;
  readonly #faults: StoreFaults<SqliteFaultKind>;
  readonly #scheduler: WriteScheduler;
  readonly #outbox: Outbox;
  /** This many queued events block the caller. */
  readonly #crowded: number;
  readonly #heartbeat: NodeJS.Timeout | undefined;
  #waiting: ((failure: Failure) => void)[] = [];
  #timer: NodeJS.Timeout | undefined;
  #immediate: NodeJS.Immediate | undefined;
  #finished = false;
  #overflowed = false;
  #attempts = 0;
  #lockedSince: number | undefined;
  #written = 0;
  #batches = 0;
  #writtenAt = 0;

  constructor(settings: Settings, link: Link, faults: StoreFaults<SqliteFaultKind>, identity: WriterIdentity) {
    this.#settings = settings;
    this.#faults = faults;
    this.#scheduler = new WriteScheduler(settings, link, faults, identity);
    this.#outbox = new Outbox(settings);
    this.#crowded = Math.max(settings.batchSize, Math.min(20_000, settings.maxBufferedEvents / 2));
    if (!settings.readOnly) this.#heartbeat = setInterval(() => this.#writeHeartbeat(), heartbeatEveryMs).unref();
  }

  append(events: readonly TraceEvent[]): void {
    if (this.#finished || this.#settings.readOnly) {
      this.#faults.dropped += events.length;
      return;
    }
    const refused = this.#outbox.add(events);
    this.#faults.dropped += refused;
    if (refused > 0) this.#overflowed = true;
    if (this.#overflowed && this.#faults.kind === undefined) setImmediate(() => this.#reportOverflow());
    if (this.#attempts > 0) this.#after(this.#settings.flushIntervalMs);
    else if (this.#outbox.size >= (this.#scheduler.busy ? this.#crowded : this.#settings.batchSize)) this.#scheduleBatch();
    else if (!this.#scheduler.busy) this.#after(this.#settings.flushIntervalMs);
  }

  saveCircuits(snapshots: ReadonlyMap<string, CircuitSnapshot>): void {
    if (this.#finished || this.#settings.readOnly || snapshots.size === 0) return;
    this.#outbox.states.addCircuits(snapshots);
    this.#after(this.#settings.flushIntervalMs);
  }

  addMemory(learned: readonly MemoryEntry[]): void {
    if (this.#finished || this.#settings.readOnly || learned.length === 0) return;
    this.#outbox.states.addMemory(learned);
    this.#after(this.#settings.flushIntervalMs);
  }

  /** Drops the queued events of a turn and ignores later ones. Nothing is being written when it returns. */
  forget(turnId: string): void {
    this.#scheduler.settle();
    this.#outbox.forget(turnId);
    this.#scheduler.ignoreTurn(turnId);
  }

  /** Runs one step of retention and resolves to whether there is more to do. Never rejects. */
  async sweep(): Promise<boolean> {
    while (this.#scheduler.busy) await sleep(1, undefined, { ref: false });
    if (this.#finished) return false;
    const now = Date.now();
    return new Promise((resolve) => {
      this.#scheduler.perform({ type: 'sweep', now }, (outcome) => {
        this.#proceed(undefined);
        resolve(outcome !== undefined && 'more' in outcome && outcome.more);
      });
    });
  }

  async flush(): Promise<void> {
    const release = this.#scheduler.hold();
    await this.#flush();
    release();
  }

  /** Writes what it can synchronously, and counts the rest as dropped. */
  finish(): void {
    if (this.#finished) return;
    this.#scheduler.retire();
    const until = Date.now() + maxExitMs;
    for (let stuck = false; !stuck && !this.#outbox.idle;) {
      this.#write((failure) => (stuck = failure !== undefined && (failure !== 'locked' || Date.now() > until)));
    }
    this.#finished = true;
    clearTimeout(this.#timer);
    clearInterval(this.#heartbeat);
    clearImmediate(this.#immediate);
    this.#faults.dropped += this.#outbox.clear();
  }

  stats(): SqliteWriterStats {
    return { buffered: this.#outbox.size, written: this.#written, batches: this.#batches };
  }

  async #flush(): Promise<void> {
    const target = this.#outbox.accepted;
    let repairs = 0;
    while (!this.#finished && (this.#outbox.removed < target || !this.#outbox.states.idle)) {
      const failure = await this.#nextOutcome();
      if (failure === undefined || failure === 'later') await sleep(0);
      else if (failure === 'corrupt' && repairs === 0) repairs += 1;
      else if (failure === 'locked' && this.#faults.kind !== 'locked') await sleep(this.#pauseMs(failure));
      else return;
    }
  }

  /** The outcome of the current batch, or of the next. */
  #nextOutcome(): Promise<Failure> {
    return new Promise((resolve) => {
      this.#waiting.push(resolve);
      if (!this.#scheduler.busy) this.#write((failure) => this.#proceed(failure));
    });
  }

  #scheduleBatch(): void {
    if (this.#immediate !== undefined || this.#finished) return;
    this.#immediate = setImmediate(() => {
      this.#immediate = undefined;
      if (this.#scheduler.busy && this.#outbox.size > this.#crowded) this.#scheduler.await();
      this.#begin();
    });
  }

  #after(delayMs: number): void {
    if (this.#timer !== undefined || this.#finished) return;
    this.#timer = setTimeout(() => {
      this.#timer = undefined;
      this.#begin();
    }, delayMs).unref();
  }

  /** Writes one batch if none is being written. */
  #begin(): void {
    if (this.#finished || this.#scheduler.busy || this.#outbox.idle) return;
    this.#write((failure) => this.#proceed(failure));
  }

  #write(then: (failure: Failure) => void): void {
    const batch = this.#outbox.next();
    const now = Date.now();
    this.#scheduler.perform({ type: 'write', entries: batch.entries, states: batch.states, now }, (outcome) =>
      then(this.#conclude(batch, outcome, now)),
    );
  }

  #conclude(batch: WaitingBatch, outcome: Answer | undefined, now: number): Failure {
    if (outcome === undefined) return 'later';
    if ('kind' in outcome) {
      this.#handleFailure(outcome.kind, now);
      return outcome.kind;
    }
    this.#outbox.done(batch);
    this.#written += outcome.written;
    this.#batches += 1;
    this.#faults.dropped += outcome.dropped + batch.count - batch.entries.length;
    this.#handleSuccess(now);
    return undefined;
  }

  #handleSuccess(now: number): void {
    this.#attempts = 0;
    this.#lockedSince = undefined;
    this.#writtenAt = now;
    if (this.#overflowed && this.#outbox.hasRoom) this.#overflowed = false;
    if (this.#faults.kind !== 'unreadable' && !this.#overflowed) this.#faults.clear();
  }

  #handleFailure(kind: SqliteFaultKind, now: number): void {
    this.#attempts = kind === 'corrupt' && this.#attempts === 0 ? 0 : this.#attempts + 1;
    if (kind !== 'locked') {
      this.#lockedSince = undefined;
      return;
    }
    this.#lockedSince ??= now;
    const lockedMs = now - this.#lockedSince;
    if (lockedMs < maxLockedMs) return;
    this.#faults.raise(
      'locked',
      `Trace store ${this.#settings.path}: another process has held the database locked for ${String(Math.round(lockedMs / 1000))} s.`,
    );
  }

  /** Resolves the pending waits, and schedules the next batch. */
  #proceed(failure: Failure): void {
    const waiting = this.#waiting;
    this.#waiting = [];
    for (const resolve of waiting) resolve(failure);
    if (failure === 'later') this.#scheduleBatch();
    else if (failure !== undefined) this.#after(this.#pauseMs(failure));
    else if (this.#outbox.size >= this.#settings.batchSize) this.#scheduleBatch();
    else if (!this.#outbox.idle) this.#after(this.#settings.flushIntervalMs);
  }

  #pauseMs(failure: SqliteFaultKind): number {
    const maxMs = failure === 'locked' ? maxLockPauseMs : maxPauseMs;
    return Math.min(maxMs, 5 * 2 ** Math.min(this.#attempts, 12)) * (0.5 + Math.random());
  }

  #writeHeartbeat(): void {
    if (this.#scheduler.busy || !this.#outbox.idle || Date.now() - this.#writtenAt < heartbeatEveryMs / 2) return;
    const now = Date.now();
    this.#scheduler.perform({ type: 'beat', now }, (outcome) => {
      if (outcome !== undefined && !('kind' in outcome)) this.#writtenAt = now;
      this.#proceed(undefined);
    });
  }

  #reportOverflow(): void {
    if (!this.#overflowed || this.#faults.kind !== undefined) return;
    const { path, maxBufferedEvents } = this.#settings;
    this.#faults.raise('overflow', `Trace store ${path}: more than ${String(maxBufferedEvents)} events wait to be written.`);
  }
}
