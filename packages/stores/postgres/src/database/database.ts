/**
 * Owns the connections to one database for one component: how they are opened, limited in time and discarded, and that the tables exist before they are used.
 *
 * 1. Everything is a transaction, so that it also works behind a transaction pooler. Each statement has a time limit on both sides, since a hung server does not enforce its own.
 * 2. A connection on which anything failed is not used again.
 * 3. Nothing here throws outside the promise that it returns, whatever a connection does.
 */
import { Socket } from 'node:net';
import { Pool, type PoolClient } from 'pg';
import { isMigrated, migrate, quoteName, type MigrationPlan } from './migrations.ts';
import { databaseFaultKind, DatabaseConfigurationError } from './faults.ts';
import type { Row, Session } from './session.ts';
import type { DatabaseSettings } from './settings.ts';

export interface Database {
  readonly place: string;
  /** Quoted, to prefix the name of a table. */
  readonly schema: string;
  /** Commits what `work` did. Rejects if that fails; whether the commit itself succeeded is then unknown. */
  write<Result>(work: (session: Session) => Promise<Result>): Promise<Result>;
  /** Runs `work` read-only, on one snapshot. */
  read<Result>(work: (session: Session) => Promise<Result>): Promise<Result>;
  /** Aborts what is still running after `limitMs`. Never rejects. */
  close(limitMs?: number): Promise<void>;
}

export interface DatabaseUse {
  readonly plan: MigrationPlan;
  /** Creates no tables. @default false */
  readonly readOnly?: boolean;
  /** @default the settings' */
  readonly connections?: number;
  /** Runs once, when the tables exist, before anything else. */
  readonly opened?: ((session: Session, schema: string) => Promise<void>) | undefined;
}

/** Connects at the first use. */
export function openDatabase(
  settings: DatabaseSettings,
  { plan, readOnly = false, connections = settings.connections, opened }: DatabaseUse,
): Database {
  const { schema, place, statementTimeoutMs } = settings;
  const sockets = new Set<Socket>();
  const pool = createPool(settings, connections, sockets);
  let prepared = false;
  let preparing: Promise<void> | undefined;
  let closing: Promise<void> | undefined;

  const transact = <Result>(begin: string, work: (session: Session) => Promise<Result>): Promise<Result> =>
    runTransaction(pool, `${begin}; ${limits(statementTimeoutMs)}`, work);

  const prepare = async (): Promise<void> => {
    const there = await transact(beginRead, (session) => isMigrated(session, schema, plan, readOnly));
    if (!there && readOnly) throw new DatabaseConfigurationError('missing_tables', `schema ${schema} has no ${plan.component} tables`);
    if (!there) await transact(beginWrite, (session) => migrate(session, schema, plan));
    if (opened !== undefined) await transact(beginWrite, (session) => opened(session, quoteName(schema)));
  };

  const use = async <Result>(begin: string, work: (session: Session) => Promise<Result>): Promise<Result> => {
    if (!prepared) {
      preparing ??= prepare().finally(() => (preparing = undefined));
      await preparing;
      prepared = true;
    }
    try {
      return await transact(begin, work);
    } catch (error) {
      // The tables were removed, or an older database was restored.
      if (databaseFaultKind(error) === 'missing_tables') prepared = false;
      throw error;
    }
  };

  const close = async (limitMs: number): Promise<void> => {
    const ended = pool.end().catch(() => undefined);
    const timer = setTimeout(() => {
      for (const socket of sockets) socket.destroy();
    }, limitMs);
    await ended;
    clearTimeout(timer);
  };

  return {
    place,
    schema: quoteName(schema),
    write: (work) => use(beginWrite, work),
    read: (work) => use(beginRead, work),
    close: (limitMs = 1_000) => (closing ??= close(limitMs)),
  };
}

const beginRead = 'BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY';
const beginWrite = 'BEGIN ISOLATION LEVEL READ COMMITTED READ WRITE';

function limits(timeoutMs: number): string {
  const settings = ['statement_timeout', 'lock_timeout', 'idle_in_transaction_session_timeout'];
  return settings.map((name) => `SET LOCAL ${name} = ${String(timeoutMs)}`).join('; ');
}

/** Commits, or discards the connection. */
async function runTransaction<Result>(pool: Pool, begin: string, work: (session: Session) => Promise<Result>): Promise<Result> {
  const client = await pool.connect();
  let failed = true;
  try {
    await client.query(begin);
    const result = await work(sessionOf(client));
    // After an unnoticed failure within the transaction, COMMIT silently becomes a rollback.
    if ((await client.query('COMMIT')).command !== 'COMMIT') throw new Error('the transaction was rolled back');
    failed = false;
    return result;
  } finally {
    client.release(failed);
  }
}

function sessionOf(client: PoolClient): Session {
  return {
    async query(text, values) {
      const { rows, rowCount } = await client.query(text, values === undefined ? undefined : [...values]);
      return { rows: rows as readonly Row[], rowCount: rowCount ?? 0 };
    },
  };
}

function createPool({ client, connectTimeoutMs, statementTimeoutMs }: DatabaseSettings, connections: number, sockets: Set<Socket>): Pool {
  const pool = new Pool({
    application_name: 'holdfast',
    ...client,
    max: connections,
    connectionTimeoutMillis: connectTimeoutMs,
    // Longer than the server's own limit, so that a working server can report the reason.
    query_timeout: statementTimeoutMs + 1_000,
    keepAlive: true,
    allowExitOnIdle: true,
    stream: () => {
      const socket = new Socket();
      sockets.add(socket);
      socket.once('close', () => sockets.delete(socket));
      return socket;
    },
  });
  // A broken idle connection needs no action; one that is in use fails its query.
  pool.on('error', ignore);
  pool.on('connect', (connected) => connected.on('error', ignore));
  return pool;
}

function ignore(): void {
  // The result is not needed.
}
