/** Owns the numbers that the history stores about itself. */
import type { HistoryConnection } from './history-connection.ts';

/** 0 if it was never set. */
export function markOf(connection: HistoryConnection, name: string): number {
  return Number(connection.statement('SELECT value FROM marks WHERE name = ?').get(name)?.['value'] ?? 0);
}

export function setMark(connection: HistoryConnection, name: string, value: number): void {
  connection
    .statement('INSERT INTO marks (name, value) VALUES (?, ?) ON CONFLICT (name) DO UPDATE SET value = excluded.value')
    .run(name, value);
}
