/**
 * Owns putting the store together: settings, database, writer, reads, retention, the end of the process.
 */
import { randomUUID } from 'node:crypto';
import { hostname } from 'node:os';
import type { CircuitSnapshot, TraceEvent } from '@holdfast/core';
import type { AppendedEvents, CallPlace, EventQuery, Store, TurnSummary } from '@holdfast/core/store';
import { createStoreFaults, startSweeping } from '@holdfast/core/internal/store';
import { openDatabase } from './database/database.ts';
import type { Session } from './database/session.ts';
import { databaseProblem } from './database/faults.ts';
import { onIdleProcess } from './exit-hook.ts';
import { storeStats, type PostgresStats } from './inspection.ts';
import * as queries from './queries.ts';
import type { Position } from './queries.ts';
import { sweepStep } from './retention.ts';
import { repairPosition, tracePlan } from './schema.ts';
import { settingsOf, type PostgresFault, type PostgresFaultKind, type PostgresStoreOptions } from './settings.ts';
import { createWriter } from './writer.ts';

/** Up to twice as long, since several processes start at once after a deployment. */
const firstSweepAfterMs = 5_000;
const sweepPauseMs = 50;

/** The `Store` of `@holdfast/core` in PostgreSQL, and what an inspector asks beyond it. */
export interface PostgresStore extends Store {
  /** Which database, without secrets: `postgres://user@host:5432/database`. */
  readonly place: string;
  status(): PostgresFault;
  /** Connects, makes the tables where they are missing, and answers the status. Otherwise that happens at the first use. Never rejects. */
  ready(): Promise<PostgresFault>;
  readAppended(after: string | undefined, limit?: number): Promise<AppendedEvents>;
  /** Turns whose id begins with `prefix`, newest first; all runs of them. */
  findTurns(prefix: string, limit?: number): Promise<readonly TurnSummary[]>;
  /** Where the latest call of that id is recorded. */
  findCall(callId: string): Promise<CallPlace | undefined>;
  /** Deletes every run of a turn; answers how many. What comes of it later through this store is left out too. */
  deleteTurn(turnId: string): Promise<number>;
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
  const plan = { plan: tracePlan, readOnly };
  const begin = async (session: Session, name: string): Promise<void> => {
    writer.begunAnew();
    await repairPosition(session, name);
  };
  // One connection is kept for writing, so that questions never hold it up.
  const writing = openDatabase(settings.database, { ...plan, connections: 1, opened: readOnly ? undefined : begin });
  const reading = openDatabase(settings.database, { ...plan, connections: settings.database.connections - 1 });
  const { schema, place } = writing;
  const identity = { instance: randomUUID(), name: `${hostname()} ${String(process.pid)}` };
  const writer = createWriter(settings, writing, faults, identity);
  let closed: Promise<void> | undefined;

  const sweep = async (): Promise<boolean> => {
    if (readOnly || closed !== undefined) return false;
    // Another session's lock, a database that is away: the next hour is soon enough.
    return reading.write((session) => sweepStep(session, schema, settings.retentionDays)).catch(() => false);
  };
  const stopSweeping = readOnly
    ? () => undefined
    : startSweeping(sweep, { firstAfterMs: firstSweepAfterMs * (1 + Math.random()), pauseMs: sweepPauseMs });
  const takeBack = onIdleProcess(() => {
    if (closed === undefined && faults.kind === undefined && writer.stats().buffered > 0) void writer.flush();
  });

  const close = async (): Promise<void> => {
    takeBack();
    stopSweeping();
    await writer.finish();
    faults.raise('closed', `PostgreSQL ${place}: the store is closed.`);
    await Promise.all([writing.close(), reading.close()]);
  };

  const ask = async <Answer>(otherwise: Answer, question: (session: Session) => Promise<Answer>): Promise<Answer> => {
    if (closed !== undefined) return otherwise;
    try {
      const answer = await reading.read(question);
      faults.clear('unreadable');
      return answer;
    } catch (error) {
      if (faults.kind === undefined) faults.raise('unreadable', databaseProblem(place, error));
      return otherwise;
    }
  };

  async function* readEvents(query: EventQuery = {}): AsyncGenerator<readonly TraceEvent[], void> {
    const range = await ask(undefined, (session) => queries.eventRange(session, schema, query));
    for (let from: Position | undefined = range?.from; range !== undefined && from !== undefined;) {
      const at: Position = from;
      const step = await ask(undefined, (session) => queries.readStep(session, schema, query, at, range.to));
      if (step === undefined) return;
      if (step.events.length > 0) yield step.events;
      from = step.next;
    }
  }

  return {
    place,
    append: (events) => writer.append(events),
    flush: () => writer.flush(),
    close: () => (closed ??= close()),
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
    readTurn: (turnId, run) => ask(undefined, (session) => queries.readTurn(session, schema, turnId, run)),
    listTurns: (query = {}) => ask([], (session) => queries.listTurns(session, schema, query)),
    readEvents,
    readAppended: (after, limit = 1_000) =>
      ask({ events: [], cursor: after ?? '' }, (session) => queries.readAppended(session, schema, identity.instance, after, limit)),
    saveCircuits: (circuits) => writer.saveCircuits(circuits),
    loadCircuits: () => ask<ReadonlyMap<string, CircuitSnapshot>>(new Map(), (session) => queries.loadCircuits(session, schema)),
    findTurns: (prefix, limit = 10) => ask([], (session) => queries.findTurns(session, schema, prefix, limit)),
    findCall: (callId) => ask(undefined, (session) => queries.findCall(session, schema, callId)),
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
    stats: () => {
      const own = { place, schemaVersion: 0, turns: 0, events: 0, circuits: 0, bytes: 0, days: 0 };
      return ask<PostgresStats>({ ...own, ...writer.stats() }, async (session) => ({
        ...(await storeStats(session, schema, place)),
        ...writer.stats(),
      }));
    },
    sweep,
  };
}

async function nothing(): Promise<void> {}
