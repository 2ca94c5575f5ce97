/** Owns the cursors that are saved under a lease: only its holder may move one. */
import type { Session } from '../database/session.ts';

/** The term of the lease when the batch was handed over. */
export interface LeaseMark {
  readonly name: string;
  readonly holder: string;
  readonly term: number;
  readonly cursor: string;
}

/** Returns false if another process holds the lease by now. A process that takes it over waits for the end of this transaction. */
export async function saveCursor(session: Session, schema: string, { name, holder, term, cursor }: LeaseMark): Promise<boolean> {
  if (!(await holdsLease(session, schema, { name, holder, term }))) return false;
  await session.query(
    `INSERT INTO ${schema}.history_cursors (name, cursor) VALUES ($1, $2) ON CONFLICT (name) DO UPDATE SET cursor = excluded.cursor`,
    [name, cursor],
  );
  return true;
}

/** An expired lease counts as held until another process takes it. */
export async function holdsLease(
  session: Session,
  schema: string,
  { name, holder, term }: Pick<LeaseMark, 'name' | 'holder' | 'term'>,
): Promise<boolean> {
  const { rows } = await session.query(`SELECT 1 FROM ${schema}.history_leases WHERE name = $1 AND holder = $2 AND term = $3 FOR SHARE`, [
    name,
    holder,
    term,
  ]);
  return rows.length === 1;
}

export async function readCursor(session: Session, schema: string, name: string): Promise<string | undefined> {
  const { rows } = await session.query(`SELECT cursor FROM ${schema}.history_cursors WHERE name = $1`, [name]);
  return rows[0] && String(rows[0]['cursor']);
}
