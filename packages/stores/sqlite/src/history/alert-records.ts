/**
 * Owns storing the records of alerts: their events, deliveries, and saved states. Does not own what these mean: bodies are JSON of the caller.
 *
 * Invariant: the number of records is bounded; the newest are kept.
 */
import type { AlertEventRecord, AlertRecords, DeliveryRecord, Kept } from '@holdfast/core/history';
import type { SQLOutputValue } from 'node:sqlite';
import type { HistoryConnection } from './history-connection.ts';

/** The tables; run once for a file. */
export const alertTables = `
  CREATE TABLE alert_events (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    at_ms INTEGER NOT NULL,
    kind TEXT NOT NULL,
    fingerprint TEXT,
    name TEXT NOT NULL,
    tool TEXT,
    text TEXT NOT NULL,
    by_whom TEXT
  );
  CREATE TABLE alert_deliveries (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    key TEXT NOT NULL UNIQUE,
    at_ms INTEGER NOT NULL,
    receiver TEXT NOT NULL,
    body TEXT NOT NULL
  );
  CREATE INDEX alert_deliveries_by_receiver ON alert_deliveries (receiver, id);
  CREATE TABLE alert_state (name TEXT PRIMARY KEY, saved_at INTEGER NOT NULL, body TEXT NOT NULL) WITHOUT ROWID;`;

/** The records of the port, read and written synchronously. Every method may throw the error of SQLite. */
export interface SyncAlertRecords extends AlertRecords {
  /** Adds an event and returns it with its id. Keeps the newest 10,000. */
  addEvent(event: AlertEventRecord): Kept<AlertEventRecord>;
  /** Newest first. */
  events(query: { readonly limit: number; readonly before?: number | undefined }): readonly Kept<AlertEventRecord>[];
  /** Saves a delivery and returns its id. One with the same key replaces the body of the earlier one. Keeps the newest 2,000. */
  saveDelivery(delivery: DeliveryRecord): number;
  /** Newest first, of all receivers or of one. */
  deliveries(query: { readonly limit: number; readonly receiver?: string | undefined }): readonly Kept<DeliveryRecord>[];
  /** Saves a state under a name and replaces an earlier one. */
  saveState(name: string, body: string, nowMs: number): void;
  /** Returns the state saved under a name; `undefined` when there is none. */
  state(name: string): string | undefined;
}

const maxEvents = 10_000;
const maxDeliveries = 2_000;

/** Runs `work` with the current connection. */
export type WithHistory = <Value>(work: (connection: Pick<HistoryConnection, 'statement'>) => Value) => Value;

const insertEvent = 'INSERT INTO alert_events (at_ms, kind, fingerprint, name, tool, text, by_whom) VALUES (?, ?, ?, ?, ?, ?, ?)';
const upsertDelivery =
  'INSERT INTO alert_deliveries (key, at_ms, receiver, body) VALUES (?, ?, ?, ?) ON CONFLICT (key) DO UPDATE SET body = excluded.body RETURNING id';

export function createAlertRecords(run: WithHistory): SyncAlertRecords {
  return {
    addEvent: (event) =>
      run(({ statement }) => {
        const { atMs, kind, fingerprint = null, name, tool_id: tool = null, text, by = null } = event;
        const id = Number(statement(insertEvent).run(atMs, kind, fingerprint, name, tool, text, by).lastInsertRowid);
        statement('DELETE FROM alert_events WHERE id <= ?').run(id - maxEvents);
        return { ...event, id };
      }),
    events: ({ limit, before = Number.MAX_SAFE_INTEGER }) =>
      run(({ statement }) => statement('SELECT * FROM alert_events WHERE id < ? ORDER BY id DESC LIMIT ?').all(before, limit).map(eventOf)),
    saveDelivery: ({ key, atMs, receiver, body }) =>
      run(({ statement }) => {
        const id = Number(statement(upsertDelivery).get(key, atMs, receiver, body)?.['id']);
        statement('DELETE FROM alert_deliveries WHERE id <= ?').run(id - maxDeliveries);
        return id;
      }),
    deliveries: ({ limit, receiver }) =>
      run(({ statement }) => {
        const rows =
          receiver === undefined
            ? statement('SELECT * FROM alert_deliveries ORDER BY id DESC LIMIT ?').all(limit)
            : statement('SELECT * FROM alert_deliveries WHERE receiver = ? ORDER BY id DESC LIMIT ?').all(receiver, limit);
        return rows.map(deliveryOf);
      }),
    saveState: (name, body, nowMs) =>
      run(
        ({ statement }) =>
          void statement('INSERT OR REPLACE INTO alert_state (name, saved_at, body) VALUES (?, ?, ?)').run(name, nowMs, body),
      ),
    state: (name) =>
      run(({ statement }) => {
        const row = statement('SELECT body FROM alert_state WHERE name = ?').get(name);
        return row && String(row['body']);
      }),
  };
}

type Row = Record<string, SQLOutputValue>;

function eventOf(row: Row): Kept<AlertEventRecord> {
  const optional = Object.entries({ fingerprint: row['fingerprint'], tool_id: row['tool'], by: row['by_whom'] });
  return {
    id: Number(row['id']),
    atMs: Number(row['at_ms']),
    kind: String(row['kind']),
    name: String(row['name']),
    text: String(row['text']),
    ...Object.fromEntries(optional.filter(([, value]) => value !== null)),
  };
}

const deliveryOf = (row: Row): Kept<DeliveryRecord> => ({
  id: Number(row['id']),
  key: String(row['key']),
  atMs: Number(row['at_ms']),
  receiver: String(row['receiver']),
  body: String(row['body']),
});
