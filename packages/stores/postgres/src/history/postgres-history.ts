/**
 * Owns the composition of the history: link, writer, housekeeping, reads, leases. Pending writes of this process come before its reads, if possible.
 *
 * Invariants
 * 1. After construction only alerts and cursors throw or reject. Any other read that fails returns an empty result, and `status` has the reason.
 * 2. Memory is bounded, whatever is written and however long the database is down.
 * 3. Writing, reading and leases have separate connections, so none waits for another.
 */
import { count, type Fields } from '@holdfast/core/internal/plain';
import { randomUUID } from 'node:crypto';
import type { HistoryStatus, KeptHistory } from '@holdfast/core/history';
import { openDatabase } from '../database/database.ts';
import type { Session } from '../database/session.ts';
import { type DatabaseOptions, databaseSettings } from '../database/settings.ts';
import { createAlertRecords } from './alert-records.ts';
import { readCursor } from './cursors.ts';
import { Housekeeping } from './housekeeping.ts';
import { Leases } from './leases.ts';
import { levelsOf } from './levels.ts';
import { HistoryLink } from './link.ts';
import { HistoryReader, readsOf } from './reader.ts';
import { historyPlan } from './schema.ts';
import { ToolNumbers } from './tools.ts';
import { HistoryWriter } from './writer.ts';

/** Which database stores the history, for how long, and how much may wait in memory. */
export interface PostgresHistoryOptions extends DatabaseOptions {
  /** Older records are deleted. @default 14 */
  readonly retentionDays?: number;
  /** Records kept in memory while the database cannot be written; further ones are dropped and counted. @default 100000 */
  readonly maxBufferedRecords?: number;
  /** Milliseconds since 1970, for rolling up and deleting. @default the server's clock */
  readonly now?: () => number;
  /** How long a lease lasts whose holder has died. @default 10000 */
  readonly leaseMs?: number;
  /** Called when a fault begins, when its kind changes, and when it ends. */
  readonly onFault?: (status: HistoryStatus) => void;
}

/** The history in PostgreSQL, which several processes may share. Every read is asynchronous. */
export interface PostgresHistory extends Required<KeptHistory> {
  /** Writes pending batches. Resolves when they are written or cannot be; `status` reports which. */
  flush(): Promise<void>;
  /** Writes pending batches for a limited time, releases leases and closes the connections. */
  close(): Promise<void>;
}

/** How long `close` waits for pending writes. */
const maxWaitMs = 3_000;
/** A busy database takes a while; one that is down is not waited for. */
const flushMs = 15_000;

const ownFields: Fields = {
  retentionDays: ['a number of days above 0 and up to 3650', Number.MIN_VALUE, 3_650],
  maxBufferedRecords: count,
  now: 'function',
  leaseMs: ['a whole number of milliseconds, 100 or more', 100, Number.MAX_SAFE_INTEGER, true],
  onFault: 'function',
};

/** Connects at the first use. @throws TypeError or RangeError for invalid options. */
export function postgresHistory(options: PostgresHistoryOptions): PostgresHistory {
  const settings = databaseSettings(options, 'postgresHistory', ownFields);
  const { retentionDays = 14, maxBufferedRecords: maxWaiting = 100_000, leaseMs: ttlMs = 10_000, now, onFault } = options;

  const writing = openDatabase(settings, { plan: historyPlan, connections: 1 });
  const reading = openDatabase(settings, { plan: historyPlan, connections: Math.max(1, settings.connections - 1) });
  const { schema } = writing;
  const levels = levelsOf(retentionDays);
  const holder = randomUUID();
  const tools = new ToolNumbers();
  const link = new HistoryLink(writing.place, onFault);
  const writer = new HistoryWriter({ database: writing, writer: holder, levels, tools }, link, maxWaiting);
  const housekeeping = new Housekeeping({ database: reading, link, levels, retentionDays, now });
  const leases = new Leases({
    open: () => openDatabase(settings, { plan: historyPlan, connections: 1 }),
    holder,
    ttlMs,
    onError: (error) => link.recordFailure(error, 'reading'),
  });
  const reader = new HistoryReader({ database: reading, link, writer, tools, maxWaitMs });
  let closing: Promise<void> | undefined;

  const close = async (): Promise<void> => {
    reader.close();
    await writer.whenSettled(maxWaitMs);
    writer.stop();
    await leases.close();
    await Promise.all([writing.close(), reading.close()]);
  };

  return {
    path: writing.place,
    retentionDays,
    alerts: createAlertRecords({
      schema,
      holder,
      read: (work) => reader.ask(work),
      write: <Value>(run: (session: Session) => Promise<Value>, name?: string) =>
        new Promise<Value>((resolve, reject) => {
          writer.addJob({ run, done: (value) => resolve(value as Value), failed: reject, ...(name === undefined ? {} : { name }) });
        }),
    }),
    write(batch, mark) {
      if (!closing) writer.add(batch, mark && { name: mark.lease.name, holder, term: mark.lease.term, cursor: mark.cursor });
    },
    async flush() {
      await writer.whenSettled(flushMs);
      await housekeeping.tidy(true);
    },
    tidy: () => void housekeeping.tidy(false),
    ...readsOf(reader, levels),
    status: () => link.status(),
    bytes: () => housekeeping.bytes,
    close: () => (closing ??= close()),
    lease: (name, listener = {}) => leases.take(name, listener),
    cursor: (name) => reader.ask((session) => readCursor(session, schema, name)),
  };
}
