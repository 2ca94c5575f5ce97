/**
 * Owns the rows of circuits and of episodic memory: how they are written within a transaction, and read.
 *
 * 1. The latest snapshot of a circuit is kept.
 * 2. Memory is updated under a lock until the end of the transaction, so that processes do not lose each other's outcomes.
 */
import type { CircuitSnapshot, MemoryEntry } from '@holdfast/core';
import { addToEntry } from '@holdfast/core/store';
import { fromStoredText, MAX_MEMORY_ENTRIES, readMemoryEntry, type States, toStoredText } from '@holdfast/core/internal/store';
import type { Session } from './database/session.ts';
import { keyOf } from './entry.ts';

export async function writeStates(session: Session, schema: string, { circuits, memory }: States): Promise<void> {
  if (circuits.size > 0) await saveCircuits(session, schema, circuits);
  if (memory.size > 0) await addMemory(session, schema, memory);
}

export async function loadCircuits(session: Session, schema: string): Promise<ReadonlyMap<string, CircuitSnapshot>> {
  const { rows } = await session.query(`SELECT tool_id, snapshot FROM ${schema}.circuits`);
  return new Map(rows.map((row) => [fromStoredText(String(row['tool_id'])), JSON.parse(String(row['snapshot'])) as CircuitSnapshot]));
}

export async function loadMemory(session: Session, schema: string): Promise<readonly MemoryEntry[]> {
  // Tables that are only read may be of an older version.
  const { rows: tables } = await session.query('SELECT to_regclass($1) IS NOT NULL AS there', [`${schema}.memory`]);
  if (tables[0]?.['there'] !== true) return [];
  const { rows } = await session.query(`SELECT entry FROM ${schema}.memory ORDER BY saved_at, memory_key`);
  return rows.map((row) => readMemoryEntry(String(row['entry'])));
}

/** In the order of their keys, so that two transactions do not wait for each other. */
async function saveCircuits(session: Session, schema: string, circuits: States['circuits']): Promise<void> {
  const sorted = [...circuits]
    .map(([toolName, snapshot]) => ({ key: keyOf(toolName), toolName, snapshot }))
    .toSorted((one, other) => (one.key < other.key ? -1 : 1));
  await session.query(
    `INSERT INTO ${schema}.circuits AS c (tool_key, tool_id, saved_at, snapshot) SELECT * FROM unnest($1::text[], $2::text[], $3::bigint[], $4::text[])
     ON CONFLICT (tool_key) DO UPDATE SET saved_at = excluded.saved_at, snapshot = excluded.snapshot WHERE excluded.saved_at >= c.saved_at`,
    [
      sorted.map(({ key }) => key),
      sorted.map(({ toolName }) => toStoredText(toolName)),
      sorted.map(({ snapshot }) => Math.trunc(snapshot.savedAtEpochMs)),
      sorted.map(({ snapshot }) => JSON.stringify(snapshot)),
    ],
  );
}

async function addMemory(session: Session, schema: string, memory: States['memory']): Promise<void> {
  await session.query('SELECT pg_advisory_xact_lock(hashtextextended($1, 0))', [`holdfast memory ${schema}`]);
  const learned = [...memory].map(([key, entry]) => ({ key: keyOf(key), entry }));
  const keys = learned.map(({ key }) => key);
  const { rows } = await session.query(`SELECT memory_key, entry FROM ${schema}.memory WHERE memory_key = ANY($1::text[])`, [keys]);
  const stored = new Map(rows.map((row) => [String(row['memory_key']), readMemoryEntry(String(row['entry']))]));
  const sums = learned.map(({ key, entry }) => addToEntry(stored.get(key), entry));
  await session.query(
    `INSERT INTO ${schema}.memory (memory_key, saved_at, entry) SELECT * FROM unnest($1::text[], $2::bigint[], $3::text[])
     ON CONFLICT (memory_key) DO UPDATE SET saved_at = excluded.saved_at, entry = excluded.entry`,
    [keys, sums.map(({ savedAtEpochMs }) => Math.trunc(savedAtEpochMs)), sums.map((entry) => JSON.stringify(entry))],
  );
  await session.query(
    `DELETE FROM ${schema}.memory WHERE memory_key IN (SELECT memory_key FROM ${schema}.memory ORDER BY saved_at DESC, memory_key DESC OFFSET $1)`,
    [MAX_MEMORY_ENTRIES],
  );
}
