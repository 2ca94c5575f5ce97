/**
 * Owns the way of an event into the file: queue, batches, waiting and trying again.
 *
 * 1. `append` only queues. It throws nothing, writes nothing, calls nobody.
 * 2. The queue never holds more than `maxBufferedEvents`; what comes then is dropped and counted.
 * 3. An event leaves the queue when its transaction is committed, not before.
 * 4. One batch at a time, and the event loop turns between two of them.
 * 5. A lock of another process becomes a fault when it lasts longer than `lockPatienceMs`.
 * 6. Nothing here keeps the process alive but a `flush` somebody waits for.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import type { CircuitSnapshot, TraceEvent } from '@holdfast/core';
import { writeBatch, type BatchResult, type RunState } from './batch.ts';
import type { Faults } from './faults.ts';
import type { Link } from './link.ts';
import { createQueue } from './queue.ts';
import type { FaultKind, Settings } from './settings.ts';
import { heartbeatEveryMs, type WriterIdentity } from './writer-identity.ts';

const lockPatienceMs = 2_000;
const exitPatienceMs = 1_000;
/** Each try may block the event loop for the busy timeout of the connection. */
const longestLockPauseMs = 400;
const longestPauseMs = 2_000;
/** More than any number of turns that run at once; beyond it the file is asked. */
const rememberedRuns = 10_000;

export interface WriterStats {
  readonly buffered: number;
  readonly written: number;
  readonly batches: number;
}

export interface Writer {
  append(events: readonly TraceEvent[]): void;
  saveCircuits(circuits: ReadonlyMap<string, CircuitSnapshot>): void;
  /** Leaves out what is queued of a turn. */
  forget(turnId: string): void;
  flush(): Promise<void>;
  /** Writes what it can without giving up the thread, and counts the rest as dropped. */
  finish(): void;
  stats(): WriterStats;
}

export function createWriter(settings: Settings, link: Link, faults: Faults, identity: WriterIdentity): Writer {
  const queue = createQueue(settings.maxBufferedEvents);
  let circuits = new Map<string, CircuitSnapshot>();
  let runs = new Map<string, RunState>();
  let generation = 0;
  let timer: NodeJS.Timeout | undefined;
  let immediate: NodeJS.Immediate | undefined;
  let finished = false;
  let attempts = 0;
  let lockedSince: number | undefined;
  let written = 0;
  let batches = 0;
  let overflowed = false;
  let heartbeatAt = 0;

  const idle = (): boolean => queue.size === 0 && circuits.size === 0;

  const soon = (): void => {
    if (immediate === undefined && !finished) immediate = setImmediate(onImmediate);
  };

  const after = (delayMs: number): void => {
    if (timer === undefined && !finished) timer = setTimeout(onTimer, delayMs).unref();
  };

  const onTimer = (): void => {
    timer = undefined;
    turn();
  };

  const onImmediate = (): void => {
    immediate = undefined;
    turn();
  };

  /** One batch, and then as soon again as it makes sense. */
  const turn = (): void => {
    if (finished || idle()) return;
    const failure = write();
    if (failure !== undefined) after(pauseMs(failure));
    else if (queue.size >= settings.batchSize) soon();
    else if (!idle()) after(settings.flushIntervalMs);
  };

  const beat = (): void => {
    if (Date.now() - heartbeatAt < heartbeatEveryMs / 2) return;
    if (idle() && [...runs.values()].some((run) => !run.ended)) write();
  };
  const heartbeat = settings.readOnly ? undefined : setInterval(beat, heartbeatEveryMs).unref();

  const pauseMs = (failure: FaultKind): number =>
    Math.min(failure === 'locked' ? longestLockPauseMs : longestPauseMs, 5 * 2 ** Math.min(attempts, 12)) * (0.5 + Math.random());

  /** Writes one batch; answers what prevented it. */
  const write = (): FaultKind | undefined => {
    const events = queue.peek(settings.batchSize);
    const saved = circuits;
    const now = Date.now();
    let result: BatchResult;
    try {
      const connection = link.open();
      if (generation !== link.generation) {
        generation = link.generation;
        runs = new Map();
      }
      result = writeBatch(connection, { events, circuits: saved, runs, writer: identity, now });
    } catch (error) {
      return failed(error, now);
    }
    queue.drop(events.length);
    if (circuits === saved) circuits = new Map();
    remember(result.runs);
    written += result.written;
    batches += 1;
    faults.dropped += result.dropped;
    attempts = 0;
    lockedSince = undefined;
    heartbeatAt = now;
    if (overflowed && queue.size < settings.maxBufferedEvents) overflowed = false;
    if (faults.kind !== 'unreadable' && !overflowed) faults.clear();
    return undefined;
  };

  const failed = (error: unknown, now: number): FaultKind => {
    const kind = link.failed(error);
    attempts = kind === 'corrupt' && attempts === 0 ? 0 : attempts + 1;
    if (kind !== 'locked') {
      lockedSince = undefined;
      return kind;
    }
    lockedSince ??= now;
    if (now - lockedSince >= lockPatienceMs) {
      faults.raise(
        'locked',
        `Trace store ${settings.path}: another process has held the database locked for ${String(Math.round((now - lockedSince) / 1000))} s.`,
      );
    }
    return kind;
  };

  const remember = (learned: ReadonlyMap<string, RunState>): void => {
    for (const [turnId, run] of learned) {
      runs.delete(turnId);
      runs.set(turnId, run);
    }
    for (const turnId of runs.keys()) {
      if (runs.size <= rememberedRuns) break;
      runs.delete(turnId);
    }
  };

  const reportOverflow = (): void => {
    if (overflowed && faults.kind === undefined) {
      faults.raise('overflow', `Trace store ${settings.path}: more than ${String(settings.maxBufferedEvents)} events wait to be written.`);
    }
  };

  return {
    append(events) {
      if (finished || settings.readOnly) {
        faults.dropped += events.length;
        return;
      }
      for (const event of events) {
        if (queue.push(event)) continue;
        faults.dropped += 1;
        overflowed = true;
      }
      if (overflowed && faults.kind === undefined) setImmediate(reportOverflow);
      if (attempts > 0) after(settings.flushIntervalMs);
      else if (queue.size >= settings.batchSize) soon();
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
      after(settings.flushIntervalMs);
    },
    forget: (turnId) => queue.forget(turnId),
    async flush() {
      const target = queue.accepted;
      let repairs = 0;
      while (!finished && (queue.removed < target || circuits.size > 0)) {
        const failure = write();
        if (failure === undefined) await sleep(0);
        else if (failure === 'corrupt' && repairs === 0) repairs += 1;
        else if (failure === 'locked' && faults.kind !== 'locked') await sleep(pauseMs(failure));
        else return;
      }
    },
    finish() {
      if (finished) return;
      const until = Date.now() + exitPatienceMs;
      while (!idle()) {
        const failure = write();
        if (failure !== undefined && (failure !== 'locked' || Date.now() > until)) break;
      }
      finished = true;
      clearTimeout(timer);
      clearInterval(heartbeat);
      clearImmediate(immediate);
      faults.dropped += queue.size;
      queue.drop(queue.size);
    },
    stats: () => ({ buffered: queue.size, written, batches }),
  };
}
