/**
 * Owns one transaction: a batch of events, the turns they belong to, circuits, memory, the writer's heartbeat.
 *
 * 1. All or nothing. What the batch learned about runs is returned, and kept only if it was committed.
 * 2. An event that can never be stored is dropped and counted; it does not block the others.
 * 3. A deleted run stays deleted: its further events are ignored and do not count as dropped.
 * 4. A writer that appends to a run becomes its writer, even if every event was known.
 */
import type { TraceEvent } from '@holdfast/core';
import { turnEndOf } from '@holdfast/core/trace';
import { toStoredText, type States } from '@holdfast/core/internal/store';
import type { Connection } from './connection.ts';
import { nextEventId } from './event-ids.ts';
import { eventRow, type Entry, type EventRow } from './event-row.ts';
import { resultCode } from './faults.ts';
import { schemaVersionOf } from './migrate.ts';
import { schemaVersion } from './schema.ts';
import { StoreConfigurationError } from './configuration-error.ts';
import type { WriterIdentity } from './writer-identity.ts';
import { writeStates } from './states.ts';

/** What the writer knows of the latest run of a turn id. */
export interface RunState {
  readonly run: number;
  readonly ended: boolean;
  readonly deleted: boolean;
}

export interface Batch {
  readonly entries: readonly Entry[];
  readonly states: States;
  readonly runs: ReadonlyMap<string, RunState>;
  readonly writer: WriterIdentity;
  readonly now: number;
}

export interface BatchResult {
  readonly runs: ReadonlyMap<string, RunState>;
  readonly written: number;
  readonly dropped: number;
}

interface RunChange {
  readonly run: number;
  events: number;
  completed: number;
  planned: number;
  lastAt: number;
  endedAt: number | null;
  outcome: string | null;
  summary: string | null;
}

interface Work extends Batch {
  readonly connection: Connection;
  readonly writerId: number;
  readonly learned: Map<string, RunState>;
  readonly changes: Map<number, RunChange>;
  /** Runs whose events in this batch were all known. */
  readonly repeated: Set<number>;
  /** The id of the next event, if the table cannot assign it. */
  nextId: number | null;
  dropped: number;
}

/** Throws the error of SQLite; then nothing of the batch is in the file. */
export function writeBatch(connection: Connection, batch: Batch): BatchResult {
  const { database } = connection;
  database.exec('BEGIN IMMEDIATE');
  try {
    if (schemaVersionOf(database) !== schemaVersion) {
      throw new StoreConfigurationError('HOLDFAST_STORE_NEWER_SCHEMA', 'another process changed its schema');
    }
    const writerId = touchWriter(connection, batch);
    const work: Work = {
      ...batch,
      connection,
      writerId,
      learned: new Map(),
      changes: new Map(),
      repeated: new Set(),
      nextId: nextEventId(connection),
      dropped: 0,
    };
    for (const entry of batch.entries) insertOrDrop(work, entry);
    let written = 0;
    for (const change of work.changes.values()) {
      updateTurn(work, change);
      written += change.events;
    }
    for (const run of work.repeated) if (!work.changes.has(run)) takeOver(work, run);
    writeStates(connection, batch.states);
    database.exec('COMMIT');
    return { runs: work.learned, written, dropped: work.dropped };
  } catch (error) {
    if (database.isTransaction) database.exec('ROLLBACK');
    throw error;
  }
}

function touchWriter(connection: Connection, { writer, now }: Batch): number {
  const row = connection
    .statement(
      `INSERT INTO writers (instance, machine, pid, process_start, heartbeat_at) VALUES (?, ?, ?, ?, ?)
       ON CONFLICT (instance) DO UPDATE SET heartbeat_at = excluded.heartbeat_at RETURNING id`,
    )
    .get(writer.instance, writer.machine, writer.pid, writer.processStart, now);
  return Number(row?.['id']);
}

function insertOrDrop(work: Work, entry: Entry): void {
  try {
    insertEvent(work, entry);
  } catch (error) {
    const code = resultCode(error);
    // 18 to 20: too big, constraint, mismatch. All other codes are about the file, not about this event.
    if (code !== undefined && (code < 18 || code > 20)) throw error;
    work.dropped += 1;
  }
}

function insertEvent(work: Work, entry: Entry): void {
  const { event } = entry;
  const row = eventRow(entry, work.now);
  const state = runOf(work, event, row);
  if (state.deleted) return;
  const { changes } = work.connection
    .statement(
      'INSERT OR IGNORE INTO events (id, run, seq, type, tool_id, call_id, at_ms, writer, body) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)',
    )
    .run(work.nextId, state.run, row.seq, row.type, row.toolName, row.callId, row.atMs, work.writerId, row.body);
  if (changes === 0) {
    if (isRepetition(work.connection, state.run, row)) work.repeated.add(state.run);
    else work.dropped += 1;
    return;
  }
  work.nextId = null;
  note(work, state, event, row);
}

function runOf(work: Work, event: TraceEvent, row: EventRow): RunState {
  const turnId = event.turn_id;
  const execution = row.seq === 1 ? executionOf(event) : null;
  const known = row.seq === 1 ? findExecution(work.connection, turnId, execution) : knownRun(work, turnId);
  if (known !== undefined) {
    work.learned.set(turnId, known);
    return known;
  }
  const { lastInsertRowid } = work.connection
    .statement('INSERT INTO turns (turn_id, execution, writer, started_at, last_at) VALUES (?, ?, ?, ?, ?)')
    .run(toStoredText(turnId), execution, work.writerId, row.atMs, row.atMs);
  const state: RunState = { run: Number(lastInsertRowid), ended: false, deleted: false };
  work.learned.set(turnId, state);
  return state;
}

/** The execution id under which several processes record one run. */
function executionOf(event: TraceEvent): string | null {
  const id = event.event_type === 'TurnStarted' ? event.execution_id : undefined;
  return typeof id === 'string' ? toStoredText(id) : null;
}

function findExecution(connection: Connection, turnId: string, execution: string | null): RunState | undefined {
  if (execution === null) return undefined;
  const found = connection
    .statement('SELECT run, ended_at FROM turns WHERE turn_id = ? AND execution = ?')
    .get(toStoredText(turnId), execution);
  return found === undefined ? undefined : { run: Number(found['run']), ended: found['ended_at'] !== null, deleted: false };
}

/** The run of an event that does not begin one. */
function knownRun(work: Work, turnId: string): RunState | undefined {
  return work.learned.get(turnId) ?? stillThere(work, turnId) ?? findRun(work.connection, turnId);
}

/** What is remembered of a run, checked once per batch: it may have been deleted. */
function stillThere(work: Work, turnId: string): RunState | undefined {
  const known = work.runs.get(turnId);
  if (known === undefined || known.deleted) return known;
  const found = work.connection.statement('SELECT 1 FROM turns WHERE run = ?').get(known.run);
  return found === undefined ? { ...known, ended: true, deleted: true } : known;
}

/** A turn that another process began, or that this one no longer remembers. */
function findRun(connection: Connection, turnId: string): RunState | undefined {
  const found = connection
    .statement('SELECT run, ended_at FROM turns WHERE turn_id = ? ORDER BY run DESC LIMIT 1')
    .get(toStoredText(turnId));
  return found === undefined ? undefined : { run: Number(found['run']), ended: found['ended_at'] !== null, deleted: false };
}

function isRepetition(connection: Connection, run: number, row: EventRow): boolean {
  return connection.statement('SELECT body FROM events WHERE run = ? AND seq = ?').get(run, row.seq)?.['body'] === row.body;
}

function note(work: Work, state: RunState, event: TraceEvent, row: EventRow): void {
  let change = work.changes.get(state.run);
  if (change === undefined) {
    change = {
      run: state.run,
      events: 0,
      completed: 0,
      planned: 0,
      lastAt: row.atMs,
      endedAt: null,
      outcome: null,
      summary: null,
    };
    work.changes.set(state.run, change);
  }
  change.events += 1;
  change.lastAt = Math.max(change.lastAt, row.atMs);
  if (event.event_type === 'CallCompleted') change.completed += 1;
  else if (event.event_type === 'TurnStarted') change.planned = event.calls.length;
  const end = turnEndOf(event);
  if (end) {
    change.endedAt = row.atMs;
    change.outcome = end.outcome;
    change.summary = toStoredText(end.summary);
    work.learned.set(event.turn_id, { ...state, ended: true });
  }
}

function updateTurn({ connection, writerId }: Work, change: RunChange): void {
  connection
    .statement(
      `UPDATE turns SET events = events + ?, completed = completed + ?, planned = planned + ?, last_at = max(last_at, ?), writer = ?,
         ended_at = coalesce(?, ended_at), outcome = coalesce(?, outcome), summary = coalesce(?, summary) WHERE run = ?`,
    )
    .run(
      change.events,
      change.completed,
      change.planned,
      change.lastAt,
      writerId,
      change.endedAt,
      change.outcome,
      change.summary,
      change.run,
    );
}

function takeOver({ connection, writerId }: Work, run: number): void {
  connection.statement('UPDATE turns SET writer = ?1 WHERE run = ?2 AND writer <> ?1').run(writerId, run);
}
