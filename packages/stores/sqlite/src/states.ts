/**
 * Owns the rows of circuits and of episodic memory: how they are written within a transaction, and read.
 *
 * 1. The latest snapshot of a circuit is kept.
 * 2. Memory is updated within the transaction, so that processes do not lose each other's outcomes.
 */
import type { CircuitSnapshot, MemoryEntry } from '@holdfast/core';
import { addToEntry } from '@holdfast/core/store';
import { fromStoredText, MAX_MEMORY_ENTRIES, readMemoryEntry, type States, toStoredText } from '@holdfast/core/internal/store';
import type { Connection } from './connection.ts';
import { schemaVersionOf } from './migrate.ts';
import { memorySince } from './schema.ts';

export function writeStates(connection: Connection, { circuits, memory }: States): void {
  for (const [toolName, snapshot] of circuits) saveCircuit(connection, toolName, snapshot);
  if (memory.size > 0) addMemory(connection, memory);
}

export function loadCircuits(connection: Connection): ReadonlyMap<string, CircuitSnapshot> {
  const rows = connection.statement('SELECT tool_id, snapshot FROM circuits').all();
  return new Map(rows.map((row) => [fromStoredText(String(row['tool_id'])), JSON.parse(String(row['snapshot'])) as CircuitSnapshot]));
}

export function loadMemory(connection: Connection): readonly MemoryEntry[] {
  // A file that was opened to read only may be of an older version.
  if (schemaVersionOf(connection.database) < memorySince) return [];
  const rows = connection.statement('SELECT entry FROM memory ORDER BY saved_at, key').all();
  return rows.map((row) => readMemoryEntry(String(row['entry'])));
}

function saveCircuit(connection: Connection, toolName: string, snapshot: CircuitSnapshot): void {
  connection
    .statement(
      `INSERT INTO circuits (tool_id, saved_at, snapshot) VALUES (?, ?, ?)
       ON CONFLICT (tool_id) DO UPDATE SET saved_at = excluded.saved_at, snapshot = excluded.snapshot WHERE excluded.saved_at >= circuits.saved_at`,
    )
    .run(toStoredText(toolName), Math.trunc(snapshot.savedAtEpochMs), JSON.stringify(snapshot));
}

function addMemory(connection: Connection, memory: States['memory']): void {
  for (const [key, learned] of memory) {
    const stored = connection.statement('SELECT entry FROM memory WHERE key = ?').get(key);
    const entry = stored === undefined ? learned : addToEntry(readMemoryEntry(String(stored['entry'])), learned);
    connection
      .statement('INSERT OR REPLACE INTO memory (key, saved_at, entry) VALUES (?, ?, ?)')
      .run(key, Math.trunc(entry.savedAtEpochMs), JSON.stringify(entry));
  }
  connection
    .statement('DELETE FROM memory WHERE key IN (SELECT key FROM memory ORDER BY saved_at DESC, key DESC LIMIT -1 OFFSET ?)')
    .run(MAX_MEMORY_ENTRIES);
}
