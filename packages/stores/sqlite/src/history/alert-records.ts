/**
 * Owns what is kept of alerts: what happened to them, what was delivered, and the state of those who watch. Does not own what any of it means: bodies are JSON
 * of whoever keeps them.
 *
 * Invariant: what is kept is bounded, the newest stays.
 */
import type { DatabaseSync, SQLOutputValue } from 'node:sqlite';

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

/** Something that happened to an alert. */
export interface AlertEventRecord {
  readonly atMs: number;
  readonly kind: string;
  readonly fingerprint?: string | undefined;
  readonly name: string;
  readonly tool?: string | undefined;
  readonly text: string;
  readonly by?: string | undefined;
}

/** A notification on its way. */
export interface DeliveryRecord {
  /** Of the notification: a record of the same key takes the place of the earlier one. */
  readonly key: string;
  readonly atMs: number;
  readonly receiver: string;
  /** JSON. */
  readonly body: string;
}

export type Kept<Entry> = Entry & { readonly id: number };

/** Every method may throw what SQLite throws. */
export interface AlertRecords {
  addEvent(event: AlertEventRecord): Kept<AlertEventRecord>;
  /** Newest first. */
  events(query: { readonly limit: number; readonly before?: number | undefined }): readonly Kept<AlertEventRecord>[];
  saveDelivery(delivery: DeliveryRecord): number;
  /** Newest first, of all receivers or of one. */
  deliveries(query: { readonly limit: number; readonly receiver?: string | undefined }): readonly Kept<DeliveryRecord>[];
  saveState(name: string, body: string, nowMs: number): void;
  state(name: string): string | undefined;
}

const mostEvents = 10_000;
const mostDeliveries = 2_000;

/** @param database Has `alertTables`. */
export function createAlertRecords(database: DatabaseSync): AlertRecords {
  const statement = {
    addEvent: database.prepare(
      'INSERT INTO alert_events (at_ms, kind, fingerprint, name, tool, text, by_whom) VALUES (?, ?, ?, ?, ?, ?, ?)',
    ),
    trimEvents: database.prepare('DELETE FROM alert_events WHERE id <= ?'),
    events: database.prepare('SELECT * FROM alert_events WHERE id < ? ORDER BY id DESC LIMIT ?'),
    saveDelivery: database.prepare(
      'INSERT INTO alert_deliveries (key, at_ms, receiver, body) VALUES (?, ?, ?, ?) ON CONFLICT (key) DO UPDATE SET body = excluded.body RETURNING id',
    ),
    trimDeliveries: database.prepare('DELETE FROM alert_deliveries WHERE id <= ?'),
    deliveries: database.prepare('SELECT * FROM alert_deliveries ORDER BY id DESC LIMIT ?'),
    deliveriesTo: database.prepare('SELECT * FROM alert_deliveries WHERE receiver = ? ORDER BY id DESC LIMIT ?'),
    saveState: database.prepare('INSERT OR REPLACE INTO alert_state (name, saved_at, body) VALUES (?, ?, ?)'),
    state: database.prepare('SELECT body FROM alert_state WHERE name = ?'),
  };
  return {
    addEvent(event) {
      const { atMs, kind, fingerprint = null, name, tool = null, text, by = null } = event;
      const id = Number(statement.addEvent.run(atMs, kind, fingerprint, name, tool, text, by).lastInsertRowid);
      statement.trimEvents.run(id - mostEvents);
      return { ...event, id };
    },
    events: ({ limit, before = Number.MAX_SAFE_INTEGER }) => statement.events.all(before, limit).map(eventOf),
    saveDelivery({ key, atMs, receiver, body }) {
      const id = Number(statement.saveDelivery.get(key, atMs, receiver, body)?.['id']);
      statement.trimDeliveries.run(id - mostDeliveries);
      return id;
    },
    deliveries({ limit, receiver }) {
      const rows = receiver === undefined ? statement.deliveries.all(limit) : statement.deliveriesTo.all(receiver, limit);
      return rows.map(deliveryOf);
    },
    saveState: (name, body, nowMs) => void statement.saveState.run(name, nowMs, body),
    state(name) {
      const row = statement.state.get(name);
      return row && String(row['body']);
    },
  };
}

type Row = Record<string, SQLOutputValue>;

function eventOf(row: Row): Kept<AlertEventRecord> {
  const optional = Object.entries({ fingerprint: row['fingerprint'], tool: row['tool'], by: row['by_whom'] });
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
