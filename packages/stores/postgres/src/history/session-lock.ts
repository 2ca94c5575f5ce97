/**
 * Owns the locks by which the processes of one history stay out of each other's way. They last until the end of their transaction and leave nothing on the disk.
 *
 * `marks`: shared by whatever writes cells, alone by whatever moves a mark: nobody writes below a mark that he has not seen.
 * `housekeeping`: one rolls up and deletes at a time.
 */
import type { Session } from '../database/session.ts';

const numbers = { marks: 1, housekeeping: 2 } as const;

const key = (schema: string, lock: keyof typeof numbers): readonly unknown[] => [`holdfast ${schema} history ${String(numbers[lock])}`];

export async function shareMarks(session: Session, schema: string): Promise<void> {
  await session.query('SELECT pg_advisory_xact_lock_shared(hashtextextended($1, 1))', key(schema, 'marks'));
}

/** Rejects when others write for longer than that. */
export async function lockMarks(session: Session, schema: string, limitMs: number): Promise<void> {
  await session.query(`SET LOCAL lock_timeout = ${String(limitMs)}`);
  await session.query('SELECT pg_advisory_xact_lock(hashtextextended($1, 1))', key(schema, 'marks'));
}

/** Answers whether this process does the housekeeping until the end of its transaction. */
export async function tryHousekeeping(session: Session, schema: string): Promise<boolean> {
  const { rows } = await session.query('SELECT pg_try_advisory_xact_lock(hashtextextended($1, 1)) AS mine', key(schema, 'housekeeping'));
  return rows[0]?.['mine'] === true;
}
