/** Owns the other records of the history: circuit changes, failures, slow calls, and the list of changes. */
import type { CallRecord, CircuitChange, FailureRecord, HistoryWrite, KeptChange, ToolCircuitChange } from '@holdfast/core/history';
import { failuresKept } from '@holdfast/core/internal';
import { fromStoredText } from '@holdfast/core/internal/store';
import type { Row, Session } from '../database/session.ts';

const maxChanges = 1_000;
const maxCircuitChanges = 500;

/** A change is identified by its time, its id and its writer: each process numbers its own. An update keeps its place. */
export async function saveCircuitChanges(
  session: Session,
  schema: string,
  { circuitChanges: changes }: Pick<HistoryWrite, 'circuitChanges'>,
  { writer, numberOf }: { readonly writer: string; readonly numberOf: (tool: string) => number },
): Promise<void> {
  const latest = [...new Map(changes.map((each) => [JSON.stringify([each.toolName, each.change.at, each.change.id]), each])).values()];
  if (latest.length === 0) return;
  await session.query(
    `INSERT INTO ${schema}.history_circuit_changes (tool, at, id, writer, body)
     SELECT tool, at, id, $1::uuid, body::json FROM unnest($2::integer[], $3::bigint[], $4::bigint[], $5::text[]) AS t (tool, at, id, body)
     ON CONFLICT (tool, at, id, writer) DO UPDATE SET body = excluded.body`,
    [
      writer,
      latest.map(({ toolName: tool }) => numberOf(tool)),
      latest.map(({ change }) => Date.parse(change.at)),
      latest.map(({ change }) => change.id),
      latest.map(({ change }) => JSON.stringify(change)),
    ],
  );
}

/** The latest changes since a time, oldest first. */
export async function circuitChanges(session: Session, schema: string, tool: number, since: number): Promise<readonly CircuitChange[]> {
  const { rows } = await session.query(
    `SELECT body FROM ${schema}.history_circuit_changes WHERE tool = $1 AND at >= $2 ORDER BY at DESC, id DESC, writer DESC LIMIT $3`,
    [tool, since, maxCircuitChanges],
  );
  return rows.map(bodyOf<CircuitChange>).toReversed();
}

/** The last change before a time. */
export async function circuitChangeBefore(session: Session, schema: string, tool: number, at: number): Promise<CircuitChange | undefined> {
  const { rows } = await session.query(
    `SELECT body FROM ${schema}.history_circuit_changes WHERE tool = $1 AND at < $2 ORDER BY at DESC, id DESC, writer DESC LIMIT 1`,
    [tool, at],
  );
  return rows[0] && bodyOf<CircuitChange>(rows[0]);
}

/** The last change of each circuit. */
export async function lastCircuitChanges(session: Session, schema: string): Promise<readonly ToolCircuitChange[]> {
  const { rows } = await session.query(
    `SELECT t.name, c.body FROM ${schema}.history_tools AS t CROSS JOIN LATERAL
       (SELECT body FROM ${schema}.history_circuit_changes WHERE tool = t.id ORDER BY at DESC, id DESC, writer DESC LIMIT 1) AS c`,
  );
  return rows.map((row) => ({ toolName: fromStoredText(String(row['name'])), change: bodyOf<CircuitChange>(row) }));
}

export async function saveFailures(
  session: Session,
  schema: string,
  failed: HistoryWrite['failures'],
  numberOf: (tool: string) => number,
): Promise<void> {
  if (failed.length === 0) return;
  await session.query(
    `INSERT INTO ${schema}.history_failures (tool, at, body) SELECT tool, at, body::json FROM unnest($1::integer[], $2::bigint[], $3::text[]) AS t (tool, at, body)`,
    [
      failed.map(({ toolName: tool }) => numberOf(tool)),
      failed.map(({ failure }) => Date.parse(failure.at)),
      failed.map(({ failure }) => JSON.stringify(failure)),
    ],
  );
}

/** Newest first. Only the latest failures of a tool are returned; the others are deleted later. */
export async function failures(session: Session, schema: string, tool: number, since: number): Promise<readonly FailureRecord[]> {
  const { rows } = await session.query(
    `SELECT body FROM (SELECT id, at, body FROM ${schema}.history_failures WHERE tool = $1 ORDER BY id DESC LIMIT $2) AS latest WHERE at >= $3 ORDER BY id DESC`,
    [tool, failuresKept, since],
  );
  return rows.map(bodyOf<FailureRecord>);
}

export async function saveSlowCalls(
  session: Session,
  schema: string,
  slow: HistoryWrite['slowCalls'],
  numberOf: (tool: string) => number,
): Promise<void> {
  if (slow.length === 0) return;
  await session.query(
    `INSERT INTO ${schema}.history_slow_calls (tool, at, duration_ms, body)
     SELECT tool, at, duration_ms, body::json FROM unnest($1::integer[], $2::bigint[], $3::double precision[], $4::text[]) AS t (tool, at, duration_ms, body)`,
    [
      slow.map(({ toolName: tool }) => numberOf(tool)),
      slow.map(({ call }) => Date.parse(call.at)),
      slow.map(({ call }) => call.duration_ms),
      slow.map(({ call }) => JSON.stringify(call)),
    ],
  );
}

/** Slowest first. */
export async function slowCalls(
  session: Session,
  schema: string,
  tool: number,
  { since, limit }: { readonly since: number; readonly limit: number },
): Promise<readonly CallRecord[]> {
  const { rows } = await session.query(
    `SELECT body FROM ${schema}.history_slow_calls WHERE tool = $1 AND at >= $2 ORDER BY duration_ms DESC, id LIMIT $3`,
    [tool, since, limit],
  );
  return rows.map(bodyOf<CallRecord>);
}

export async function saveChanges(session: Session, schema: string, changed: HistoryWrite['changes'], writer: string): Promise<void> {
  const latest = [...new Map(changed.map((each) => [`${each.at} ${String(each.id)}`, each])).values()];
  if (latest.length === 0) return;
  await session.query(
    `INSERT INTO ${schema}.history_changes (at, id, writer, body)
     SELECT at, id, $1::uuid, body::json FROM unnest($2::bigint[], $3::bigint[], $4::text[]) AS t (at, id, body)
     ON CONFLICT (at, id, writer) DO UPDATE SET body = excluded.body`,
    [writer, latest.map(({ at }) => Date.parse(at)), latest.map(({ id }) => id), latest.map((each) => JSON.stringify(each))],
  );
}

/** Newest first. */
export async function changes(session: Session, schema: string, limit: number): Promise<readonly KeptChange[]> {
  const { rows } = await session.query(`SELECT body FROM ${schema}.history_changes ORDER BY at DESC, id DESC, writer DESC LIMIT $1`, [
    Math.min(limit, maxChanges),
  ]);
  return rows.map(bodyOf<KeptChange>);
}

export async function lastIds(session: Session, schema: string): Promise<{ readonly change: number; readonly circuitChange: number }> {
  const { rows } = await session.query(
    `SELECT (SELECT max(id) FROM ${schema}.history_changes) AS change, (SELECT max(id) FROM ${schema}.history_circuit_changes) AS circuit_change`,
  );
  return { change: Number(rows[0]?.['change'] ?? 0), circuitChange: Number(rows[0]?.['circuit_change'] ?? 0) };
}

/** Deletes some that are too old or too many. Returns whether there may be more. */
export async function expireRecords(session: Session, schema: string, before: number, limit: number): Promise<boolean> {
  let hasMore = false;
  const forget = async (table: string, which: string, ...values: readonly unknown[]): Promise<void> => {
    const { rowCount } = await session.query(
      `DELETE FROM ${schema}.${table} WHERE ctid = ANY (ARRAY (SELECT ctid FROM ${schema}.${table} ${which} LIMIT ${String(limit)}))`,
      values,
    );
    hasMore ||= rowCount === limit;
  };
  for (const table of ['history_circuit_changes', 'history_failures', 'history_slow_calls', 'history_changes'])
    await forget(table, 'WHERE at < $1', before);
  await forget('history_clusters', 'WHERE last_seen < $1', before);
  await forget('history_changes', 'ORDER BY at DESC, id DESC OFFSET $1', maxChanges);
  await session.query(
    `WITH kept AS MATERIALIZED (SELECT t.id AS tool,
       (SELECT f.id FROM ${schema}.history_failures AS f WHERE f.tool = t.id ORDER BY f.id DESC LIMIT 1 OFFSET $1) AS last FROM ${schema}.history_tools AS t)
     DELETE FROM ${schema}.history_failures AS f USING kept WHERE f.tool = kept.tool AND f.id <= kept.last`,
    [failuresKept],
  );
  return hasMore;
}

function bodyOf<Value>(row: Row): Value {
  return row['body'] as Value;
}
