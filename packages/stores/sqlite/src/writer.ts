/**
 * Owns the way of an event into the file: queue, batches, waiting and trying again. Does not own who writes (`desk.ts`).
 *
 * 1. `append` only queues. It throws nothing, writes nothing, calls nobody.
 * 2. The queue never holds more than `maxBufferedEvents`; what comes then is dropped and counted.
 * 3. An event leaves the queue when its transaction is committed, not before.
 * 4. One batch at a time, and the event loop turns between two of them.
 * 5. A lock of another process becomes a fault when it lasts longer than `lockPatienceMs`.
 * 6. Nothing here keeps the process alive but a `flush` somebody waits for.
 * 7. Who appends faster than can be written is held up between two turns of the event loop, before the queue is full.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import type { CircuitSnapshot, TraceEvent } from '@holdfast/core';
import type { StoreFaults } from '@holdfast/core/internal/store';
import { createDesk } from './desk.ts';
import { entryOf, type Entry } from './event-row.ts';
import type { Link } from './link.ts';
import { createQueue } from './queue.ts';
import type { SqliteFaultKind, Settings } from './settings.ts';
import { heartbeatEveryMs, type WriterIdentity } from './writer-identity.ts';

const lockPatienceMs = 2_000;
const exitPatienceMs = 1_000;
/** Each try may block for the busy timeout of the connection. */
const longestLockPauseMs = 400;
const longestPauseMs = 2_000;
/** Characters in one transaction: a batch of huge events is cut. */
const longestBatch = 4_000_000;

export interface SqliteWriterStats {
  readonly buffered: number;
  readonly written: number;
  readonly batches: number;
}

export interface Writer {
  append(events: readonly TraceEvent[]): void;
  saveCircuits(circuits: ReadonlyMap<string, CircuitSnapshot>): void;
  /** Leaves out what is queued of a turn, and what comes of it. Nothing is being written when it returns. */
  forget(turnId: string): void;
  /** One step of forgetting old turns; answers whether there is more to do. Rejects nothing. */
  sweep(): Promise<boolean>;
  flush(): Promise<void>;
  /** Writes what it can without giving up the thread, and counts the rest as dropped. */
  finish(): void;
  stats(): SqliteWriterStats;
}

/** What prevented a batch; `undefined` when it was written, `later` when nobody has tried. */
type Failure = SqliteFaultKind | 'later' | undefined;

export function createWriter(settings: Settings, link: Link, faults: StoreFaults<SqliteFaultKind>, identity: WriterIdentity): Writer {
  const queue = createQueue(settings.maxBufferedEvents);
  const desk = createDesk(settings, link, faults, identity);
  const crowded = Math.max(settings.batchSize, Math.min(20_000, settings.maxBufferedEvents / 2));
  let circuits = new Map<string, CircuitSnapshot>();
  let waiting: ((failure: Failure) => void)[] = [];
  let timer: NodeJS.Timeout | undefined;
  let immediate: NodeJS.Immediate | undefined;
  let finished = false;
  let attempts = 0;
  let lockedSince: number | undefined;
  let written = 0;
  let batches = 0;
  let overflowed = false;
  let writtenAt = 0;

  const idle = (): boolean => queue.size === 0 && circuits.size === 0;

  const soon = (): void => {
    if (immediate === undefined && !finished) immediate = setImmediate(onImmediate);
  };

  const after = (delayMs: number): void => {
    if (timer === undefined && !finished) timer = setTimeout(onTimer, delayMs).unref();
  };

  const onTimer = (): void => {
    timer = undefined;
    begin();
  };

  const onImmediate = (): void => {
    immediate = undefined;
    if (desk.busy && queue.size > crowded) desk.await();
    begin();
  };

  const beat = (): void => {
    if (desk.busy || !idle() || Date.now() - writtenAt < heartbeatEveryMs / 2) return;
    const now = Date.now();
    desk.perform({ type: 'beat', now }, (outcome) => {
      if (outcome !== undefined && !('kind' in outcome)) writtenAt = now;
      goOn(undefined);
    });
  };
  const heartbeat = settings.readOnly ? undefined : setInterval(beat, heartbeatEveryMs).unref();

  const pauseMs = (failure: SqliteFaultKind): number =>
    Math.min(failure === 'locked' ? longestLockPauseMs : longestPauseMs, 5 * 2 ** Math.min(attempts, 12)) * (0.5 + Math.random());

  /** One batch, where none is under way. */
  const begin = (): void => {
    if (finished || desk.busy || idle()) return;
    write(goOn);
  };

  const write = (then: (failure: Failure) => void): void => {
    const { entries, count } = nextBatch();
    const saved = circuits;
    const now = Date.now();
    desk.perform({ type: 'write', entries, circuits: saved, now }, (outcome) => {
      const failure = outcome === undefined ? 'later' : 'kind' in outcome ? onFailed(outcome.kind, now) : undefined;
      if (outcome !== undefined && !('kind' in outcome)) {
        queue.drop(count);
        if (circuits === saved) circuits = new Map();
        written += outcome.written;
        batches += 1;
        faults.dropped += outcome.dropped + count - entries.length;
        succeeded(now);
      }
      then(failure);
    });
  };

  /** The text of the next events, and how many they are with those that have none. */
  const nextBatch = (): { readonly entries: readonly Entry[]; readonly count: number } => {
    const entries: Entry[] = [];
    let count = 0;
    let length = 0;
    for (const event of queue.peek(settings.batchSize)) {
      if (length > longestBatch) break;
      count += 1;
      const entry = entryOf(event);
      if (entry === undefined) continue;
      entries.push(entry);
      length += entry.body.length;
    }
    return { entries, count };
  };

  const succeeded = (now: number): void => {
    attempts = 0;
    lockedSince = undefined;
    writtenAt = now;
    if (overflowed && queue.size < settings.maxBufferedEvents) overflowed = false;
    if (faults.kind !== 'unreadable' && !overflowed) faults.clear();
  };

  const onFailed = (kind: SqliteFaultKind, now: number): SqliteFaultKind => {
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

  const goOn = (failure: Failure): void => {
    const told = waiting;
    waiting = [];
    for (const tell of told) tell(failure);
    if (failure === 'later') soon();
    else if (failure !== undefined) after(pauseMs(failure));
    else if (queue.size >= settings.batchSize) soon();
    else if (!idle()) after(settings.flushIntervalMs);
  };

  /** What becomes of the batch under way, or of the next. */
  const nextOutcome = (): Promise<Failure> =>
    new Promise((resolve) => {
      waiting.push(resolve);
      if (!desk.busy) write(goOn);
    });

  const flush = async (): Promise<void> => {
    const target = queue.accepted;
    let repairs = 0;
    while (!finished && (queue.removed < target || circuits.size > 0)) {
      const failure = await nextOutcome();
      if (failure === undefined || failure === 'later') await sleep(0);
      else if (failure === 'corrupt' && repairs === 0) repairs += 1;
      else if (failure === 'locked' && faults.kind !== 'locked') await sleep(pauseMs(failure));
      else return;
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
      else if (queue.size >= (desk.busy ? crowded : settings.batchSize)) soon();
      else if (!desk.busy) after(settings.flushIntervalMs);
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
    forget(turnId) {
      desk.settle();
      queue.forget(turnId);
      desk.leaveOut(turnId);
    },
    async sweep() {
      while (desk.busy) await sleep(1, undefined, { ref: false });
      if (finished) return false;
      const now = Date.now();
      return new Promise((resolve) => {
        desk.perform({ type: 'sweep', now }, (outcome) => {
          goOn(undefined);
          resolve(outcome !== undefined && 'more' in outcome && outcome.more);
        });
      });
    },
    async flush() {
      const release = desk.hold();
      await flush();
      release();
    },
    finish() {
      if (finished) return;
      desk.retire();
      const until = Date.now() + exitPatienceMs;
      for (let stuck = false; !stuck && !idle();) {
        write((failure) => (stuck = failure !== undefined && (failure !== 'locked' || Date.now() > until)));
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
