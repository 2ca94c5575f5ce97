/**
 * Owns retention: deletes turns older than the limit in small steps, and what was learned only before it, and drops the partition of a day without turns.
 *
 * 1. A turn disappears in one step: its row is deleted, its events are no longer returned, and are deleted with the partition of their day.
 * 2. A turn with an event within the limit stays, and with it the partition of the day on which it began.
 * 3. One sweeper at a time. It never waits for a lock, and never makes others wait.
 */
import type { Session } from './database/session.ts';
import { runsPerDay } from './schema.ts';

const turnsPerStep = 2_000;
/** Dropping a partition blocks readers and writers for a moment; waiting for another lock would make it long. */
const maxLockMs = 200;

/** Runs one small step and returns whether there is more to do. */
export async function sweepStep(session: Session, schema: string, retentionDays: number): Promise<boolean> {
  if (!Number.isFinite(retentionDays)) return false;
  const { rows: locks } = await session.query('SELECT pg_try_advisory_xact_lock(hashtextextended($1, 0)) AS mine', [
    `holdfast sweep ${schema}`,
  ]);
  if (locks[0]?.['mine'] !== true) return false;
  const { rowCount } = await session.query(
    `DELETE FROM ${schema}.turns WHERE run IN (
       SELECT run FROM ${schema}.turns, (SELECT (extract(epoch FROM now() - make_interval(secs => $1)) * 1000)::bigint AS at) AS oldest
       WHERE started_at < oldest.at AND last_at < oldest.at ORDER BY started_at LIMIT ${String(turnsPerStep)} FOR UPDATE OF turns SKIP LOCKED)`,
    [retentionDays * 86_400],
  );
  if (rowCount > 0) return true;
  await session.query(
    `DELETE FROM ${schema}.memory WHERE saved_at < (extract(epoch FROM now() - make_interval(secs => $1)) * 1000)::bigint`,
    [retentionDays * 86_400],
  );
  await session.query(`DELETE FROM ${schema}.writers WHERE heartbeat_at < now() - interval '1 day'`);
  return dropDay(session, schema, retentionDays);
}

/** Drops the oldest partition that is older than the limit and has no turn. */
async function dropDay(session: Session, schema: string, retentionDays: number): Promise<boolean> {
  const { rows } = await session.query(
    `SELECT name FROM (
       SELECT inhrelid::regclass::text AS name, substring(pg_get_expr(c.relpartbound, c.oid) FROM 'FROM \\(''?(\\d+)')::bigint AS first
       FROM pg_inherits JOIN pg_class c ON c.oid = inhrelid WHERE inhparent = $1::regclass) AS days
     WHERE first + $2 <= floor(extract(epoch FROM now() - make_interval(secs => $3)) / 86400)::bigint * $2
       AND NOT EXISTS (SELECT 1 FROM ${schema}.turns WHERE run >= first AND run < first + $2) ORDER BY first LIMIT 1`,
    [`${schema}.events`, runsPerDay, retentionDays * 86_400],
  );
  const name = rows[0]?.['name'];
  if (typeof name !== 'string') return false;
  await session.query(`SET LOCAL lock_timeout = ${String(maxLockMs)}`);
  await session.query(`DROP TABLE ${name}`);
  return true;
}
