/**
 * Owns the way of an event into the database: when a batch is tried, and what is done about a failure. Does not own what a batch holds (`outbox.ts`) and says
 * (`write-batch.ts`).
 *
 * 1. `append` only queues. It throws nothing, writes nothing, calls nobody.
 * 2. The buffer keeps its bounds; what comes beyond is dropped and counted.
 * 3. One batch at a time. An event leaves when its transaction is known to be committed, not before.
 * 4. Nothing here keeps the process alive but a batch under way, and a `flush` somebody waits for.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import type { CircuitSnapshot, TraceEvent } from '@holdfast/core';
import type { StoreFaults } from '@holdfast/core/internal/store';
import type { Database } from './database/database.ts';
import { databaseFaultKind, databaseProblem, isConflict, isDataFault } from './database/faults.ts';
import { beat, leave, type WriterIdentity } from './gate.ts';
import { createOutbox } from './outbox.ts';
import { createRunMemory } from './run-memory.ts';
import { makePartition } from './schema.ts';
import type { PostgresFaultKind, Settings } from './settings.ts';
import { PartitionMissing, writeBatch, type Batch } from './write-batch.ts';

const firstPauseMs = 20;
const longestPauseMs = 5_000;
/** Two writers in each other's way are no fault before so many tries. */
const conflictsInSilence = 5;
/** Much less than the lease of a writer (`queries.ts`). */
const heartbeatEveryMs = 5_000;
/** Events prepared between two turns of the event loop. */
const preparedAtOnce = 200;

export interface PostgresWriterStats {
  readonly buffered: number;
  readonly bufferedBytes: number;
  readonly written: number;
  readonly batches: number;
}

export interface Writer {
  append(events: readonly TraceEvent[]): void;
  saveCircuits(circuits: ReadonlyMap<string, CircuitSnapshot>): void;
  /** Leaves out what is queued of a turn, and what comes of it. Nothing is being written when it resolves. */
  forget(turnId: string): Promise<void>;
  flush(): Promise<void>;
  /** Writes what it can, counts the rest as dropped, and says that this writer is gone. */
  finish(): Promise<void>;
  /** Takes note that a use of the database failed. */
  failed(error: unknown): void;
  /** The tables were looked at anew: what was known of them may not hold. */
  begunAnew(): void;
  stats(): PostgresWriterStats;
}

export function createWriter(
  settings: Settings,
  database: Database,
  faults: StoreFaults<PostgresFaultKind>,
  identity: WriterIdentity,
): Writer {
  const { schema, place } = database;
  const outbox = createOutbox(settings);
  const runs = createRunMemory();
  const partitions = new Set<number>();
  let busy: Promise<boolean> | undefined;
  let timer: NodeJS.Timeout | undefined;
  let preparing: NodeJS.Immediate | undefined;
  let finished = false;
  let registered = false;
  let overflowed = false;
  let attempts = 0;
  let written = 0;
  let batches = 0;
  let usedAt = 0;

  const lose = (count: number): void => {
    if (count === 0) return;
    faults.dropped += count;
    overflowed = true;
    if (faults.kind === undefined) setImmediate(reportOverflow);
  };

  const reportOverflow = (): void => {
    if (!overflowed || faults.kind !== undefined) return;
    faults.raise('overflow', `PostgreSQL ${place}: more events wait to be written than the buffer holds; what comes beyond is lost.`);
  };

  const prepare = (count: number): void => {
    const { unkeepable, crowdedOut } = outbox.prepare(count);
    faults.dropped += unkeepable;
    lose(crowdedOut);
  };

  const prepareSome = (): void => {
    preparing = undefined;
    prepare(preparedAtOnce);
    if (outbox.unprepared) preparing = setImmediate(prepareSome);
  };

  const after = (delayMs: number): void => {
    if (timer === undefined && !finished) timer = setTimeout(begin, delayMs).unref();
  };

  const begin = (): void => {
    clearTimeout(timer);
    timer = undefined;
    if (!finished && busy === undefined && !outbox.idle) void attempt();
  };

  const pauseMs = (): number => Math.min(longestPauseMs, firstPauseMs * 2 ** Math.min(attempts, 12)) * (0.5 + Math.random() / 2);

  /** One try of one batch, or the one under way; answers whether it went well. Never rejects. */
  const attempt = (): Promise<boolean> => {
    busy ??= tryBatch().then((succeeded) => {
      busy = undefined;
      if (outbox.idle) return succeeded;
      if (!succeeded) after(pauseMs());
      else after(outbox.waiting >= settings.batchSize ? 0 : settings.flushIntervalMs);
      return succeeded;
    });
    return busy;
  };

  const tryBatch = async (): Promise<boolean> => {
    prepare(settings.batchSize);
    const batch = outbox.next();
    try {
      const known = runs.known;
      const result = await database.write((session) => writeBatch(session, batch, { schema, identity, known, partitions }));
      outbox.done(batch);
      runs.learn(result.runs);
      registered = true;
      written += batch.entries.length;
      batches += 1;
      faults.dropped += result.dropped;
      healthy();
      return true;
    } catch (error) {
      return onRefused(batch, error);
    }
  };

  const healthy = (): void => {
    attempts = 0;
    usedAt = performance.now();
    if (outbox.hasRoom) overflowed = false;
    if (faults.kind !== 'unreadable' && !overflowed) faults.clear();
  };

  const onRefused = async (batch: Batch, error: unknown): Promise<boolean> => {
    if (error instanceof PartitionMissing) return makePartitions(error.day);
    if (isPartitionGone(error) && attempts < conflictsInSilence) partitions.clear();
    else if (isDataFault(error)) {
      faults.dropped += outbox.refused(batch);
      return true;
    }
    attempts += 1;
    if (!isConflict(error) || attempts > conflictsInSilence) onFailed(error);
    return false;
  };

  const makePartitions = async (day: number): Promise<boolean> => {
    try {
      // The next one as well, so that nobody waits at midnight.
      for (const one of [day, day + 1]) await database.write((session) => makePartition(session, schema, one));
      partitions.add(day).add(day + 1);
      return true;
    } catch (error) {
      attempts += 1;
      onFailed(error);
      return false;
    }
  };

  const onFailed = (error: unknown): void => {
    if (!finished) faults.raise(databaseFaultKind(error), databaseProblem(place, error));
  };

  /** Says that this writer lives, where that is of interest, and finds out when a database that failed works again. */
  const pulse = async (): Promise<void> => {
    if (busy !== undefined || !outbox.idle || performance.now() - usedAt < heartbeatEveryMs / 2) return;
    if (!(registered && runs.anyRunning()) && faults.kind === undefined) return;
    try {
      await database.write((session) => beat(session, schema, identity.instance));
      healthy();
    } catch (error) {
      onFailed(error);
    }
  };
  const heartbeat = settings.readOnly ? undefined : setInterval(() => void pulse(), heartbeatEveryMs).unref();

  const flush = async (): Promise<void> => {
    const target = outbox.accepted;
    const hold = setInterval(() => undefined, 60_000);
    while (!finished && (outbox.removed < target || outbox.hasCircuits)) {
      if (await attempt()) continue;
      if (faults.kind !== undefined) break;
      await sleep(pauseMs());
    }
    clearInterval(hold);
  };

  return {
    append(events) {
      if (finished || settings.readOnly) {
        faults.dropped += events.length;
        return;
      }
      lose(outbox.add(events));
      preparing ??= setImmediate(prepareSome);
      if (attempts > 0 || busy !== undefined) return;
      if (outbox.waiting >= settings.batchSize) setImmediate(begin);
      else after(settings.flushIntervalMs);
    },
    saveCircuits(snapshots) {
      if (finished || settings.readOnly || snapshots.size === 0) return;
      outbox.addCircuits(snapshots);
      if (attempts === 0) after(settings.flushIntervalMs);
    },
    async forget(turnId) {
      while (busy !== undefined) await busy;
      outbox.forget(turnId);
      runs.leaveOut(turnId);
    },
    flush,
    async finish() {
      if (finished) return;
      await flush();
      finished = true;
      clearTimeout(timer);
      clearInterval(heartbeat);
      clearImmediate(preparing);
      faults.dropped += outbox.size;
      outbox.clear();
      if (!registered || faults.kind !== undefined) return;
      await database.write((session) => leave(session, schema, identity.instance)).catch(() => undefined);
    },
    failed: onFailed,
    begunAnew() {
      runs.clear();
      partitions.clear();
    },
    stats: () => ({ buffered: outbox.size, bufferedBytes: outbox.bytes, written, batches }),
  };
}

/** A row that no partition takes. */
function isPartitionGone(error: unknown): boolean {
  return typeof error === 'object' && error !== null && 'code' in error && error.code === '23514';
}
