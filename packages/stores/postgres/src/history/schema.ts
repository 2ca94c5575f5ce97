/** Owns the tables of the history, in every version. */
import type { MigrationPlan } from '../database/migrations.ts';

/** One table per level, so that the short-lived fine rows do not bloat the coarse ones. Rows of one tool and step are added up. */
const cells = (schema: string, level: number): string => `
  CREATE TABLE ${schema}.history_cells_${String(level)} (
    at bigint NOT NULL,
    tool integer NOT NULL,
    counts json NOT NULL,
    denied json,
    errors json,
    calls bytea,
    attempts bytea
  );
  CREATE INDEX ON ${schema}.history_cells_${String(level)} (at, tool);`;

const cellTables = (schema: string): string => `
  CREATE TABLE ${schema}.history_tools (id integer GENERATED ALWAYS AS IDENTITY PRIMARY KEY, name text COLLATE "C" NOT NULL UNIQUE);
  CREATE TABLE ${schema}.history_writers (id uuid PRIMARY KEY, last_batch bigint NOT NULL, written_at timestamptz NOT NULL);
  CREATE TABLE ${schema}.history_marks (name text PRIMARY KEY, value bigint NOT NULL);
  ${[0, 1, 2, 3, 4, 5].map((level) => cells(schema, level)).join('')}`;

const turnTables = (schema: string): string => `
  CREATE TABLE ${schema}.history_turns (
    id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    turn_id text COLLATE "C" NOT NULL,
    started_at bigint NOT NULL,
    ended_at bigint,
    outcome text,
    summary text,
    calls integer NOT NULL,
    events bigint NOT NULL,
    duration_ms double precision NOT NULL,
    retries integer NOT NULL,
    failed integer NOT NULL,
    skipped integer NOT NULL,
    alternative boolean NOT NULL,
    deadline boolean NOT NULL,
    repaired boolean NOT NULL,
    tools json NOT NULL,
    codes json NOT NULL
  );
  -- A turn id may be longer than an entry of an index.
  CREATE UNIQUE INDEX history_turns_key ON ${schema}.history_turns (started_at, hashtextextended(turn_id, 0));
  CREATE INDEX ON ${schema}.history_turns (started_at, id);
  CREATE INDEX ON ${schema}.history_turns (started_at, id) WHERE retries > 0;
  CREATE INDEX ON ${schema}.history_turns (started_at, id) WHERE deadline;
  CREATE INDEX ON ${schema}.history_turns (started_at, id) WHERE repaired;
  CREATE INDEX ON ${schema}.history_turns (started_at, id) WHERE alternative;
  CREATE TABLE ${schema}.history_turn_names (
    kind smallint NOT NULL,
    name text COLLATE "C" NOT NULL,
    started_at bigint NOT NULL,
    turn bigint NOT NULL,
    PRIMARY KEY (kind, name, started_at, turn)
  );`;

/** Circuit changes, failures, slow calls. */
const recordTables = (schema: string): string => `
  CREATE TABLE ${schema}.history_circuit_changes (
    tool integer NOT NULL,
    at bigint NOT NULL,
    id bigint NOT NULL,
    writer uuid NOT NULL,
    body json NOT NULL,
    PRIMARY KEY (tool, at, id, writer)
  );
  CREATE TABLE ${schema}.history_clusters (signature text PRIMARY KEY, last_seen bigint NOT NULL, body json);
  CREATE INDEX ON ${schema}.history_clusters (last_seen);
  CREATE TABLE ${schema}.history_failures (
    id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    tool integer NOT NULL,
    at bigint NOT NULL,
    body json NOT NULL
  );
  CREATE INDEX ON ${schema}.history_failures (tool, id);
  CREATE TABLE ${schema}.history_slow_calls (
    id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    tool integer NOT NULL,
    at bigint NOT NULL,
    duration_ms double precision NOT NULL,
    body json NOT NULL
  );
  CREATE INDEX ON ${schema}.history_slow_calls (tool, at);
  CREATE INDEX ON ${schema}.history_slow_calls (at);
  CREATE TABLE ${schema}.history_changes (
    at bigint NOT NULL,
    id bigint NOT NULL,
    writer uuid NOT NULL,
    body json NOT NULL,
    PRIMARY KEY (at, id, writer)
  );`;

const leaseTables = (schema: string): string => `
  CREATE TABLE ${schema}.history_leases (name text PRIMARY KEY, holder uuid NOT NULL, term bigint NOT NULL, expires_at timestamptz NOT NULL);
  CREATE TABLE ${schema}.history_cursors (name text PRIMARY KEY, cursor text NOT NULL);`;

const alertTables = (schema: string): string => `
  CREATE TABLE ${schema}.history_alert_events (
    id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    key uuid NOT NULL UNIQUE,
    at_ms bigint NOT NULL,
    body json NOT NULL
  );
  CREATE TABLE ${schema}.history_alert_deliveries (
    id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    key text NOT NULL UNIQUE,
    at_ms bigint NOT NULL,
    receiver text NOT NULL,
    body text NOT NULL
  );
  CREATE INDEX ON ${schema}.history_alert_deliveries (receiver, id);
  CREATE TABLE ${schema}.history_alert_state (name text PRIMARY KEY, saved_at bigint NOT NULL, body text NOT NULL);`;

const tables = (schema: string): string =>
  [cellTables, turnTables, recordTables, leaseTables, alertTables].map((part) => part(schema)).join('\n');

const turnWaits = (schema: string): string =>
  `ALTER TABLE ${schema}.history_turns ADD COLUMN waited_ms double precision NOT NULL DEFAULT 0;`;

export const historyPlan: MigrationPlan = { component: 'history', migrations: [tables, turnWaits] };
