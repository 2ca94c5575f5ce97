/**
 * Owns that a batch is written once, however often it is tried: a writer that did not learn of a commit tries again, and its first try may still be running.
 *
 * 1. Each writer has a row with the number of the last batch that was committed. A batch is accepted only with a higher number.
 * 2. The row is locked until the transaction ends, so two tries of one batch are serialized.
 */
import type { Session } from './database/session.ts';
import { DatabaseConfigurationError } from './database/faults.ts';
import { newRuns, schemaVersion } from './schema.ts';

export interface WriterIdentity {
  /** One per open store. */
  readonly instance: string;
  /** Host and process, for people who read the table. */
  readonly name: string;
}

export interface Passed {
  readonly writer: number;
  /** Position of this transaction in the order of all. */
  readonly position: string;
  /** Numbers for new runs. */
  readonly runs: readonly number[];
}

export interface AlreadyWritten {
  /** Events that contradicted known ones. */
  readonly dropped: number;
}

/** Returns the accepted batch, or that it is committed already. */
export async function passGate(
  session: Session,
  schema: string,
  { instance, name }: WriterIdentity,
  batch: number,
  runs: number,
): Promise<Passed | AlreadyWritten> {
  const pass = async (): Promise<Passed | undefined> => {
    const { rows } = await session.query(
      `UPDATE ${schema}.writers SET batch = $2, dropped = 0, heartbeat_at = clock_timestamp(), closed_at = NULL WHERE instance = $1 AND batch < $2
       RETURNING id, pg_current_xact_id()::text::bigint + (SELECT added FROM ${schema}.trace_position) AS position, ${newRuns(schema, '$3')} AS runs,
         (SELECT compatible_from FROM ${schema}.schema_versions WHERE component = 'trace') AS compatible_from`,
      [instance, batch, runs],
    );
    const row = rows[0];
    if (row === undefined) return undefined;
    if (Number(row['compatible_from']) > schemaVersion)
      throw new DatabaseConfigurationError('newer_schema', 'another process changed the tables; update this one');
    return { writer: Number(row['id']), position: String(row['position']), runs: (row['runs'] as readonly string[]).map(Number) };
  };
  const passed = await pass();
  if (passed !== undefined) return passed;
  const { rows } = await session.query(`SELECT dropped FROM ${schema}.writers WHERE instance = $1`, [instance]);
  if (rows[0] !== undefined) return { dropped: Number(rows[0]['dropped']) };
  await session.query(`INSERT INTO ${schema}.writers (instance, name, heartbeat_at) VALUES ($1, $2, clock_timestamp())`, [instance, name]);
  const registered = await pass();
  if (registered === undefined) throw new Error("the writer's row is missing");
  return registered;
}

export async function writeHeartbeat(session: Session, schema: string, instance: string): Promise<void> {
  await session.query(`UPDATE ${schema}.writers SET heartbeat_at = clock_timestamp() WHERE instance = $1`, [instance]);
}

/** Marks the writer as ended: its running turns are interrupted. */
export async function endWriter(session: Session, schema: string, instance: string): Promise<void> {
  await session.query(`UPDATE ${schema}.writers SET closed_at = clock_timestamp() WHERE instance = $1`, [instance]);
}
