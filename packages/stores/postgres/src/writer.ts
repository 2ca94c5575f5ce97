/**
 * Owns when a batch is tried, and what happens after a failure. Does not own what a batch holds (`outbox.ts`) or how it is written (`write-batch.ts`).
 *
 * 1. `append` only queues. It never throws, writes nothing, and calls no listener.
 * 2. The buffer is bounded; further events are dropped and counted.
 * 3. One batch at a time. An event leaves the buffer when its transaction is known to be committed.
 * 4. Only a running batch and a pending `flush` keep the process alive.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import type { CircuitSnapshot, MemoryEntry, TraceEvent } from '@holdfast/core';
import type { StoreFaults } from '@holdfast/core/internal/store';
import type { Database } from './database/database.ts';
import { databaseFaultKind, databaseProblem, isConflict, isDataFault } from './database/faults.ts';
import { writeHeartbeat, endWriter, type WriterIdentity } from './gate.ts';
import { Outbox } from './outbox.ts';
import { createRunMemory, type RunMemory } from './run-memory.ts';
import { makePartition } from './schema.ts';
import type { PostgresFaultKind, Settings } from './settings.ts';
import { PartitionMissing, writeBatch, type Batch } from './write-batch.ts';

const firstPauseMs = 20;
const maxPauseMs = 5_000;
/** A conflict of two writers becomes a fault after this many tries. */
const conflictsInSilence = 5;
/** Must be much less than the lease of a writer (`queries.ts`). */
const heartbeatEveryMs = 5_000;
/** Events prepared between two turns of the event loop. */
const preparedAtOnce = 200;

/** What this store has written since it was opened, and what is buffered. */
export interface PostgresWriterStats {
  /** Events in memory that wait to be written. */
  readonly buffered: number;
  /** Size of these events as JSON, in bytes. */
  readonly bufferedBytes: number;
  /** Events written. */
  readonly written: number;
  /** Transactions that wrote events, circuits or memory. */
  readonly batches: number;
}

export class Writer {
  readonly #settings: Settings;
  readonly #database: Database;
  readonly #faults: StoreFaults<PostgresFaultKind>;
  readonly #identity: WriterIdentity;
  readonly #outbox: Outbox;
  readonly #runs: RunMemory = createRunMemory();
  /** Days that have a partition. */
  readonly #partitions = new Set<number>();
  readonly #heartbeat: NodeJS.Timeout | undefined;
  #busy: Promise<boolean> | undefined;
  #timer: NodeJS.Timeout | undefined;
  #preparing: NodeJS.Immediate | undefined;
  #finished = false;
  #registered = false;
  #overflowed = false;
  #attempts = 0;
  #written = 0;
  #batches = 0;
  #usedAt = 0;

  constructor(settings: Settings, database: Database, faults: StoreFaults<PostgresFaultKind>, identity: WriterIdentity) {
    this.#settings = settings;
    this.#database = database;
    this.#faults = faults;
    this.#identity = identity;
    this.#outbox = new Outbox(settings);
    if (!settings.readOnly) this.#heartbeat = setInterval(() => void this.#writeHeartbeat(), heartbeatEveryMs).unref();
  }

  append(events: readonly TraceEvent[]): void {
    if (this.#finished || this.#settings.readOnly) {
      this.#faults.dropped += events.length;
      return;
    }
    this.#countDropped(this.#outbox.add(events));
    this.#preparing ??= setImmediate(() => this.#prepareSome());
    if (this.#attempts > 0 || this.#busy !== undefined) return;
    if (this.#outbox.waiting >= this.#settings.batchSize) setImmediate(() => this.#begin());
    else this.#after(this.#settings.flushIntervalMs);
  }

  saveCircuits(snapshots: ReadonlyMap<string, CircuitSnapshot>): void {
    if (this.#finished || this.#settings.readOnly || snapshots.size === 0) return;
    this.#outbox.states.addCircuits(snapshots);
    if (this.#attempts === 0) this.#after(this.#settings.flushIntervalMs);
  }

  addMemory(learned: readonly MemoryEntry[]): void {
    if (this.#finished || this.#settings.readOnly || learned.length === 0) return;
    this.#outbox.states.addMemory(learned);
    if (this.#attempts === 0) this.#after(this.#settings.flushIntervalMs);
  }

  /** Drops the queued events of a turn and ignores later ones. Nothing is being written when it resolves. */
  async forget(turnId: string): Promise<void> {
    while (this.#busy !== undefined) await this.#busy;
    this.#outbox.forget(turnId);
    this.#runs.ignoreTurn(turnId);
  }

  async flush(): Promise<void> {
    const target = this.#outbox.accepted;
    const hold = setInterval(() => undefined, 60_000);
    while (!this.#finished && (this.#outbox.removed < target || !this.#outbox.states.idle)) {
      if (await this.#attempt()) continue;
      if (this.#faults.kind !== undefined) break;
      await sleep(this.#pauseMs());
    }
    clearInterval(hold);
  }

  /** Writes what it can, counts the rest as dropped, and marks this writer as ended. */
  async finish(): Promise<void> {
    if (this.#finished) return;
    await this.flush();
    this.#finished = true;
    clearTimeout(this.#timer);
    clearInterval(this.#heartbeat);
    clearImmediate(this.#preparing);
    this.#faults.dropped += this.#outbox.size;
    this.#outbox.clear();
    if (!this.#registered || this.#faults.kind !== undefined) return;
    await this.#database.write((session) => endWriter(session, this.#database.schema, this.#identity.instance)).catch(() => undefined);
  }

  /** Records that a use of the database failed. */
  failed(error: unknown): void {
    if (!this.#finished) this.#faults.raise(databaseFaultKind(error), databaseProblem(this.#database.place, error));
  }

  /** Called after the tables were checked again: what was remembered of them may be wrong. */
  forgetTables(): void {
    this.#runs.clear();
    this.#partitions.clear();
  }

  stats(): PostgresWriterStats {
    return { buffered: this.#outbox.size, bufferedBytes: this.#outbox.bytes, written: this.#written, batches: this.#batches };
  }

  #prepareSome(): void {
    this.#preparing = undefined;
    this.#prepare(preparedAtOnce);
    if (this.#outbox.unprepared) this.#preparing = setImmediate(() => this.#prepareSome());
  }

  #prepare(count: number): void {
    const { unkeepable, crowdedOut } = this.#outbox.prepare(count);
    this.#faults.dropped += unkeepable;
    this.#countDropped(crowdedOut);
  }

  #countDropped(count: number): void {
    if (count === 0) return;
    this.#faults.dropped += count;
    this.#overflowed = true;
    if (this.#faults.kind === undefined) setImmediate(() => this.#reportOverflow());
  }

  #reportOverflow(): void {
    if (!this.#overflowed || this.#faults.kind !== undefined) return;
    const { place } = this.#database;
    this.#faults.raise('overflow', `PostgreSQL ${place}: the buffer is full; further events are dropped.`);
  }

  #after(delayMs: number): void {
    if (this.#timer === undefined && !this.#finished) this.#timer = setTimeout(() => this.#begin(), delayMs).unref();
  }

  #begin(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    if (!this.#finished && this.#busy === undefined && !this.#outbox.idle) void this.#attempt();
  }

  #pauseMs(): number {
    return Math.min(maxPauseMs, firstPauseMs * 2 ** Math.min(this.#attempts, 12)) * (0.5 + Math.random() / 2);
  }

  /** Tries one batch, or waits for the current try. Resolves to whether it succeeded. Never rejects. */
  #attempt(): Promise<boolean> {
    this.#busy ??= this.#tryBatch().then((succeeded) => {
      this.#busy = undefined;
      if (this.#outbox.idle) return succeeded;
      if (!succeeded) this.#after(this.#pauseMs());
      else this.#after(this.#outbox.waiting >= this.#settings.batchSize ? 0 : this.#settings.flushIntervalMs);
      return succeeded;
    });
    return this.#busy;
  }

  async #tryBatch(): Promise<boolean> {
    this.#prepare(this.#settings.batchSize);
    const batch = this.#outbox.next();
    const around = {
      schema: this.#database.schema,
      identity: this.#identity,
      known: this.#runs.known,
      partitions: this.#partitions,
    };
    try {
      const result = await this.#database.write((session) => writeBatch(session, batch, around));
      this.#outbox.done(batch);
      this.#runs.learn(result.runs);
      this.#registered = true;
      this.#written += batch.entries.length;
      this.#batches += 1;
      this.#faults.dropped += result.dropped;
      this.#handleSuccess();
      return true;
    } catch (error) {
      return this.#handleRefusal(batch, error);
    }
  }

  #handleSuccess(): void {
    this.#attempts = 0;
    this.#usedAt = performance.now();
    if (this.#outbox.hasRoom) this.#overflowed = false;
    if (this.#faults.kind !== 'unreadable' && !this.#overflowed) this.#faults.clear();
  }

  async #handleRefusal(batch: Batch, error: unknown): Promise<boolean> {
    if (error instanceof PartitionMissing) return this.#makePartitions(error.day);
    if (isPartitionGone(error) && this.#attempts < conflictsInSilence) this.#partitions.clear();
    else if (isDataFault(error)) {
      this.#faults.dropped += this.#outbox.giveUp(batch);
      return true;
    }
    this.#attempts += 1;
    if (!isConflict(error) || this.#attempts > conflictsInSilence) this.failed(error);
    return false;
  }

  async #makePartitions(day: number): Promise<boolean> {
    try {
      // The next day's too, so that no write has to wait for it at midnight.
      for (const one of [day, day + 1]) await this.#database.write((session) => makePartition(session, this.#database.schema, one));
      this.#partitions.add(day).add(day + 1);
      return true;
    } catch (error) {
      this.#attempts += 1;
      this.failed(error);
      return false;
    }
  }

  /** Writes the heartbeat if it is needed, and finds out when a failed database works again. */
  async #writeHeartbeat(): Promise<void> {
    if (this.#busy !== undefined || !this.#outbox.idle || performance.now() - this.#usedAt < heartbeatEveryMs / 2) return;
    if (!(this.#registered && this.#runs.anyRunning()) && this.#faults.kind === undefined) return;
    try {
      await this.#database.write((session) => writeHeartbeat(session, this.#database.schema, this.#identity.instance));
      this.#handleSuccess();
    } catch (error) {
      this.failed(error);
    }
  }
}

/** A row that no partition takes. */
function isPartitionGone(error: unknown): boolean {
  return typeof error === 'object' && error !== null && 'code' in error && error.code === '23514';
}
