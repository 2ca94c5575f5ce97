/**
 * Owns storing the records of alerts: their events, deliveries, and saved states. Does not own what these mean.
 *
 * Invariant: the number of records is bounded; the newest are kept.
 */
import { randomUUID } from 'node:crypto';
import type { AlertEventRecord, AlertRecords, DeliveryRecord, HistoryLease, Kept } from '@holdfast/core/history';
import { fromStoredText, toStoredText } from '@holdfast/core/internal/store';
import type { Row, Session } from '../database/session.ts';
import { holdsLease } from './cursors.ts';

const maxEvents = 10_000;
const maxDeliveries = 2_000;

export interface AlertRecordsOptions {
  readonly schema: string;
  /** The holder of this process's leases. */
  readonly holder: string;
  readonly read: <Value>(work: (session: Session) => Promise<Value>) => Promise<Value>;
  /** Runs in the order of all writes. Runs again if it is unknown whether it was committed. */
  readonly write: <Value>(work: (session: Session) => Promise<Value>, name?: string) => Promise<Value>;
}

export function createAlertRecords({ schema, holder, read, write }: AlertRecordsOptions): AlertRecords {
  return {
    addEvent(event) {
      const key = randomUUID();
      return write((session) => insertEvent(session, schema, key, event));
    },
    events: ({ limit, before = Number.MAX_SAFE_INTEGER }) =>
      read(async (session) => {
        const { rows } = await session.query(
          `SELECT id, body FROM ${schema}.history_alert_events WHERE id < $1 ORDER BY id DESC LIMIT $2`,
          [before, limit],
        );
        return rows.map((row): Kept<AlertEventRecord> => ({ ...(row['body'] as AlertEventRecord), id: Number(row['id']) }));
      }),
    saveDelivery: (delivery) => write((session) => insertDelivery(session, schema, delivery)),
    deliveries: ({ limit, receiver }) =>
      read(async (session) => {
        const where = receiver === undefined ? '' : 'WHERE receiver = $2';
        const { rows } = await session.query(`SELECT * FROM ${schema}.history_alert_deliveries ${where} ORDER BY id DESC LIMIT $1`, [
          limit,
          ...(receiver === undefined ? [] : [toStoredText(receiver)]),
        ]);
        return rows.map(deliveryOf);
      }),
    saveState(name, body, nowMs, lease) {
      const held = lease && { name: lease.name, holder, term: lease.term };
      return write(
        async (session) => {
          if (held && !(await holdsLease(session, schema, held))) return;
          await session.query(
            `INSERT INTO ${schema}.history_alert_state (name, saved_at, body) VALUES ($1, $2, $3)
           ON CONFLICT (name) DO UPDATE SET saved_at = excluded.saved_at, body = excluded.body`,
            [toStoredText(name), nowMs, toStoredText(body)],
          );
        },
        stateName(name, lease),
      );
    },
    state: (name) =>
      read(async (session) => {
        const { rows } = await session.query(`SELECT body FROM ${schema}.history_alert_state WHERE name = $1`, [toStoredText(name)]);
        return rows[0] && fromStoredText(String(rows[0]['body']));
      }),
  };
}

async function insertEvent(session: Session, schema: string, key: string, event: AlertEventRecord): Promise<Kept<AlertEventRecord>> {
  const { rows } = await session.query(
    `INSERT INTO ${schema}.history_alert_events (key, at_ms, body) VALUES ($1, $2, $3) ON CONFLICT (key) DO UPDATE SET body = excluded.body RETURNING id`,
    [key, event.atMs, JSON.stringify(event)],
  );
  const id = Number(rows[0]?.['id']);
  await session.query(`DELETE FROM ${schema}.history_alert_events WHERE id <= $1`, [id - maxEvents]);
  return { ...event, id };
}

async function insertDelivery(session: Session, schema: string, { key, atMs, receiver, body }: DeliveryRecord): Promise<number> {
  const { rows } = await session.query(
    `INSERT INTO ${schema}.history_alert_deliveries (key, at_ms, receiver, body) VALUES ($1, $2, $3, $4)
     ON CONFLICT (key) DO UPDATE SET body = excluded.body RETURNING id`,
    [toStoredText(key), atMs, toStoredText(receiver), toStoredText(body)],
  );
  const id = Number(rows[0]?.['id']);
  await session.query(`DELETE FROM ${schema}.history_alert_deliveries WHERE id <= $1`, [id - maxDeliveries]);
  return id;
}

const stateName = (name: string, lease: HistoryLease | undefined): string => JSON.stringify([name, lease?.name, lease?.term]);

const deliveryOf = (row: Row): Kept<DeliveryRecord> => ({
  id: Number(row['id']),
  key: fromStoredText(String(row['key'])),
  atMs: Number(row['at_ms']),
  receiver: fromStoredText(String(row['receiver'])),
  body: fromStoredText(String(row['body'])),
});
