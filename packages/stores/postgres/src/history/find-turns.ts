/**
 * Owns finding turns by their facts.
 *
 * Invariant: pages are exact: no turn comes twice or is left out, also if turns began in the same millisecond.
 */
import type { FactsQuery, KeptTurn, TurnPlace } from '@holdfast/core/history';
import { toStoredText } from '@holdfast/core/internal/store';
import type { Session } from '../database/session.ts';
import { kinds, turnOf } from './turns.ts';

/** Newest first. */
export async function findTurns(session: Session, schema: string, query: FactsQuery): Promise<readonly KeptTurn[]> {
  const { sql, values } = selection(schema, query);
  const { rows } = await session.query(sql, values);
  return rows.map(turnOf);
}

type Where = (condition: (...places: readonly string[]) => string, ...given: readonly unknown[]) => void;

/** A search by name finds rare tools at once. */
function selection(schema: string, query: FactsQuery): { readonly sql: string; readonly values: readonly unknown[] } {
  const { toolName: tool, code, after, downTo, since, before, limit } = query;
  const [kind, name] = tool === undefined ? [kinds.code, code] : [kinds.tool, tool];
  const by = name === undefined ? { start: 't.started_at', id: 't.id' } : { start: 'n.started_at', id: 'n.turn' };
  const wheres: string[] = [];
  const values: unknown[] = [];
  const where: Where = (condition, ...given) => {
    wheres.push(condition(...given.map((value) => `$${String(values.push(value))}`)));
  };
  if (name !== undefined) where((k, n) => `n.kind = ${k} AND n.name = ${n}`, kind, toStoredText(name));
  if (tool !== undefined && code !== undefined)
    where(
      (k, n) =>
        `EXISTS (SELECT 1 FROM ${schema}.history_turn_names AS c WHERE c.kind = ${k} AND c.name = ${n} AND c.started_at = t.started_at AND c.turn = t.id)`,
      kinds.code,
      toStoredText(code),
    );
  if (after !== undefined) where((start, id) => `(${by.start}, ${by.id}) < (${start}, ${id})`, after.startedAt, after.id);
  if (downTo !== undefined) where((start, id) => `(${by.start}, ${by.id}) >= (${start}, ${id})`, downTo.startedAt, downTo.id);
  if (since !== undefined) where((at) => `${by.start} >= ${at}`, since);
  if (before !== undefined) where((at) => `${by.start} < ${at}`, before);
  addFacts(query, where);
  const turns = `${schema}.history_turns AS t`;
  const from = name === undefined ? turns : `${schema}.history_turn_names AS n JOIN ${turns} ON t.id = n.turn`;
  const condition = wheres.length === 0 ? '' : `WHERE ${wheres.join(' AND ')}`;
  const limited = `LIMIT $${String(values.push(limit))}`;
  return { sql: `SELECT t.* FROM ${from} ${condition} ORDER BY ${by.start} DESC, ${by.id} DESC ${limited}`, values };
}

function addFacts({ outcome, retried, deadline, repaired, alternative, text }: FactsQuery, where: Where): void {
  if (outcome !== undefined) where((names) => `t.outcome = ANY (${names}::text[])`, outcome);
  if (retried !== undefined) where(() => (retried ? 't.retries > 0' : 't.retries = 0'));
  if (deadline !== undefined) where(() => (deadline ? 't.deadline' : 'NOT t.deadline'));
  if (repaired !== undefined) where(() => (repaired ? 't.repaired' : 'NOT t.repaired'));
  if (alternative !== undefined) where(() => (alternative ? 't.alternative' : 'NOT t.alternative'));
  if (text === undefined) return;
  const kept = toStoredText(text);
  const like = `%${kept.replaceAll(/[\\%_]/g, String.raw`\$&`)}%`;
  where(
    (words, id, beyond) =>
      `(t.summary ILIKE ${words} OR t.tools::text ILIKE ${words} OR t.codes::text ILIKE ${words} OR (t.turn_id >= ${id} AND t.turn_id < ${beyond}))`,
    like,
    kept,
    `${kept}\u{10FFFF}`,
  );
}

/** The turn `count` places further back; `undefined` if there are fewer. */
export async function placeBack(
  session: Session,
  schema: string,
  after: TurnPlace | undefined,
  count: number,
): Promise<TurnPlace | undefined> {
  const { rows } = await session.query(
    `SELECT started_at, id FROM ${schema}.history_turns ${after ? 'WHERE (started_at, id) < ($2, $3)' : ''} ORDER BY started_at DESC, id DESC LIMIT 1 OFFSET $1`,
    after ? [count - 1, after.startedAt, after.id] : [count - 1],
  );
  const [row] = rows;
  return row && { startedAt: Number(row['started_at']), id: Number(row['id']) };
}
