/**
 * Owns the queries of the store. Long reads come in steps.
 *
 * 1. Events are read in the order of the transactions that wrote them, and within one in the order of appending.
 * 2. Events of a deleted run are not returned, although its partition may still hold them.
 */
import type { TraceEvent } from '@holdfast/core';
import type { AppendedEvents, CallPlace, EventQuery, TurnQuery, TurnSummary } from '@holdfast/core/store';
import { fromStoredText, toStoredText } from '@holdfast/core/internal/store';
import type { Row, Session } from './database/session.ts';

/** The position of an event in the order of all; a read continues after it. */
export interface Position {
  readonly position: string;
  readonly place: number;
}

/** Rows read in one step of a long read. */
const stepSize = 1_000;
/** A writer without a heartbeat for this long counts as dead. Heartbeats come six times as often. */
const leaseSeconds = 30;

const summaryColumns = (schema: string): string =>
  `t.run, t.turn_id, t.started_at, t.ended_at, t.outcome, t.summary, greatest(t.planned, t.completed) AS calls, t.events,
   w.closed_at IS NULL AND w.heartbeat_at > clock_timestamp() - interval '${String(leaseSeconds)} seconds' AS lives,
   (extract(epoch FROM coalesce(w.closed_at, w.heartbeat_at)) * 1000)::bigint AS seen_at
   FROM ${schema}.turns t LEFT JOIN ${schema}.writers w ON w.id = t.writer`;

export async function readTurn(
  session: Session,
  schema: string,
  turnId: string,
  run: number | undefined,
): Promise<readonly TraceEvent[] | undefined> {
  const { rows: found } = await session.query(
    `SELECT run FROM ${schema}.turns WHERE left(turn_id, 100) COLLATE "C" = left($1, 100) AND turn_id = $1 AND ($2::bigint IS NULL OR run = $2)
     ORDER BY run DESC LIMIT 1`,
    [toStoredText(turnId), run ?? null],
  );
  if (found[0] === undefined) return undefined;
  const { rows } = await session.query(`SELECT body FROM ${schema}.events WHERE run = $1 ORDER BY seq`, [found[0]['run']]);
  return rows.map(eventOf);
}

export async function listTurns(session: Session, schema: string, query: TurnQuery): Promise<readonly TurnSummary[]> {
  const { limit = 50, after, before = Number.MAX_SAFE_INTEGER, since = Number.MIN_SAFE_INTEGER } = query;
  const { rows } = await session.query(
    `SELECT ${summaryColumns(schema)} WHERE t.started_at >= $1 AND t.started_at < $2 AND (t.started_at, t.run) < ($3::bigint, $4::bigint)
     ORDER BY t.started_at DESC, t.run DESC LIMIT $5`,
    [toInteger(since), toInteger(before), after?.startedAt ?? Number.MAX_SAFE_INTEGER, after?.run ?? 0, toCount(limit)],
  );
  return rows.map(summaryOf);
}

/** Turns whose id begins with `prefix`, newest first. */
export async function findTurns(session: Session, schema: string, prefix: string, limit: number): Promise<readonly TurnSummary[]> {
  const from = toStoredText(prefix);
  const { rows } = await session.query(
    `SELECT ${summaryColumns(schema)} WHERE left(t.turn_id, 100) COLLATE "C" >= left($1, 100) AND left(t.turn_id, 100) COLLATE "C" < $2
       AND starts_with(t.turn_id, $1) ORDER BY t.started_at DESC, t.run DESC LIMIT $3`,
    [from, `${Array.from(from).slice(0, 100).join('')}\u{10FFFF}`, limit],
  );
  return rows.map(summaryOf);
}

/** The latest call of that id. */
export async function findCall(session: Session, schema: string, callId: string): Promise<CallPlace | undefined> {
  const { rows } = await session.query(
    `SELECT e.run, t.turn_id, e.tool_id FROM ${schema}.events e JOIN ${schema}.turns t ON t.run = e.run
     WHERE left(e.call_id, 100) COLLATE "C" = left($1, 100) AND e.call_id = $1 AND e.type IN ('CallStarted', 'CallCompleted')
     ORDER BY e.position DESC, e.place DESC LIMIT 1`,
    [toStoredText(callId)],
  );
  const row = rows[0];
  return row === undefined
    ? undefined
    : { callId, turnId: textOf(row, 'turn_id'), run: Number(row['run']), toolName: textOf(row, 'tool_id') };
}

/**
 * The positions that `readEvents` reads: what is committed by now, and not much before `since` or the newest. Its cost does not grow with what is older. The events
 * since a time are found by their own index: PostgreSQL would otherwise go through the positions, from the first on, until it finds one of that time.
 */
export async function eventRange(
  session: Session,
  schema: string,
  { since, newest }: EventQuery,
): Promise<{ readonly from: Position; readonly to: string } | undefined> {
  const events = `${schema}.events`;
  const { rows } = await (since === undefined
    ? session.query(`SELECT min(position) AS first, max(position) AS last FROM ${events}`)
    : session.query(
        `WITH since AS MATERIALIZED (SELECT position FROM ${events} WHERE at_ms >= $1)
         SELECT (SELECT min(position) FROM since) AS first, (SELECT max(position) FROM ${events}) AS last`,
        [toInteger(since)],
      ));
  const { first, last } = rows[0] ?? {};
  if (typeof first !== 'string' || typeof last !== 'string') return undefined;
  const start: Position = { position: first, place: 0 };
  const before = newest === undefined ? undefined : await positionBefore(session, schema, newest);
  return { from: before !== undefined && isAfter(before, start) ? before : start, to: last };
}

/** Of the event before the newest ones; `undefined` if there is none. */
async function positionBefore(session: Session, schema: string, newest: number): Promise<Position | undefined> {
  const { rows } = await session.query(
    `SELECT position, place FROM ${schema}.events ORDER BY position DESC, place DESC LIMIT 1 OFFSET $1`,
    [toCount(newest)],
  );
  return rows[0] && positionOf(rows[0]);
}

function isAfter(one: Position, other: Position): boolean {
  const [position, than] = [BigInt(one.position), BigInt(other.position)];
  return position > than || (position === than && one.place > other.place);
}

/** The matching events of one step, and where the next step begins; `undefined` after the last. */
export async function readStep(
  session: Session,
  schema: string,
  { since, until, eventTypes }: EventQuery,
  from: Position,
  to: string,
): Promise<{ readonly events: readonly TraceEvent[]; readonly next: Position | undefined }> {
  const { rows } = await session.query(
    `SELECT position, place, CASE WHEN at_ms >= $4 AND at_ms < $5 AND ($6::text[] IS NULL OR type = ANY($6))
       AND EXISTS (SELECT 1 FROM ${schema}.turns t WHERE t.run = e.run) THEN body END AS body
     FROM ${schema}.events e WHERE (position, place) > ($1::bigint, $2::int) AND position <= $3 ORDER BY position, place LIMIT ${String(stepSize)}`,
    [
      from.position,
      from.place,
      to,
      toInteger(since ?? Number.MIN_SAFE_INTEGER),
      toInteger(until ?? Number.MAX_SAFE_INTEGER),
      eventTypes ?? null,
    ],
  );
  return {
    events: rows.filter((row) => row['body'] !== null).map(eventOf),
    next: rows.length < stepSize ? undefined : positionOf(rows.at(-1)),
  };
}

/** What writers other than `instance` appended after `after`. Does not read past the oldest open transaction: see `schema.ts`. */
export async function readAppended(
  session: Session,
  schema: string,
  instance: string,
  after: string | undefined,
  limit: number,
): Promise<AppendedEvents> {
  const { rows: heads } = await session.query(
    `SELECT pg_snapshot_xmin(pg_current_snapshot())::text::bigint + (SELECT added FROM ${schema}.trace_position) AS head`,
  );
  const head = String(heads[0]?.['head']);
  const start = { events: [], cursor: `${head}.0` };
  const [, position, place] = /^(\d+)\.(\d+)$/.exec(after ?? '') ?? [];
  if (position === undefined || place === undefined) return start;
  const events: TraceEvent[] = [];
  let from: Position = { position, place: Number(place) };
  for (;;) {
    const { rows } = await session.query(
      `SELECT position, place, CASE WHEN writer IS DISTINCT FROM (SELECT id FROM ${schema}.writers WHERE instance = $5)
         AND EXISTS (SELECT 1 FROM ${schema}.turns t WHERE t.run = e.run) THEN body END AS body
       FROM ${schema}.events e WHERE (position, place) > ($1::bigint, $2::int) AND position < $3 ORDER BY position, place LIMIT $4`,
      [from.position, from.place, head, Math.min(stepSize, limit - events.length), instance],
    );
    events.push(...rows.filter((row) => row['body'] !== null).map(eventOf));
    if (rows.length === 0)
      return { events, cursor: BigInt(head) > BigInt(from.position) ? start.cursor : `${from.position}.${String(from.place)}` };
    from = positionOf(rows.at(-1));
    if (events.length >= limit) return { events, cursor: `${from.position}.${String(from.place)}` };
  }
}

/** Deletes every run of a turn id and returns how many. */
export async function deleteTurn(session: Session, schema: string, turnId: string): Promise<number> {
  const { rows } = await session.query(
    `DELETE FROM ${schema}.turns WHERE left(turn_id, 100) COLLATE "C" = left($1, 100) AND turn_id = $1 RETURNING run`,
    [toStoredText(turnId)],
  );
  if (rows.length > 0) await session.query(`DELETE FROM ${schema}.events WHERE run = ANY($1::bigint[])`, [rows.map((row) => row['run'])]);
  return rows.length;
}

function summaryOf(row: Row): TurnSummary {
  const { ended_at: endedAt, outcome, summary } = row;
  const seen = {
    turnId: textOf(row, 'turn_id'),
    run: Number(row['run']),
    startedAt: Number(row['started_at']),
    calls: Number(row['calls']),
    events: Number(row['events']),
  };
  if (endedAt === null && row['lives'] === true) return { ...seen, state: 'running' };
  if (endedAt === null) return { ...seen, state: 'interrupted', ...(row['seen_at'] === null ? {} : { seenAt: Number(row['seen_at']) }) };
  const completed = { outcome: outcome as NonNullable<TurnSummary['outcome']>, summary: fromStoredText(String(summary)) };
  return { ...seen, state: 'completed', endedAt: Number(endedAt), ...completed };
}

function toInteger(value: number): number {
  return Math.ceil(Math.max(Number.MIN_SAFE_INTEGER, Math.min(Number.MAX_SAFE_INTEGER, value)));
}

function toCount(value: number): number {
  return Math.max(0, Math.trunc(Math.min(value, 1e9)));
}

function positionOf(row: Row | undefined): Position {
  return { position: String(row?.['position']), place: Number(row?.['place']) };
}

function eventOf(row: Row): TraceEvent {
  return JSON.parse(String(row['body'])) as TraceEvent;
}

function textOf(row: Row, column: string): string {
  return fromStoredText(String(row[column]));
}
