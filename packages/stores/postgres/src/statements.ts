/**
 * Owns the statements of a batch, each over many rows.
 */
import { int4Array, int8Array, textArray } from './database/arrays.ts';
import type { Row, Session } from './database/session.ts';
import type { Entry } from './entry.ts';
import type { Passed } from './gate.ts';
import type { RunChange, RunState, Slot } from './runs.ts';

interface Placed {
  readonly run: number;
  readonly entry: Entry;
}

export class Statements {
  readonly #session: Session;
  readonly #schema: string;
  readonly #writer: number;
  readonly #position: string;

  constructor(session: Session, schema: string, { writer, position }: Passed) {
    this.#session = session;
    this.#schema = schema;
    this.#writer = writer;
    this.#position = position;
  }

  /** The latest run of each turn id; unknown ids are absent. */
  async findRuns(turnIds: readonly string[]): Promise<ReadonlyMap<string, RunState>> {
    const { rows } = await this.#session.query(
      `SELECT wanted.turn_id, t.run, t.ended_at IS NOT NULL AS ended FROM unnest($1::text[]) AS wanted (turn_id) CROSS JOIN LATERAL (
         SELECT run, ended_at FROM ${this.#schema}.turns
         WHERE left(turn_id, 100) COLLATE "C" = left(wanted.turn_id, 100) AND turn_id = wanted.turn_id ORDER BY run DESC LIMIT 1) AS t`,
      [turnIds],
    );
    return new Map(rows.map((row) => [String(row['turn_id']), stateOf(row)]));
  }

  /** Returns which of them still exist. */
  async lockRuns(slots: readonly Slot[]): Promise<ReadonlySet<number>> {
    if (slots.length === 0) return new Set();
    const { rows } = await this.#session.query(
      `SELECT t.run FROM unnest($1::bigint[], $2::text[]) AS k (run, turn_id) JOIN ${this.#schema}.turns t ON t.run = k.run AND t.turn_id = k.turn_id
       ORDER BY t.run FOR NO KEY UPDATE OF t`,
      [slots.map(({ run }) => run), slots.map(({ turnId }) => turnId)],
    );
    return new Set(rows.map((row) => Number(row['run'])));
  }

  /** Returns which runs are new; another writer began the others. */
  async insertTurns(turns: readonly { readonly slot: Slot; readonly change: RunChange }[]): Promise<ReadonlySet<number>> {
    if (turns.length === 0) return new Set();
    const { rows } = await this.#session.query(
      `INSERT INTO ${this.#schema}.turns (writer, run, turn_id, execution_key, started_at, last_at, ended_at, outcome, summary, planned, completed, events)
       SELECT $1::int, g.* FROM unnest($2::bigint[], $3::text[], $4::text[], $5::bigint[], $6::bigint[], $7::bigint[], $8::text[], $9::text[], $10::int[],
         $11::int[], $12::int[]) AS g (run, turn_id, execution_key) ORDER BY g.execution_key, g.run
       ON CONFLICT (execution_key) WHERE execution_key IS NOT NULL DO NOTHING RETURNING run`,
      [
        this.#writer,
        int8Array(turns.map(({ change }) => change.run)),
        textArray(turns.map(({ slot }) => slot.turnId)),
        textArray(turns.map(({ slot }) => slot.executionKey ?? null)),
        int8Array(turns.map(({ change }) => change.startedAt)),
        ...columnsOf(turns.map(({ change }) => change)),
      ],
    );
    return new Set(rows.map((row) => Number(row['run'])));
  }

  /** Locks runs by their execution id. */
  async findExecutions(keys: readonly string[]): Promise<ReadonlyMap<string, RunState>> {
    const { rows } = await this.#session.query(
      `SELECT execution_key, run, ended_at IS NOT NULL AS ended FROM ${this.#schema}.turns WHERE execution_key = ANY($1::text[]) ORDER BY run FOR NO KEY UPDATE`,
      [keys],
    );
    return new Map(rows.map((row) => [String(row['execution_key']), stateOf(row)]));
  }

  /** Returns those whose `seq` is taken. */
  async insertEvents(placed: readonly Placed[]): Promise<ReadonlySet<Entry>> {
    if (placed.length === 0) return new Set();
    const [runs, seqs] = [int8Array(placed.map(({ run }) => run)), int4Array(placed.map(({ entry }) => entry.seq))];
    const { rowCount } = await this.#session.query(
      `INSERT INTO ${this.#schema}.events (run, seq, position, place, writer, at_ms, type, tool_id, call_id, body)
       SELECT run, seq, $1::bigint, place, $2::int, at_ms, type, tool_id, call_id, body
       FROM unnest($3::bigint[], $4::int[], $5::bigint[], $6::text[], $7::text[], $8::text[], $9::text[]) WITH ORDINALITY
         AS g (run, seq, at_ms, type, tool_id, call_id, body, place)
       ON CONFLICT (run, seq) DO NOTHING`,
      [
        this.#position,
        this.#writer,
        runs,
        seqs,
        int8Array(placed.map(({ entry }) => entry.atMs)),
        textArray(placed.map(({ entry }) => entry.type)),
        textArray(placed.map(({ entry }) => entry.toolName)),
        textArray(placed.map(({ entry }) => entry.callId)),
        textArray(placed.map(({ entry }) => entry.body)),
      ],
    );
    if (rowCount === placed.length) return new Set();
    // Cheaper than returning every row: a row that was written has the position of this batch.
    const { rows } = await this.#session.query(
      `SELECT place FROM unnest($2::bigint[], $3::int[]) WITH ORDINALITY AS g (run, seq, place)
       WHERE (SELECT (e.position, e.place) FROM ${this.#schema}.events e WHERE e.run = g.run AND e.seq = g.seq) IS DISTINCT FROM ROW($1::bigint, place::int)`,
      [this.#position, runs, seqs],
    );
    return new Set(rows.flatMap((row) => placed[Number(row['place']) - 1]?.entry ?? []));
  }

  /** Counts the refused events that are not repetitions. */
  async countContradictions(slots: readonly Slot[], refused: ReadonlySet<Entry>): Promise<number> {
    const placed = slots.flatMap(({ run, entries }) =>
      [...entries.values()].filter((entry) => refused.has(entry)).map((entry) => ({ run, entry })),
    );
    const { rows } = await this.#session.query(
      `SELECT count(*) AS same FROM unnest($1::bigint[], $2::int[], $3::text[]) AS g (run, seq, body)
       WHERE (SELECT body FROM ${this.#schema}.events e WHERE e.run = g.run AND e.seq = g.seq) = g.body`,
      [placed.map(({ run }) => run), placed.map(({ entry }) => entry.seq), placed.map(({ entry }) => entry.body)],
    );
    return placed.length - Number(rows[0]?.['same']);
  }

  async updateTurns(changes: readonly RunChange[]): Promise<void> {
    if (changes.length === 0) return;
    await this.#session.query(
      `UPDATE ${this.#schema}.turns t SET writer = $1, last_at = greatest(t.last_at, c.last_at), ended_at = coalesce(c.ended_at, t.ended_at),
         outcome = coalesce(c.outcome, t.outcome), summary = coalesce(c.summary, t.summary), planned = t.planned + c.planned,
         completed = t.completed + c.completed, events = t.events + c.events
       FROM unnest($2::bigint[], $3::bigint[], $4::bigint[], $5::text[], $6::text[], $7::int[], $8::int[], $9::int[])
         AS c (run, last_at, ended_at, outcome, summary, planned, completed, events) WHERE t.run = c.run`,
      [this.#writer, int8Array(changes.map(({ run }) => run)), ...columnsOf(changes)],
    );
  }

  async noteDropped(count: number): Promise<void> {
    await this.#session.query(`UPDATE ${this.#schema}.writers SET dropped = $2 WHERE id = $1`, [this.#writer, count]);
  }
}

function stateOf(row: Row): RunState {
  return { run: Number(row['run']), ended: row['ended'] === true, deleted: false };
}

function columnsOf(changes: readonly RunChange[]): readonly unknown[] {
  return [
    int8Array(changes.map(({ lastAt }) => lastAt)),
    int8Array(changes.map(({ endedAt }) => endedAt)),
    textArray(changes.map(({ outcome }) => outcome)),
    textArray(changes.map(({ summary }) => summary)),
    int4Array(changes.map(({ planned }) => planned)),
    int4Array(changes.map(({ completed }) => completed)),
    int4Array(changes.map(({ events }) => events)),
  ];
}
