/**
 * Owns the advisory locks of the processes that share a history. They last until the end of their transaction and leave nothing on the disk.
 *
 * `marks`: writers of cells hold it shared, a process that moves a mark holds it exclusively, so that no cell is written below an unseen mark.
 * `housekeeping`: one process at a time rolls up and deletes.
 */
import type { Session } from '../database/session.ts';

const numbers = { marks: 1, housekeeping: 2 } as const;

const key = (schema: string, lock: keyof typeof numbers): readonly unknown[] => [`holdfast ${schema} history ${String(numbers[lock])}`];

export async function shareMarks(session: Session, schema: string): Promise<void> {
  await session.query('SELECT pg_advisory_xact_lock_shared(hashtextextended($1, 1))', key(schema, 'marks'));
}

/** Rejects if other writers hold the lock for longer than the time limit. */
export async function lockMarks(session: Session, schema: string, limitMs: number): Promise<void> {
  await session.query(`SET LOCAL lock_timeout = ${String(limitMs)}`);
  await session.query('SELECT pg_advisory_xact_lock(hashtextextended($1, 1))', key(schema, 'marks'));
}

/** Resolves to whether this process has the housekeeping lock until the end of its transaction. */
export async function tryHousekeeping(session: Session, schema: string): Promise<boolean> {
  const { rows } = await session.query('SELECT pg_try_advisory_xact_lock(hashtextextended($1, 1)) AS mine', key(schema, 'housekeeping'));
  return rows[0]?.['mine'] === true;
}
