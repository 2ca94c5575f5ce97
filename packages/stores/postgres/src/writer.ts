/**
 * Owns the way of an event into the database: queue, batches, waiting and trying again. Does not own what a batch says (`write-batch.ts`).
 *
 * 1. `append` only queues. It throws nothing, writes nothing, calls nobody.
 * 2. The queue keeps its bounds; what comes beyond is dropped and counted.
 * 3. An event leaves when its transaction is known to be committed, not before. A batch whose commit is uncertain is tried again as it was, under its number.
 * 4. One batch at a time.
 * 5. A batch whose data is refused is halved until the event is found that cannot be kept; that one is dropped and counted.
 * 6. Nothing here keeps the process alive but a batch under way, and a `flush` somebody waits for.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import type { CircuitSnapshot, TraceEvent } from '@holdfast/core';
import type { Database } from './database/database.ts';
import { databaseFaultKind, databaseProblem, isConflict, isDataFault } from './database/faults.ts';
import type { Entry } from './entry.ts';
import type { Faults } from './faults.ts';
import { beat, leave, type WriterIdentity } from './gate.ts';
import { createQueue } from './queue.ts';
import type { RunState } from './runs.ts';
import { makePartition } from './schema.ts';
import type { Settings } from './settings.ts';
import { toText } from './text.ts';
import { PartitionMissing, writeBatch, type Batch } from './write-batch.ts';

/** A row that no partition takes. */
function isPartitionGone(error: unknown): boolean {
  return typeof error === 'object' && error !== null && 'code' in error && error.code === '23514';
}

const longestPauseMs = 5_000;
const heartbeatEveryMs = 5_000;
/** Events made rows between two turns of the event loop. */
const encodedAtOnce = 200;
/** More than any number of turns that run at once; beyond it the database is asked. */
const rememberedRuns = 10_000;

export interface WriterStats {
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
  /** Says that a use of the database failed. */
  failed(error: unknown): void;
  /** The tables were looked at anew: what was known of them may not hold. */
  begunAnew(): void;
  stats(): WriterStats;
}

export function createWriter(settings: Settings, database: Database, faults: Faults, identity: WriterIdentity): Writer {
  const { schema } = database;
  const queue = createQueue(settings.maxBufferedEvents, settings.maxBufferedBytes);
  const known = new Map<string, RunState>();
  const partitions = new Set<number>();
  let circuits = new Map<string, CircuitSnapshot>();
  let pending: Batch | undefined;
  let busy: Promise<boolean> | undefined;
  let timer: NodeJS.Timeout | undefined;
  let encoding: NodeJS.Immediate | undefined;
  let finished = false;
  let registered = false;
  let overflowed = false;
  let attempts = 0;
  let number = 0;
  let limit = settings.batchSize;
  let circuitsAlone = false;
  let written = 0;
  let batches = 0;
  let usedAt = 0;

  const idle = (): boolean => pending === undefined && queue.waiting === 0 && circuits.size === 0;

  const lose = (count: number): void => {
    if (count === 0) return;
    faults.dropped += count;
    overflowed = true;
    if (faults.kind === undefined) setImmediate(reportOverflow);
  };

  const reportOverflow = (): void => {
    if (overflowed && faults.kind === undefined) {
      faults.raise(
        'overflow',
        `PostgreSQL ${settings.database.place}: more events wait to be written than the buffer holds; what comes beyond is lost.`,
      );
    }
  };

  const encodeSome = (): void => {
    encoding = undefined;
    encode(encodedAtOnce);
    if (queue.raw) encoding = setImmediate(encodeSome);
  };

  const encode = (count: number): void => {
    const before = queue.bytes;
    const lost = queue.encode(count);
    // What is no JSON data is lost without any lack of room.
    if (lost > 0 && before + 1 < settings.maxBufferedBytes / 2) faults.dropped += lost;
    else lose(lost);
  };

  const after = (delayMs: number): void => {
    if (timer === undefined && !finished) timer = setTimeout(begin, delayMs).unref();
  };

  const begin = (): void => {
    clearTimeout(timer);
    timer = undefined;
    if (!finished && busy === undefined && !idle()) void attempt();
  };

  const pauseMs = (): number => Math.min(longestPauseMs, 20 * 2 ** Math.min(attempts, 12)) * (0.5 + Math.random() / 2);

  /** One try of one batch; answers whether it was written. Never rejects. */
  const attempt = (): Promise<boolean> => {
    busy ??= tryBatch().then((succeeded) => {
      busy = undefined;
      if (!idle()) after(succeeded ? (queue.waiting >= settings.batchSize ? 0 : settings.flushIntervalMs) : pauseMs());
      return succeeded;
    });
    return busy;
  };

  const nextBatch = (): Batch => {
    encode(settings.batchSize);
    number += 1;
    return { number, entries: circuitsAlone ? [] : queue.take(limit), circuits };
  };

  const tryBatch = async (): Promise<boolean> => {
    const batch = (pending ??= nextBatch());
    try {
      const { runs, dropped } = await database.write((session) => writeBatch(session, batch, { schema, identity, known, partitions }));
      succeeded(batch, runs);
      faults.dropped += dropped;
      return true;
    } catch (error) {
      return refused(batch, error);
    }
  };

  const succeeded = (batch: Batch, runs: ReadonlyMap<string, RunState>): void => {
    pending = undefined;
    registered = true;
    queue.settle(batch.entries);
    if (circuits === batch.circuits) circuits = new Map();
    if (batch.entries.length === 0) circuitsAlone = false;
    remember(runs);
    written += batch.entries.length;
    batches += 1;
    limit = Math.min(settings.batchSize, limit * 2);
    healthy();
  };

  const healthy = (): void => {
    attempts = 0;
    usedAt = performance.now();
    if (overflowed && queue.size < settings.maxBufferedEvents && queue.bytes < settings.maxBufferedBytes) overflowed = false;
    if (faults.kind !== 'unreadable' && !overflowed) faults.clear();
  };

  const refused = async (batch: Batch, error: unknown): Promise<boolean> => {
    if (error instanceof PartitionMissing) return preparePartition(error.day);
    if (isPartitionGone(error) && attempts < 3) partitions.clear();
    else if (isDataFault(error)) return split(batch);
    attempts += 1;
    // Two writers in each other's way: the next try is as good as the first.
    if (!isConflict(error) || attempts > 5) failed(error);
    return false;
  };

  const preparePartition = async (day: number): Promise<boolean> => {
    try {
      for (const one of [day, day + 1]) await database.write((session) => makePartition(session, schema, one));
      partitions.add(day).add(day + 1);
      return true;
    } catch (error) {
      attempts += 1;
      failed(error);
      return false;
    }
  };

  /** Nothing of the batch was kept, so its parts are new batches. */
  const split = (batch: Batch): boolean => {
    const { entries } = batch;
    number += 1;
    circuitsAlone = batch.circuits.size > 0 && entries.length > 0;
    if (circuitsAlone) {
      pending = { number, entries, circuits: new Map() };
      return true;
    }
    if (entries.length <= 1) {
      queue.settle(entries);
      faults.dropped += entries.length;
      pending = undefined;
      // With no event in it, it was the circuits.
      if (entries.length === 0) circuits = new Map();
      circuitsAlone = false;
      return true;
    }
    limit = Math.ceil(entries.length / 2);
    queue.giveBack(entries);
    pending = { number, entries: queue.take(limit), circuits: new Map() };
    return true;
  };

  const failed = (error: unknown): void => {
    if (!finished) faults.raise(databaseFaultKind(error), databaseProblem(settings.database.place, error));
  };

  const remember = (runs: ReadonlyMap<string, RunState>): void => {
    for (const [turnId, run] of runs) {
      known.delete(turnId);
      known.set(turnId, run);
    }
    for (const turnId of known.keys()) {
      if (known.size <= rememberedRuns) break;
      known.delete(turnId);
    }
  };

  /** Says that this writer lives, where that is of interest, and finds out when a database that failed works again. */
  const pulse = async (): Promise<void> => {
    if (busy !== undefined || !idle() || performance.now() - usedAt < heartbeatEveryMs / 2) return;
    const runsAny = registered && [...known.values()].some((run) => !run.ended);
    if (!runsAny && faults.kind === undefined) return;
    try {
      await database.write((session) => beat(session, schema, identity.instance));
      healthy();
    } catch (error) {
      failed(error);
    }
  };
  const heartbeat = settings.readOnly ? undefined : setInterval(() => void pulse(), heartbeatEveryMs).unref();

  const flush = async (): Promise<void> => {
    const target = queue.accepted;
    const hold = setInterval(() => undefined, 60_000);
    while (!finished && (queue.removed < target || circuits.size > 0)) {
      if (!(await attempt())) {
        if (faults.kind !== undefined) break;
        await sleep(pauseMs());
      }
    }
    clearInterval(hold);
  };

  return {
    append(events) {
      if (finished || settings.readOnly) {
        faults.dropped += events.length;
        return;
      }
      let refusedHere = 0;
      for (const event of events) if (!queue.push(event)) refusedHere += 1;
      lose(refusedHere);
      encoding ??= setImmediate(encodeSome);
      if (attempts > 0 || busy !== undefined) return;
      if (queue.waiting >= settings.batchSize) setImmediate(begin);
      else after(settings.flushIntervalMs);
    },
    saveCircuits(snapshots) {
      if (finished || settings.readOnly || snapshots.size === 0) return;
      const merged = new Map(circuits);
      for (const [toolId, snapshot] of snapshots) {
        const before = merged.get(toolId);
        if (before === undefined || snapshot.savedAtEpochMs >= before.savedAtEpochMs) merged.set(toolId, snapshot);
      }
      circuits = merged;
      if (attempts === 0) after(settings.flushIntervalMs);
    },
    async forget(turnId) {
      while (busy !== undefined) await busy;
      const turnText = toText(turnId);
      queue.forget(turnId, turnText);
      if (pending !== undefined) {
        const own = (entry: Entry): boolean => entry.turnId === turnText;
        queue.settle(pending.entries.filter(own));
        // Under the same number: if it was committed after all, the deletion takes those events too.
        pending = { ...pending, entries: pending.entries.filter((entry) => !own(entry)) };
      }
      remember(new Map([[turnText, { run: known.get(turnText)?.run ?? 0, ended: true, deleted: true }]]));
    },
    flush,
    async finish() {
      if (finished) return;
      await flush();
      finished = true;
      clearTimeout(timer);
      clearInterval(heartbeat);
      clearImmediate(encoding);
      faults.dropped += queue.size;
      queue.clear();
      if (!registered || faults.kind !== undefined) return;
      await database.write((session) => leave(session, schema, identity.instance)).catch(() => undefined);
    },
    failed,
    begunAnew() {
      known.clear();
      partitions.clear();
    },
    stats: () => ({ buffered: queue.size, bufferedBytes: queue.bytes, written, batches }),
  };
}
