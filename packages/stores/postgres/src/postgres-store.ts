/**
 * Owns putting the store together: settings, database, writer, reads, retention, the end of the process.
 */
import { randomUUID } from 'node:crypto';
import { hostname } from 'node:os';
import type { CircuitSnapshot } from '@holdfast/core';
import { createStoreFaults, startSweeping } from '@holdfast/core/internal/store';
import type { AppendedEvents, CallPlace, Store, TurnSummary } from '@holdfast/core/store';
import { type Database, openDatabase } from './database/database.ts';
import type { Session } from './database/session.ts';
import { onIdleProcess } from './exit-hook.ts';
import { storeStats, type PostgresStats } from './inspection.ts';
import * as queries from './queries.ts';
import { Reader } from './reader.ts';
import { sweepStep } from './retention.ts';
import { repairPosition, tracePlan } from './schema.ts';
import { settingsOf, type PostgresFault, type PostgresFaultKind, type PostgresStoreOptions, type Settings } from './settings.ts';
import { Writer } from './writer.ts';

/** Up to twice as long, since several processes start at once after a deployment. */
const firstSweepAfterMs = 5_000;
const sweepPauseMs = 50;

/** The `Store` of `@holdfast/core` in PostgreSQL, and what an inspector asks beyond it. */
export interface PostgresStore extends Store {
  /** Which database, without secrets: `postgres://user@host:5432/database`. */
  readonly place: string;
  /** Returns whether the store works; if not, why, and the kind of the fault. */
  status(): PostgresFault;
  /** Connects, makes the tables where they are missing, and answers the status. Otherwise that happens at the first use. Never rejects. */
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
  /** Deletes every run of a turn; answers how many. What comes of it later through this store is left out too. */
  deleteTurn(turnId: string): Promise<number>;
  /** Resolves to the size of the database's content and of what waits here. */
  stats(): Promise<PostgresStats>;
  /** One small step of forgetting old turns, which otherwise happens every hour; answers whether there is more to do. Never rejects. */
  sweep(): Promise<boolean>;
}

/**
 * Keeps traces and circuits in PostgreSQL 14 or newer, which any number of processes may use at once.
 *
 * Throws a `TypeError` or `RangeError` for a wrong option. Everything else, a wrong password or a schema of a newer version too, is told by `status()`
 * and `onFault`; meanwhile events wait in memory.
 */
export function postgresStore(options: PostgresStoreOptions): PostgresStore {
  const settings = settingsOf(options);
  const { readOnly } = settings;
  const faults = createStoreFaults<PostgresFaultKind>(settings.onFault);
  const { writing, reading } = openDatabases(settings, async (session, name) => {
    writer.begunAnew();
    await repairPosition(session, name);
  });
  const { schema, place } = writing;
  const identity = { instance: randomUUID(), name: `${hostname()} ${String(process.pid)}` };
  const writer = new Writer(settings, writing, faults, identity);
  const reader = new Reader(reading, faults);
  const sweep = async (): Promise<boolean> => {
    if (readOnly || reader.closed) return false;
    // Another session's lock, a database that is away: the next hour is soon enough.
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
    flush: () => writer.flush(),
    close: () => (closing ??= end()),
    status: () => faults.status(),
    async ready() {
      try {
        await (readOnly ? reading.read(nothing) : writing.write(nothing));
        if (faults.kind !== 'overflow') faults.clear();
      } catch (error) {
        writer.failed(error);
      }
      return faults.status();
    },
    ...readsOf(reader, schema, identity.instance),
    async deleteTurn(turnId) {
      await writer.flush();
      // What could not be written, or came meanwhile, would otherwise come after the deletion.
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

/** One connection is kept for writing, so that questions never hold it up. */
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

/** What happens by itself: sweeping, and writing before the process ends. Returns the way to stop. */
function startWork(sweep: (() => Promise<boolean>) | undefined, writeBeforeEnd: () => void): () => void {
  const stopSweeping = sweep && startSweeping(sweep, { firstAfterMs: firstSweepAfterMs * (1 + Math.random()), pauseMs: sweepPauseMs });
  const takeBack = onIdleProcess(writeBeforeEnd);
  return () => {
    takeBack();
    stopSweeping?.();
  };
}

type Reads = Pick<PostgresStore, 'readTurn' | 'listTurns' | 'readEvents' | 'readAppended' | 'loadCircuits' | 'findTurns' | 'findCall'>;

function readsOf(reader: Reader, schema: string, instance: string): Reads {
  return {
    readTurn: (turnId, run) => reader.ask(undefined, (session) => queries.readTurn(session, schema, turnId, run)),
    listTurns: (query = {}) => reader.ask([], (session) => queries.listTurns(session, schema, query)),
    readEvents: (query = {}) => reader.events(query),
    readAppended: (after, limit = 1_000) =>
      reader.ask({ events: [], cursor: after ?? '' }, (session) => queries.readAppended(session, schema, instance, after, limit)),
    loadCircuits: () => reader.ask<ReadonlyMap<string, CircuitSnapshot>>(new Map(), (session) => queries.loadCircuits(session, schema)),
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

async function nothing(): Promise<void> {}
