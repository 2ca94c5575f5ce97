/**
 * Owns that event ids only grow, also after the newest events were deleted: a reader continues after the last id it saw.
 */
import type { Connection } from './connection.ts';

/** Call it in the transaction that deletes events, before the deletion. */
export function keepEventIds(connection: Connection): void {
  connection
    .statement(
      `INSERT INTO meta SELECT 'last_event_id', max(id) FROM events HAVING max(id) IS NOT NULL
       ON CONFLICT (key) DO UPDATE SET value = excluded.value WHERE CAST(excluded.value AS INTEGER) > CAST(meta.value AS INTEGER)`,
    )
    .run();
}

/** The id of the next event; `null` if the table assigns it. */
export function nextEventId(connection: Connection): number | null {
  const row = connection
    .statement(`SELECT CAST(value AS INTEGER) AS kept, (SELECT max(id) FROM events) AS last FROM meta WHERE key = 'last_event_id'`)
    .get();
  return row === undefined || Number(row['last'] ?? 0) >= Number(row['kept']) ? null : Number(row['kept']) + 1;
}

/** New events get higher ids. */
export function lastEventId(connection: Connection): number {
  const row = connection
    .statement(
      `SELECT max(coalesce((SELECT max(id) FROM events), 0), coalesce((SELECT CAST(value AS INTEGER) FROM meta WHERE key = 'last_event_id'), 0)) AS id`,
    )
    .get();
  return Number(row?.['id']);
}
