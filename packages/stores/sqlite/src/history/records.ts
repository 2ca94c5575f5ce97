/** Owns the other records of the history: circuit changes, clusters, failures, slow calls, and the list of changes. */
import type { CallRecord, CircuitChange, ClusterRecord, FailureRecord, KeptChange, ToolCircuitChange } from '@holdfast/core/history';
import { failuresKept, mergeClusters } from '@holdfast/core/internal';
import { fromStoredText } from '@holdfast/core/internal/store';
import type { HistoryConnection } from './history-connection.ts';

const maxChanges = 1_000;
const maxCircuitChanges = 500;

/** A change is identified by its time and its id: several processes may write to one file, and each numbers its own. An update keeps its place. */
export function saveCircuitChange(connection: HistoryConnection, tool: string, change: CircuitChange): void {
  connection
    .statement(
      'INSERT INTO circuit_changes (id, tool, at, body) VALUES (?, ?, ?, ?) ON CONFLICT (tool, at, id) DO UPDATE SET body = excluded.body',
    )
    .run(change.id, connection.toolNumber(tool), Date.parse(change.at), JSON.stringify(change));
}

/** The latest changes since a time, oldest first. */
export function circuitChanges(connection: HistoryConnection, tool: string, since: number): readonly CircuitChange[] {
  const number = connection.knownTool(tool);
  if (number === undefined) return [];
  return connection
    .statement('SELECT body FROM circuit_changes WHERE tool = ? AND at >= ? ORDER BY at DESC, id DESC LIMIT ?')
    .all(number, since, maxCircuitChanges)
    .map(bodyOf<CircuitChange>)
    .toReversed();
}

/** The last change before a time. */
export function circuitChangeBefore(connection: HistoryConnection, tool: string, at: number): CircuitChange | undefined {
  const number = connection.knownTool(tool);
  if (number === undefined) return undefined;
  const row = connection
    .statement('SELECT body FROM circuit_changes WHERE tool = ? AND at < ? ORDER BY at DESC, id DESC LIMIT 1')
    .get(number, at);
  return row && bodyOf<CircuitChange>(row);
}

/** The last change of each circuit. */
export function lastCircuitChanges(connection: HistoryConnection): readonly ToolCircuitChange[] {
  return connection
    .statement(
      'SELECT t.name, c.body FROM circuit_changes c JOIN tools t ON t.id = c.tool WHERE c.rowid IN (SELECT max(rowid) FROM circuit_changes GROUP BY tool)',
    )
    .all()
    .map((row) => ({ toolName: fromStoredText(String(row['name'])), change: bodyOf<CircuitChange>(row) }));
}

/** Adds failures to a cluster that this process or another one created. */
export function addToCluster(connection: HistoryConnection, added: ClusterRecord): void {
  const row = connection.statement('SELECT body FROM clusters WHERE signature = ?').get(added.signature);
  const cluster = row ? mergeClusters(bodyOf<ClusterRecord>(row), added) : added;
  connection
    .statement('INSERT OR REPLACE INTO clusters (signature, last_seen, body) VALUES (?, ?, ?)')
    .run(cluster.signature, cluster.last_seen, JSON.stringify(cluster));
}

/** Least recently seen first. */
export function clusters(connection: HistoryConnection, limit: number): readonly ClusterRecord[] {
  return connection
    .statement('SELECT body FROM clusters ORDER BY last_seen DESC LIMIT ?')
    .all(limit)
    .map(bodyOf<ClusterRecord>)
    .toReversed();
}

export function saveFailure(connection: HistoryConnection, tool: string, failure: FailureRecord): void {
  connection
    .statement('INSERT INTO failures (tool, at, body) VALUES (?, ?, ?)')
    .run(connection.toolNumber(tool), Date.parse(failure.at), JSON.stringify(failure));
}

/** Keeps only the latest failures of each tool. */
export function trimFailures(connection: HistoryConnection, tool: string): void {
  const number = connection.toolNumber(tool);
  connection
    .statement(
      'DELETE FROM failures WHERE tool = ?1 AND id <= (SELECT id FROM failures WHERE tool = ?1 ORDER BY id DESC LIMIT 1 OFFSET ?2)',
    )
    .run(number, failuresKept);
}

/** Newest first. */
export function failures(connection: HistoryConnection, tool: string, since: number): readonly FailureRecord[] {
  const number = connection.knownTool(tool);
  if (number === undefined) return [];
  return connection
    .statement('SELECT body FROM failures WHERE tool = ? AND at >= ? ORDER BY id DESC')
    .all(number, since)
    .map(bodyOf<FailureRecord>);
}

export function saveSlowCall(connection: HistoryConnection, tool: string, call: CallRecord): void {
  connection
    .statement('INSERT INTO slow_calls (tool, at, duration_ms, body) VALUES (?, ?, ?, ?)')
    .run(connection.toolNumber(tool), Date.parse(call.at), call.duration_ms, JSON.stringify(call));
}

/** Slowest first. */
export function slowCalls(connection: HistoryConnection, tool: string, since: number, limit: number): readonly CallRecord[] {
  const number = connection.knownTool(tool);
  if (number === undefined) return [];
  return connection
    .statement('SELECT body FROM slow_calls WHERE tool = ? AND at >= ? ORDER BY duration_ms DESC, id LIMIT ?')
    .all(number, since, limit)
    .map(bodyOf<CallRecord>);
}

export function saveChange(connection: HistoryConnection, change: KeptChange): void {
  connection
    .statement('INSERT OR REPLACE INTO changes (id, at, body) VALUES (?, ?, ?)')
    .run(change.id, Date.parse(change.at), JSON.stringify(change));
  connection.statement('DELETE FROM changes WHERE rowid <= (SELECT max(rowid) FROM changes) - ?').run(maxChanges);
}

/** Newest first. */
export function changes(connection: HistoryConnection, limit: number): readonly KeptChange[] {
  return connection
    .statement('SELECT body FROM changes ORDER BY at DESC, id DESC LIMIT ?')
    .all(limit)
    .map(bodyOf<KeptChange>);
}

export function lastId(connection: HistoryConnection, table: 'changes' | 'circuit_changes'): number {
  return Number(connection.statement(`SELECT max(id) AS id FROM ${table}`).get()?.['id'] ?? 0);
}

/** Deletes some older ones. Returns whether there may be more. */
export function expireRecords(connection: HistoryConnection, before: number, limit: number): boolean {
  const timed = ['circuit_changes', 'failures', 'slow_calls', 'changes'].map(
    (table) =>
      connection.statement(`DELETE FROM ${table} WHERE rowid IN (SELECT rowid FROM ${table} WHERE at < ? LIMIT ?)`).run(before, limit)
        .changes,
  );
  const old = connection
    .statement('DELETE FROM clusters WHERE signature IN (SELECT signature FROM clusters WHERE last_seen < ? LIMIT ?)')
    .run(before, limit).changes;
  return [...timed, old].includes(limit);
}

function bodyOf<Value>(row: Record<string, unknown>): Value {
  return JSON.parse(String(row['body'])) as Value;
}
