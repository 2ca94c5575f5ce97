/**
 * Owns retention: deletes turns older than the limit, and the oldest ones of a file that is too large, in small steps; what was learned only
 * before the limit; and shrinks the file.
 *
 * 1. A turn disappears in one step: its row is deleted, then its events; after a crash in between the next sweep continues.
 * 2. A turn with an event within the limit of days stays, unless the file is too large. Then turns go that have ended, or had no event for a week.
 */
import type { Connection } from './connection.ts';
import { keepEventIds } from './event-ids.ts';
import type { Settings } from './settings.ts';

const dayMs = 86_400_000;
/** A turn without an end and without an event for this long has been interrupted. */
const idleMs = 7 * dayMs;
const runsAtOnce = 100;
const eventsAtOnce = 2_000;
const pagesAtOnce = 200;
/** Free pages are reused; only those beyond this number are returned to the file system. */
const pagesToKeep = 500;

/** Which turns are deleted. */
export type RetentionLimits = Pick<Settings, 'retentionDays' | 'maxBytes'>;

/** Runs one step of about `budgetMs` and returns whether there is more to do. */
export function sweepStep(connection: Connection, { retentionDays, maxBytes }: RetentionLimits, now: number, budgetMs = 0): boolean {
  const { database } = connection;
  if (!Number.isFinite(retentionDays) && !Number.isFinite(maxBytes)) return false;
  const until = performance.now() + budgetMs;
  let deleted = false;
  database.exec('BEGIN IMMEDIATE');
  try {
    keepEventIds(connection);
    do {
      deleted =
        deleteExpiredEvents(connection) ||
        expireTurns(connection, now - retentionDays * dayMs) ||
        (usedBytes(connection) > maxBytes && expireOldest(connection, now - idleMs));
    } while (deleted && performance.now() < until);
    if (!deleted) forgetWriters(connection);
    database.exec('COMMIT');
    if (deleted) return true;
  } catch (error) {
    if (database.isTransaction) database.exec('ROLLBACK');
    throw error;
  }
  if (Number(database.prepare('PRAGMA freelist_count').get()?.['freelist_count']) <= pagesToKeep) return false;
  database.exec(`PRAGMA incremental_vacuum(${String(pagesAtOnce)})`);
  return true;
}

const nextRuns = `SELECT run FROM expired_runs ORDER BY run LIMIT ${String(runsAtOnce)}`;

/** Deletes events of many turns at once: most turns are short. */
function deleteExpiredEvents(connection: Connection): boolean {
  if (connection.statement('SELECT run FROM expired_runs LIMIT 1').get() === undefined) return false;
  const { changes } = connection
    .statement(`DELETE FROM events WHERE id IN (SELECT id FROM events WHERE run IN (${nextRuns}) LIMIT ?)`)
    .run(eventsAtOnce);
  if (Number(changes) < eventsAtOnce) connection.statement(`DELETE FROM expired_runs WHERE run IN (${nextRuns})`).run();
  return true;
}

function expireTurns(connection: Connection, limit: number): boolean {
  const { changes } = connection
    .statement('INSERT INTO expired_runs SELECT run FROM turns WHERE started_at < ?1 AND last_at < ?1 ORDER BY started_at LIMIT ?2')
    .run(limit, runsAtOnce);
  connection.statement('DELETE FROM memory WHERE saved_at < ?').run(limit);
  return deleteTurns(connection, changes);
}

/** Their events are deleted before more turns are, so the size is known again by then. */
function expireOldest(connection: Connection, idleSince: number): boolean {
  const { changes } = connection
    .statement('INSERT INTO expired_runs SELECT run FROM turns WHERE ended_at IS NOT NULL OR last_at < ? ORDER BY started_at LIMIT ?')
    .run(idleSince, runsAtOnce);
  return deleteTurns(connection, changes);
}

function deleteTurns(connection: Connection, expired: number | bigint): boolean {
  if (Number(expired) === 0) return false;
  connection.statement('DELETE FROM turns WHERE run IN (SELECT run FROM expired_runs)').run();
  return true;
}

/** Without the free pages, which are reused. */
function usedBytes(connection: Connection): number {
  const used = connection.statement(
    'SELECT (page_count - freelist_count) * page_size AS used FROM pragma_page_count, pragma_freelist_count, pragma_page_size',
  );
  return Number(used.get()?.['used']);
}

/** Reads all turns, so only once at the end of a sweep. */
function forgetWriters(connection: Connection): void {
  connection
    .statement('DELETE FROM writers WHERE closed_at IS NOT NULL AND NOT EXISTS (SELECT 1 FROM turns WHERE turns.writer = writers.id)')
    .run();
}
