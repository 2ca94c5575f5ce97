/**
 * Owns storing the facts of turns, and reading those of one. Does not own the search (`find-turns.ts`).
 *
 * Invariant: a turn is identified by its id and its begin, whichever process writes it; the record with more events wins.
 */
import type { KeptTurn, TurnRecord } from '@holdfast/core/history';
import { fromStoredText, toStoredText } from '@holdfast/core/internal/store';
import type { Row, Session } from '../database/session.ts';

export const kinds = { tool: 1, code: 2 } as const;

const columns =
  'turn_id, started_at, ended_at, outcome, summary, calls, events, duration_ms, retries, failed, skipped, alternative, deadline, repaired, tools, codes, waited_ms';
const changing = columns.split(', ').slice(2);

/** Building a statement with this many rows takes a few milliseconds. */
const turnsAtOnce = 250;

const keyOf = ({ started_at: at, turn_id: id }: Pick<TurnRecord, 'started_at' | 'turn_id'>): string => `${String(at)} ${id}`;

export async function saveTurns(session: Session, schema: string, turns: readonly TurnRecord[]): Promise<void> {
  const latest = new Map(turns.map((turn) => [keyOf(turn), turn]));
  // One order for all writers, so that there are no deadlocks.
  const sorted = [...latest].toSorted(([one], [other]) => (one < other ? -1 : 1)).map(([, turn]) => turn);
  for (let from = 0; from < sorted.length; from += turnsAtOnce) await saveSome(session, schema, sorted.slice(from, from + turnsAtOnce));
}

async function saveSome(session: Session, schema: string, some: readonly TurnRecord[]): Promise<void> {
  const known = new Map(some.map((turn) => [keyOf(turn), turn]));
  const facts = <Name extends keyof TurnRecord['facts']>(name: Name): readonly TurnRecord['facts'][Name][] =>
    some.map((turn) => turn.facts[name]);
  const { rows } = await session.query(
    `INSERT INTO ${schema}.history_turns AS kept (${columns})
     SELECT turn_id, started_at, ended_at, outcome, summary, calls, events, duration_ms, retries, failed, skipped, alternative, deadline, repaired,
       tools::json, codes::json, waited_ms
     FROM unnest($1::text[], $2::bigint[], $3::bigint[], $4::text[], $5::text[], $6::integer[], $7::bigint[], $8::double precision[], $9::integer[],
       $10::integer[], $11::integer[], $12::boolean[], $13::boolean[], $14::boolean[], $15::text[], $16::text[], $17::double precision[]) AS t (${columns})
     ON CONFLICT (started_at, hashtextextended(turn_id, 0)) DO UPDATE SET ${changing.map((name) => `${name} = excluded.${name}`).join(', ')}
       WHERE kept.events <= excluded.events
     RETURNING id, started_at, turn_id`,
    [
      some.map(({ turn_id: id }) => toStoredText(id)),
      some.map(({ started_at: at }) => at),
      some.map(({ ended_at: at }) => at ?? null),
      some.map(({ outcome }) => outcome ?? null),
      some.map(({ summary }) => (summary === undefined ? null : toStoredText(summary))),
      some.map(({ calls }) => calls),
      some.map(({ events }) => events),
      facts('duration_ms'),
      facts('retries'),
      facts('failed_calls'),
      facts('skipped_calls'),
      facts('used_alternative'),
      facts('deadline_missed'),
      facts('repaired'),
      facts('tools').map((names) => JSON.stringify(names)),
      facts('codes').map((names) => JSON.stringify(names)),
      facts('waited_ms'),
    ],
  );
  const names = rows.flatMap((row) => {
    const turn = known.get(keyOf({ started_at: Number(row['started_at']), turn_id: fromStoredText(String(row['turn_id'])) }));
    return turn ? namesOf(row, turn.facts) : [];
  });
  await saveNames(session, schema, names);
}

interface NameRow {
  readonly kind: number;
  readonly name: string;
  readonly startedAt: string;
  readonly turn: string;
}

async function saveNames(session: Session, schema: string, names: readonly NameRow[]): Promise<void> {
  if (names.length === 0) return;
  await session.query(
    `INSERT INTO ${schema}.history_turn_names (kind, name, started_at, turn)
     SELECT * FROM unnest($1::smallint[], $2::text[], $3::bigint[], $4::bigint[]) ORDER BY 1, 2, 3, 4 ON CONFLICT DO NOTHING`,
    valuesOf(names),
  );
}

function namesOf(turn: Row, { tools, codes }: Pick<TurnRecord['facts'], 'tools' | 'codes'>): readonly NameRow[] {
  const of = (kind: number, texts: readonly string[]): readonly NameRow[] =>
    texts.map((name) => ({ kind, name: toStoredText(name), startedAt: String(turn['started_at']), turn: String(turn['id']) }));
  return [...of(kinds.tool, tools), ...of(kinds.code, codes)];
}

function valuesOf(names: readonly NameRow[]): readonly unknown[] {
  return [
    names.map(({ kind }) => kind),
    names.map(({ name }) => name),
    names.map(({ startedAt }) => startedAt),
    names.map(({ turn }) => turn),
  ];
}

export async function factsOf(session: Session, schema: string, turnId: string, startedAt: number): Promise<KeptTurn | undefined> {
  const { rows } = await session.query(
    `SELECT * FROM ${schema}.history_turns WHERE started_at = $1 AND hashtextextended(turn_id, 0) = hashtextextended($2, 0) AND turn_id = $2`,
    [startedAt, toStoredText(turnId)],
  );
  return rows[0] && turnOf(rows[0]);
}

/** Deletes some that began before a time. Returns whether there may be more. */
export async function expireTurns(session: Session, schema: string, before: number, limit: number): Promise<boolean> {
  const { rows } = await session.query(
    `DELETE FROM ${schema}.history_turns
     WHERE id = ANY (ARRAY (SELECT id FROM ${schema}.history_turns WHERE started_at < $1 ORDER BY started_at, id LIMIT $2))
     RETURNING id, started_at, tools, codes`,
    [before, limit],
  );
  const names = rows.flatMap((row) => namesOf(row, { tools: row['tools'] as readonly string[], codes: row['codes'] as readonly string[] }));
  await session.query(
    `DELETE FROM ${schema}.history_turn_names AS n USING unnest($1::smallint[], $2::text[], $3::bigint[], $4::bigint[]) AS old (kind, name, started_at, turn)
     WHERE n.kind = old.kind AND n.name = old.name AND n.started_at = old.started_at AND n.turn = old.turn`,
    valuesOf(names),
  );
  return rows.length === limit;
}

export function turnOf(row: Row): KeptTurn {
  const { ended_at: endedAt, outcome, summary } = row;
  return {
    id: Number(row['id']),
    turn_id: fromStoredText(String(row['turn_id'])),
    started_at: Number(row['started_at']),
    ...(endedAt === null ? {} : { ended_at: Number(endedAt) }),
    ...(typeof outcome === 'string' ? { outcome: outcome as NonNullable<TurnRecord['outcome']> } : {}),
    ...(typeof summary === 'string' ? { summary: fromStoredText(summary) } : {}),
    calls: Number(row['calls']),
    events: Number(row['events']),
    facts: {
      tools: row['tools'] as readonly string[],
      codes: row['codes'] as readonly string[],
      duration_ms: Number(row['duration_ms']),
      retries: Number(row['retries']),
      failed_calls: Number(row['failed']),
      skipped_calls: Number(row['skipped']),
      waited_ms: Number(row['waited_ms']),
      used_alternative: row['alternative'] === true,
      deadline_missed: row['deadline'] === true,
      repaired: row['repaired'] === true,
    },
  };
}
