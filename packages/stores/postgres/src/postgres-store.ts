/**
 * Owns the composition of the store: settings, database, writer, reads, retention, the end of the process.
 */
import { randomUUID } from 'node:crypto';
import { hostname } from 'node:os';
import type { CircuitSnapshot, MemoryEntry } from '@holdfast/core';
import { createStoreFaults, sharedListener, startSweeping } from '@holdfast/core/internal/store';
import type { AppendedEvents, CallPlace, Store, TurnSummary } from '@holdfast/core/store';
import { type Database, openDatabase } from './database/database.ts';
import type { Session } from './database/session.ts';
import { storeStats, type PostgresStats } from './inspection.ts';
import * as queries from './queries.ts';
import { Reader } from './reader.ts';
import { sweepStep } from './retention.ts';
import { repairPosition, tracePlan } from './schema.ts';
import { loadCircuits, loadMemory } from './states.ts';
import { settingsOf, type PostgresFault, type PostgresFaultKind, type PostgresStoreOptions, type Settings } from './settings.ts';
import { Writer } from './writer.ts';

/** Plus a random part of up to the same length, since several processes start at once after a deployment. */
const firstSweepAfterMs = 5_000;
const sweepPauseMs = 50;

/** The `Store` of `@holdfast/core` in PostgreSQL, with further queries for inspection. */
export interface PostgresStore extends Store {
  /** Which database, without secrets: `postgres://user@host:5432/database`. */
  readonly place: string;
  /** Returns whether the store works; if not, why, and the kind of the fault. */
  status(): PostgresFault;
  /** Connects, creates missing tables, and resolves to the status. Otherwise that happens at the first use. Never rejects. */
  ready(): Promise<PostgresFault>;
  /**
   * Resolves to what other stores appended since `after`, at most `limit` events (1000 by default), and the cursor to continue from.
   * Without `after` it resolves to the current cursor alone.
   */
  readAppended(after: string | undefined, limit?: number): Promise<AppendedEvents>;
  /** Turns whose id begins with `prefix`, newest first; all runs of them. */
  findTurns(prefix: string, limit?: number): Promise<readonly TurnSummary[]>;
  /** Where the latest call of that id is recorded. */
  findCall(callId: string): Promise<CallPlace | undefined>;
  /** Deletes every run of a turn and resolves to how many. Later events of the turn through this store are ignored too. */
  deleteTurn(turnId: string): Promise<number>;
  /** Resolves to the size of the database's content and of what waits here. */
  stats(): Promise<PostgresStats>;
  /** Deletes some old turns, which otherwise happens every hour. Resolves to whether there are more. Never rejects. */
  sweep(): Promise<boolean>;
}

/** What is queued is written when the process has nothing left to do. `process.exit()` leaves no time for that. */
const onIdleProcess = sharedListener(process, 'beforeExit');

/**
 * Stores traces, circuits and episodic memory in PostgreSQL 14 or newer. Any number of processes may use one database.
 *
 * Throws a `TypeError` or `RangeError` for a wrong option. Everything else, including a wrong password or a schema of a newer version, is reported by
 * `status()` and `onFault`, while events wait in memory.
 */
export function postgresStore(options: PostgresStoreOptions): PostgresStore {
  const settings = settingsOf(options);
  const { readOnly } = settings;
  const faults = createStoreFaults<PostgresFaultKind>(settings.onFault);
  const { writing, reading } = openDatabases(settings, async (session, name) => {
    writer.forgetTables();
    await repairPosition(session, name);
  });
  const { schema, place } = writing;
  const identity = { instance: randomUUID(), name: `${hostname()} ${String(process.pid)}` };
  const writer = new Writer(settings, writing, faults, identity);
  const reader = new Reader(reading, faults);
  const sweep = async (): Promise<boolean> => {
    if (readOnly || reader.closed) return false;
    // Another session's lock or a lost connection: the next hour is soon enough.
    return reading.write((session) => sweepStep(session, schema, settings.retentionDays)).catch(() => false);
  };
  const stopWork = startWork(readOnly ? undefined : sweep, () => {
    if (!reader.closed && faults.kind === undefined && writer.stats().buffered > 0) void writer.flush();
  });

  const end = async (): Promise<void> => {
    reader.close();
    stopWork();
    await writer.finish();
    faults.raise('closed', `PostgreSQL ${place}: the store is closed.`);
    await Promise.all([writing.close(), reading.close()]);
  };
  let closing: Promise<void> | undefined;

  return {
    place,
    append: (events) => writer.append(events),
    saveCircuits: (circuits) => writer.saveCircuits(circuits),
    addMemory: (learned) => writer.addMemory(learned),
    flush: () => writer.flush(),
    close: () => (closing ??= end()),
    status: () => faults.status(),
    async ready() {
      try {
        await (readOnly ? reading.read(noop) : writing.write(noop));
        if (faults.kind !== 'overflow') faults.clear();
      } catch (error) {
        writer.failed(error);
      }
      return faults.status();
    },
    ...readsOf(reader, schema, identity.instance),
    async deleteTurn(turnId) {
      await writer.flush();
      // Events that could not be written, or arrived in the meantime, would otherwise be written after the deletion.
      await writer.forget(turnId);
      try {
        return await reading.write((session) => queries.deleteTurn(session, schema, turnId));
      } catch (error) {
        writer.failed(error);
        return 0;
      }
    },
    stats: () => statsOf(reader, writer, schema, place),
    sweep,
  };
}

/** One connection is reserved for writing, so that reads never delay it. */
function openDatabases(
  { database, readOnly }: Settings,
  begin: (session: Session, schema: string) => Promise<void>,
): { readonly writing: Database; readonly reading: Database } {
  const plan = { plan: tracePlan, readOnly };
  return {
    writing: openDatabase(database, { ...plan, connections: 1, opened: readOnly ? undefined : begin }),
    reading: openDatabase(database, { ...plan, connections: database.connections - 1 }),
  };
}

/** Starts sweeping, and writing before the process ends. Returns a function that stops both. */
function startWork(sweep: (() => Promise<boolean>) | undefined, writeBeforeEnd: () => void): () => void {
  const stopSweeping = sweep && startSweeping(sweep, { firstAfterMs: firstSweepAfterMs * (1 + Math.random()), pauseMs: sweepPauseMs });
  const stopWriting = onIdleProcess(writeBeforeEnd);
  return () => {
    stopWriting();
    stopSweeping?.();
  };
}

type Reads = Pick<
  PostgresStore,
  'readTurn' | 'listTurns' | 'readEvents' | 'readAppended' | 'loadCircuits' | 'loadMemory' | 'findTurns' | 'findCall'
>;

function readsOf(reader: Reader, schema: string, instance: string): Reads {
  return {
    readTurn: (turnId, run) => reader.ask(undefined, (session) => queries.readTurn(session, schema, turnId, run)),
    listTurns: (query = {}) => reader.ask([], (session) => queries.listTurns(session, schema, query)),
    readEvents: (query = {}) => reader.events(query),
    readAppended: (after, limit = 1_000) =>
      reader.ask({ events: [], cursor: after ?? '' }, (session) => queries.readAppended(session, schema, instance, after, limit)),
    loadCircuits: () => reader.ask<ReadonlyMap<string, CircuitSnapshot>>(new Map(), (session) => loadCircuits(session, schema)),
    loadMemory: () => reader.ask<readonly MemoryEntry[]>([], (session) => loadMemory(session, schema)),
    findTurns: (prefix, limit = 10) => reader.ask([], (session) => queries.findTurns(session, schema, prefix, limit)),
    findCall: (callId) => reader.ask(undefined, (session) => queries.findCall(session, schema, callId)),
  };
}

function statsOf(reader: Reader, writer: Writer, schema: string, place: string): Promise<PostgresStats> {
  const unknown = { place, schemaVersion: 0, turns: 0, events: 0, circuits: 0, bytes: 0, days: 0 };
  return reader.ask<PostgresStats>({ ...unknown, ...writer.stats() }, async (session) => ({
    ...(await storeStats(session, schema, place)),
    ...writer.stats(),
  }));
}

async function noop(): Promise<void> {}
