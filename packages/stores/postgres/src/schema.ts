/**
 * Owns the tables of the trace store, of every version of them, and how runs and events are numbered.
 *
 * 1. A run's number starts with the day on which it began, by the server's clock. So there is one partition of events per day, and a day is deleted by dropping it.
 * 2. `position` orders the transactions that wrote events, `place` the events of one. It is the transaction's number, so a reader that stops before the oldest
 *    open transaction misses none. `trace_position.added` keeps it growing after a restore on a server with lower transaction numbers.
 * 3. Long texts are indexed by their beginning, or by a digest: an index has a size limit.
 */
import type { Session } from './database/session.ts';
import type { MigrationPlan } from './database/migrations.ts';

export const runsPerDay = 100_000_000_000;
const dayMs = 86_400_000;

const firstVersion = (schema: string): string => `
  CREATE TABLE ${schema}.writers (
    id integer GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    instance uuid NOT NULL UNIQUE,
    name text NOT NULL,
    batch bigint NOT NULL DEFAULT 0,
    dropped integer NOT NULL DEFAULT 0,
    heartbeat_at timestamptz NOT NULL,
    closed_at timestamptz
  ) WITH (fillfactor = 50);
  CREATE SEQUENCE ${schema}.runs MAXVALUE ${String(runsPerDay - 1)} CYCLE;
  CREATE TABLE ${schema}.turns (
    run bigint PRIMARY KEY,
    turn_id text NOT NULL,
    execution_key text,
    writer integer NOT NULL,
    started_at bigint NOT NULL,
    last_at bigint NOT NULL,
    ended_at bigint,
    outcome text,
    summary text,
    planned integer NOT NULL,
    completed integer NOT NULL,
    events integer NOT NULL
  ) WITH (fillfactor = 85);
  CREATE INDEX turns_by_id ON ${schema}.turns ((left(turn_id, 100) COLLATE "C"), run);
  CREATE INDEX turns_by_start ON ${schema}.turns (started_at, run);
  CREATE UNIQUE INDEX turns_by_execution ON ${schema}.turns (execution_key) WHERE execution_key IS NOT NULL;
  CREATE TABLE ${schema}.events (
    run bigint NOT NULL,
    position bigint NOT NULL,
    at_ms bigint NOT NULL,
    seq integer NOT NULL,
    place integer NOT NULL,
    writer integer NOT NULL,
    type text NOT NULL,
    tool_id text,
    call_id text,
    body text NOT NULL,
    PRIMARY KEY (run, seq)
  ) PARTITION BY RANGE (run);
  CREATE INDEX events_by_position ON ${schema}.events (position, place);
  CREATE INDEX events_by_time ON ${schema}.events USING brin (at_ms);
  CREATE INDEX events_by_call ON ${schema}.events ((left(call_id, 100) COLLATE "C"), position) WHERE type IN ('CallStarted', 'CallCompleted');
  CREATE TABLE ${schema}.trace_position (added bigint NOT NULL);
  INSERT INTO ${schema}.trace_position VALUES (0);
  CREATE TABLE ${schema}.circuits (tool_key text PRIMARY KEY, tool_id text NOT NULL, saved_at bigint NOT NULL, snapshot text NOT NULL)`;

const memoryTable = (schema: string): string =>
  `CREATE TABLE ${schema}.memory (memory_key text PRIMARY KEY, saved_at bigint NOT NULL, entry text NOT NULL)`;

/** The first version knows nothing of memory, and may use the tables of the second. */
export const tracePlan: MigrationPlan = { component: 'trace', migrations: [firstVersion, memoryTable], compatibleFrom: 1, readsFrom: 1 };

export const schemaVersion: number = tracePlan.migrations.length;

/** SQL for the numbers of `count` new runs. */
export function newRuns(schema: string, count: string): string {
  return `ARRAY(SELECT floor(extract(epoch FROM clock_timestamp()) / 86400)::bigint * ${String(runsPerDay)} + nextval('${schema}.runs') FROM generate_series(1, ${count}))`;
}

/** Whole days since 1970. */
export function dayOf(run: number): number {
  return Math.floor(run / runsPerDay);
}

function partitionOf(day: number): string {
  return `events_${new Date(day * dayMs).toISOString().slice(0, 10).replaceAll('-', '')}`;
}

/** Within a transaction. Takes no lock that blocks readers or writers. */
export async function makePartition(session: Session, schema: string, day: number): Promise<void> {
  const name = `${schema}.${partitionOf(day)}`;
  await session.query('SELECT pg_advisory_xact_lock(hashtextextended($1, 0))', [name]);
  const { rows } = await session.query('SELECT to_regclass($1) IS NOT NULL AS there', [name]);
  if (rows[0]?.['there'] === true) return;
  await session.query(`CREATE TABLE ${name} (LIKE ${schema}.events)`);
  const [from, to] = [day, day + 1].map((one) => String(one * runsPerDay));
  await session.query(`ALTER TABLE ${schema}.events ATTACH PARTITION ${name} FOR VALUES FROM (${from!}) TO (${to!})`);
}

/** Call it once after opening and migrating: see 2. */
export async function repairPosition(session: Session, schema: string): Promise<void> {
  await session.query(
    `WITH last AS (SELECT max(position) AS position FROM ${schema}.events), here AS (SELECT pg_snapshot_xmax(pg_current_snapshot())::text::bigint AS position)
     UPDATE ${schema}.trace_position SET added = last.position - here.position + 1 FROM last, here WHERE last.position >= here.position + added`,
  );
}
