/**
 * Owns the queries of the store.
 *
 * 1. No statement stays open across turns of the event loop, so a reader never blocks a checkpoint.
 * 2. Long reads come in steps that block the event loop for a few milliseconds each.
 */
import type { TraceEvent } from '@holdfast/core';
import type { AppendedEvents, CallPlace, EventQuery, TurnQuery, TurnSummary } from '@holdfast/core/store';
import { fromStoredText, toStoredText } from '@holdfast/core/internal/store';
import type { SQLOutputValue } from 'node:sqlite';
import type { Connection } from './connection.ts';
import { keepEventIds, lastEventId } from './event-ids.ts';
import { isAlive } from './writer-identity.ts';

type Row = Record<string, SQLOutputValue>;

/** Ids read in one step of a long read. */
const stepSize = 1_000;

export function readTurn(connection: Connection, turnId: string, run: number | undefined): readonly TraceEvent[] | undefined {
  const found =
    run === undefined
      ? connection.statement('SELECT run FROM turns WHERE turn_id = ? ORDER BY run DESC LIMIT 1').get(toStoredText(turnId))
      : connection.statement('SELECT run FROM turns WHERE turn_id = ? AND run = ?').get(toStoredText(turnId), run);
  if (found === undefined) return undefined;
  return connection.statement('SELECT body FROM events WHERE run = ? ORDER BY seq').all(Number(found['run'])).map(eventOf);
}

const summaryColumns = `t.run, t.turn_id, t.started_at, t.ended_at, t.outcome, t.summary, max(t.planned, t.completed) AS calls, t.events,
  w.machine, w.pid, w.process_start, w.heartbeat_at, w.closed_at FROM turns t LEFT JOIN writers w ON w.id = t.writer`;

export function listTurns(connection: Connection, query: TurnQuery, machine: string, now: number): readonly TurnSummary[] {
  const { limit = 50, after, before = Number.MAX_SAFE_INTEGER, since = Number.MIN_SAFE_INTEGER } = query;
  return connection
    .statement(
      `SELECT ${summaryColumns} WHERE t.started_at >= ? AND t.started_at < ? AND (t.started_at, t.run) < (?, ?)
       ORDER BY t.started_at DESC, t.run DESC LIMIT ?`,
    )
    .all(since, before, after?.startedAt ?? Number.MAX_SAFE_INTEGER, after?.run ?? 0, toCount(limit))
    .map((row) => summaryOf(row, machine, now));
}

/** Turns whose id begins with `prefix`, newest first. */
export function findTurns(connection: Connection, prefix: string, limit: number, machine: string, now: number): readonly TurnSummary[] {
  const from = toStoredText(prefix);
  return connection
    .statement(`SELECT ${summaryColumns} WHERE t.turn_id >= ? AND t.turn_id < ? ORDER BY t.started_at DESC, t.run DESC LIMIT ?`)
    .all(from, `${from}\u{10FFFF}`, limit)
    .map((row) => summaryOf(row, machine, now));
}

/** The latest call of that id. */
export function findCall(connection: Connection, callId: string): CallPlace | undefined {
  const row = connection
    .statement(
      `SELECT e.run, t.turn_id, e.tool_id FROM events e JOIN turns t ON t.run = e.run
       WHERE e.call_id = ? AND e.type IN ('CallStarted', 'CallCompleted') ORDER BY e.id DESC LIMIT 1`,
    )
    .get(toStoredText(callId));
  if (row === undefined) return undefined;
  return { callId, turnId: textOf(row, 'turn_id'), run: Number(row['run']), toolName: textOf(row, 'tool_id') };
}

/** Otherwise SQLite goes through the ids from the first on, until it finds one of that time. */
export const firstSince = 'SELECT min(id) AS id FROM events INDEXED BY events_by_time WHERE at_ms >= ?';
export const lastBeforeNewest = 'SELECT id FROM events ORDER BY id DESC LIMIT 1 OFFSET ?';

/** The ids that `readEvents` reads: what is recorded by now, and not much before `since` or the newest. */
export function eventRange(connection: Connection, { since, newest }: EventQuery): { readonly from: number; readonly to: number } {
  const idOf = (row: Row | undefined): number | undefined => (typeof row?.['id'] === 'number' ? row['id'] : undefined);
  const to = idOf(connection.statement('SELECT max(id) AS id FROM events').get()) ?? 0;
  const first =
    since === undefined
      ? (idOf(connection.statement('SELECT min(id) AS id FROM events').get()) ?? 1)
      : (idOf(connection.statement(firstSince).get(since)) ?? to + 1);
  if (newest === undefined) return { from: first, to };
  const last = connection.statement(lastBeforeNewest).get(toCount(newest));
  return { from: Math.max(first, (idOf(last) ?? 0) + 1), to };
}

export function readStep(connection: Connection, query: EventQuery, from: number, to: number): readonly TraceEvent[] {
  const types = query.eventTypes === undefined ? null : JSON.stringify(query.eventTypes);
  return connection
    .statement(
      `SELECT body FROM events WHERE id >= ? AND id < ? AND +at_ms >= ? AND +at_ms < ? AND (?5 IS NULL OR type IN (SELECT value FROM json_each(?5)))
       AND EXISTS (SELECT 1 FROM turns WHERE turns.run = events.run) ORDER BY id`,
    )
    .all(from, Math.min(from + stepSize, to + 1), query.since ?? Number.MIN_SAFE_INTEGER, query.until ?? Number.MAX_SAFE_INTEGER, types)
    .map(eventOf);
}

export function nextStep(from: number): number {
  return from + stepSize;
}

/** What writers other than `instance` appended after `after`: the events of one step, and where it ended. */
export function readAppended(connection: Connection, instance: string, after: string | undefined, limit: number): AppendedEvents {
  const last = lastEventId(connection);
  // The file was replaced by a new one.
  if (after === undefined || Number(after) > last) return { events: [], cursor: String(last) };
  const events: TraceEvent[] = [];
  let cursor = Number(after);
  while (cursor < last && events.length < limit) {
    const rows = connection
      .statement(
        `SELECT id, CASE WHEN writer IS NOT (SELECT id FROM writers WHERE instance = ?) AND EXISTS (SELECT 1 FROM turns WHERE turns.run = events.run) THEN body END AS body
         FROM events WHERE id > ? AND id <= ? ORDER BY id LIMIT ?`,
      )
      .all(instance, cursor, last, Math.min(stepSize, limit - events.length));
    events.push(...rows.filter((row) => row['body'] !== null).map(eventOf));
    cursor = rows.length === 0 ? last : Number(rows.at(-1)?.['id']);
  }
  return { events, cursor: String(cursor) };
}

/** Deletes every run of a turn id and overwrites its bytes. Returns how many runs. */
export function deleteTurn(connection: Connection, turnId: string): number {
  const { database } = connection;
  // Overwrites the deleted bytes, here and in the log, so that nothing can be recovered from the file.
  database.exec('PRAGMA secure_delete = ON');
  try {
    database.exec('BEGIN IMMEDIATE');
    keepEventIds(connection);
    connection.statement('DELETE FROM events WHERE run IN (SELECT run FROM turns WHERE turn_id = ?)').run(toStoredText(turnId));
    const { changes } = connection.statement('DELETE FROM turns WHERE turn_id = ?').run(toStoredText(turnId));
    database.exec('COMMIT');
    database.exec('PRAGMA wal_checkpoint(TRUNCATE)');
    return Number(changes);
  } catch (error) {
    if (database.isTransaction) database.exec('ROLLBACK');
    throw error;
  } finally {
    database.exec('PRAGMA secure_delete = OFF');
  }
}

function summaryOf(row: Row, machine: string, now: number): TurnSummary {
  const { ended_at: endedAt, outcome, summary, closed_at: closedAt } = row;
  const seen = {
    turnId: textOf(row, 'turn_id'),
    run: Number(row['run']),
    startedAt: Number(row['started_at']),
    calls: Number(row['calls']),
    events: Number(row['events']),
  };
  if (typeof endedAt === 'number') {
    const completed = { outcome: outcome as NonNullable<TurnSummary['outcome']>, summary: fromStoredText(String(summary)) };
    return { ...seen, state: 'completed', endedAt, ...completed };
  }
  const writer = {
    machine: String(row['machine']),
    pid: Number(row['pid']),
    processStart: String(row['process_start']),
    heartbeatAt: Number(row['heartbeat_at']),
    closedAt: typeof closedAt === 'number' ? closedAt : undefined,
  };
  if (isAlive(writer, machine, now)) return { ...seen, state: 'running' };
  const seenAt = writer.closedAt ?? writer.heartbeatAt;
  return { ...seen, state: 'interrupted', ...(seenAt > 0 ? { seenAt } : {}) };
}

function toCount(value: number): number {
  return Math.max(0, Math.trunc(Math.min(value, 1e9)));
}

function eventOf(row: Row): TraceEvent {
  return JSON.parse(String(row['body'])) as TraceEvent;
}

function textOf(row: Row, column: string): string {
  return fromStoredText(String(row[column]));
}
