/**
 * Owns the facts of turns in the file, and finding turns by them.
 *
 * Invariant: pages are exact: no turn comes twice or is left out, also if turns began in the same millisecond.
 */
import type { FactsQuery, KeptTurn, TurnPlace, TurnRecord } from '@holdfast/core/history';
import { fromStoredText, toStoredText } from '@holdfast/core/internal/store';
import type { SQLInputValue, SQLOutputValue } from 'node:sqlite';
import type { HistoryConnection } from './history-connection.ts';

const kinds = { tool: 1, code: 2 } as const;

export function saveTurn(connection: HistoryConnection, turn: TurnRecord): void {
  const { turn_id, started_at, ended_at = null, outcome = null, summary, calls, events, facts } = turn;
  const row = connection
    .statement(
      `INSERT INTO turns (turn_id, started_at, ended_at, outcome, summary, calls, events, duration_ms, retries, failed, skipped, alternative, deadline, repaired, tools, codes, waited_ms)
       VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
       ON CONFLICT (turn_id, started_at) DO UPDATE SET ended_at = excluded.ended_at, outcome = excluded.outcome, summary = excluded.summary,
         calls = excluded.calls, events = excluded.events, duration_ms = excluded.duration_ms, retries = excluded.retries, failed = excluded.failed,
         skipped = excluded.skipped, alternative = excluded.alternative, deadline = excluded.deadline, repaired = excluded.repaired,
         tools = excluded.tools, codes = excluded.codes, waited_ms = excluded.waited_ms RETURNING id`,
    )
    .get(
      toStoredText(turn_id),
      started_at,
      ended_at,
      outcome,
      summary === undefined ? null : toStoredText(summary),
      calls,
      events,
      facts.duration_ms,
      facts.retries,
      facts.failed_calls,
      facts.skipped_calls,
      Number(facts.used_alternative),
      Number(facts.deadline_missed),
      Number(facts.repaired),
      JSON.stringify(facts.tools),
      JSON.stringify(facts.codes),
      facts.waited_ms,
    );
  const id = Number(row?.['id']);
  for (const tool of facts.tools) saveName(connection, kinds.tool, tool, started_at, id);
  for (const code of facts.codes) saveName(connection, kinds.code, code, started_at, id);
}

function saveName(connection: HistoryConnection, kind: number, name: string, startedAt: number, id: number): void {
  connection
    .statement('INSERT OR IGNORE INTO turn_names (kind, name, started_at, turn) VALUES (?, ?, ?, ?)')
    .run(kind, toStoredText(name), startedAt, id);
}

/** Newest first. */
export function findTurns(connection: HistoryConnection, query: FactsQuery): readonly KeptTurn[] {
  const { sql, values } = selection(query);
  return connection
    .statement(sql)
    .all(...values)
    .map(turnOf);
}

/** A search by name finds rare tools at once. */
function selection(query: FactsQuery): { readonly sql: string; readonly values: readonly SQLInputValue[] } {
  const { toolName: tool, code, after, since, before, limit } = query;
  const [kind, name] = tool === undefined ? [kinds.code, code] : [kinds.tool, tool];
  const by = name === undefined ? { start: 't.started_at', id: 't.id' } : { start: 'n.started_at', id: 'n.turn' };
  const wheres: string[] = [];
  const values: SQLInputValue[] = [];
  const where = (condition: string, ...given: readonly SQLInputValue[]): void => {
    wheres.push(condition);
    values.push(...given);
  };
  if (name !== undefined) where('n.kind = ? AND n.name = ?', kind, toStoredText(name));
  if (tool !== undefined && code !== undefined)
    where(
      'EXISTS (SELECT 1 FROM turn_names c WHERE c.kind = ? AND c.name = ? AND c.started_at = t.started_at AND c.turn = t.id)',
      kinds.code,
      toStoredText(code),
    );
  if (after !== undefined) where(`(${by.start}, ${by.id}) < (?, ?)`, after.startedAt, after.id);
  const { downTo } = query;
  if (downTo !== undefined) where(`(${by.start}, ${by.id}) >= (?, ?)`, downTo.startedAt, downTo.id);
  if (since !== undefined) where(`${by.start} >= ?`, since);
  if (before !== undefined) where(`${by.start} < ?`, before);
  addFacts(query, where);
  const from = name === undefined ? 'turns t' : 'turn_names n JOIN turns t ON t.id = n.turn';
  const condition = wheres.length === 0 ? '' : `WHERE ${wheres.join(' AND ')}`;
  return { sql: `SELECT t.* FROM ${from} ${condition} ORDER BY ${by.start} DESC, ${by.id} DESC LIMIT ?`, values: [...values, limit] };
}

function addFacts(
  { outcome, retried, deadline, repaired, alternative, text }: FactsQuery,
  where: (condition: string, ...given: readonly SQLInputValue[]) => void,
): void {
  if (outcome !== undefined) where('t.outcome IN (SELECT value FROM json_each(?))', JSON.stringify(outcome));
  if (retried !== undefined) where(retried ? 't.retries > 0' : 't.retries = 0');
  if (deadline !== undefined) where(deadline ? 't.deadline = 1' : 't.deadline = 0');
  if (repaired !== undefined) where(repaired ? 't.repaired = 1' : 't.repaired = 0');
  if (alternative !== undefined) where(alternative ? 't.alternative = 1' : 't.alternative = 0');
  if (text === undefined) return;
  const like = `%${text.replaceAll(/[\\%_]/g, String.raw`\$&`)}%`;
  where(
    String.raw`(t.summary LIKE ? ESCAPE '\' OR t.tools LIKE ? ESCAPE '\' OR t.codes LIKE ? ESCAPE '\' OR (t.turn_id >= ? AND t.turn_id < ?))`,
    like,
    like,
    like,
    toStoredText(text),
    `${toStoredText(text)}\u{10FFFF}`,
  );
}

/** The turn `count` places further back; `undefined` if there are fewer. */
export function placeBack(connection: HistoryConnection, after: TurnPlace | undefined, count: number): TurnPlace | undefined {
  const { startedAt = Number.MAX_SAFE_INTEGER, id = 0 } = after ?? {};
  const row = connection
    .statement('SELECT started_at, id FROM turns WHERE (started_at, id) < (?, ?) ORDER BY started_at DESC, id DESC LIMIT 1 OFFSET ?')
    .get(startedAt, id, count - 1);
  return row && { startedAt: Number(row['started_at']), id: Number(row['id']) };
}

export function factsOf(connection: HistoryConnection, turnId: string, startedAt: number): KeptTurn | undefined {
  const row = connection.statement('SELECT * FROM turns WHERE turn_id = ? AND started_at = ?').get(toStoredText(turnId), startedAt);
  return row && turnOf(row);
}

/** Deletes some that began before a time. Returns whether there may be more. */
export function expireTurns(connection: HistoryConnection, before: number, limit: number): boolean {
  const rows = connection
    .statement('SELECT id, started_at, tools, codes FROM turns WHERE started_at < ? ORDER BY started_at, id LIMIT ?')
    .all(before, limit);
  for (const row of rows) {
    const [id, startedAt] = [Number(row['id']), Number(row['started_at'])];
    for (const tool of namesOf(row['tools'])) forgetName(connection, kinds.tool, tool, startedAt, id);
    for (const code of namesOf(row['codes'])) forgetName(connection, kinds.code, code, startedAt, id);
    connection.statement('DELETE FROM turns WHERE id = ?').run(id);
  }
  return rows.length === limit;
}

function forgetName(connection: HistoryConnection, kind: number, name: string, startedAt: number, id: number): void {
  connection
    .statement('DELETE FROM turn_names WHERE kind = ? AND name = ? AND started_at = ? AND turn = ?')
    .run(kind, toStoredText(name), startedAt, id);
}

function turnOf(row: Record<string, SQLOutputValue>): KeptTurn {
  const { ended_at: endedAt, outcome, summary } = row;
  return {
    id: Number(row['id']),
    turn_id: fromStoredText(String(row['turn_id'])),
    started_at: Number(row['started_at']),
    ...(typeof endedAt === 'number' ? { ended_at: endedAt } : {}),
    ...(typeof outcome === 'string' ? { outcome: outcome as NonNullable<TurnRecord['outcome']> } : {}),
    ...(typeof summary === 'string' ? { summary: fromStoredText(summary) } : {}),
    calls: Number(row['calls']),
    events: Number(row['events']),
    facts: {
      tools: namesOf(row['tools']),
      codes: namesOf(row['codes']),
      duration_ms: Number(row['duration_ms']),
      retries: Number(row['retries']),
      failed_calls: Number(row['failed']),
      skipped_calls: Number(row['skipped']),
      waited_ms: Number(row['waited_ms']),
      used_alternative: row['alternative'] === 1,
      deadline_missed: row['deadline'] === 1,
      repaired: row['repaired'] === 1,
    },
  };
}

function namesOf(value: SQLOutputValue | undefined): readonly string[] {
  return JSON.parse(String(value)) as readonly string[];
}
