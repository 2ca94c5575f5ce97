/**
 * Owns one transaction: a batch of events, the turns they belong to, circuits, memory. Does not own the statements (`statements.ts`).
 *
 * 1. All or nothing, and once (`gate.ts`). What the batch learned about runs is returned, and kept only if it was committed.
 * 2. Runs are locked before their events are written, in the order of their numbers, so that writers of one turn are serialized.
 * 3. A writer that appends to a run becomes its writer, even if every event was known.
 */
import type { States } from '@holdfast/core/internal/store';
import type { Session } from './database/session.ts';
import type { Entry } from './entry.ts';
import { passGate, type WriterIdentity } from './gate.ts';
import { allot, changeOf, newRunsAtMost, unknownTurns, type RunState, type Slot } from './runs.ts';
import { dayOf } from './schema.ts';
import { Statements } from './statements.ts';
import { writeStates } from './states.ts';

export interface Batch {
  /** Grows from batch to batch; a retry of a batch has the same number. */
  readonly number: number;
  readonly entries: readonly Entry[];
  readonly states: States;
}

export interface BatchResult {
  readonly runs: ReadonlyMap<string, RunState>;
  readonly dropped: number;
}

/** There is no partition yet for the day of new runs. */
export class PartitionMissing extends Error {
  readonly day: number;

  constructor(day: number) {
    super(`there is no partition for day ${String(day)}`);
    this.day = day;
  }
}

export interface Surroundings {
  readonly schema: string;
  readonly identity: WriterIdentity;
  readonly known: ReadonlyMap<string, RunState>;
  readonly partitions: ReadonlySet<number>;
}

/** Rejects if that fails. Then nothing of the batch is stored, unless the failure was in the commit. */
export async function writeBatch(
  session: Session,
  batch: Batch,
  { schema, identity, known, partitions }: Surroundings,
): Promise<BatchResult> {
  const { entries, states } = batch;
  const unknown = unknownTurns(entries, known);
  const gate = await passGate(session, schema, identity, batch.number, newRunsAtMost(entries, unknown));
  if (!('writer' in gate)) return { runs: new Map(), dropped: gate.dropped };
  const missing = gate.runs.map(dayOf).find((day) => !partitions.has(day));
  if (missing !== undefined) throw new PartitionMissing(missing);
  const statements = new Statements(session, schema, gate);

  const found = unknown.length === 0 ? new Map<string, RunState>() : await statements.findRuns(unknown);
  const { slots, kept, last, dropped } = allot(entries, (turnId) => known.get(turnId) ?? found.get(turnId), gate.runs);
  await settleRuns(statements, slots);
  const live = slots.filter((slot) => !slot.deleted);
  const refused = await statements.insertEvents(kept.flatMap(({ slot, entry }) => (slot.deleted ? [] : [{ run: slot.run, entry }])));
  const contradicting = refused.size === 0 ? 0 : await statements.countContradictions(live, refused);
  await updateRuns(statements, live, refused);
  const lost = dropped + contradicting;
  if (lost > 0) await statements.noteDropped(lost);
  await writeStates(session, schema, states);

  const runs = new Map<string, RunState>();
  for (const [turnId, { run, ended, deleted, entries: own }] of last) {
    runs.set(turnId, { run, ended: ended || [...own.values()].some(({ end }) => end !== undefined), deleted });
  }
  return { runs, dropped: lost };
}

/** Locks the runs that exist, inserts the others, and finds out which of these another writer began. */
async function settleRuns(statements: Statements, slots: readonly Slot[]): Promise<void> {
  const old = slots.filter((slot) => !slot.isNew && !slot.deleted);
  const there = await statements.lockRuns(old);
  for (const slot of old) if (!there.has(slot.run)) slot.deleted = slot.ended = true;
  const fresh = slots.filter((slot) => slot.isNew);
  const made = await statements.insertTurns(fresh.map((slot) => ({ slot, change: changeOf(slot.run, [...slot.entries.values()]) })));
  const begun = fresh.filter((slot) => !made.has(slot.run));
  if (begun.length === 0) return;
  const executions = await statements.findExecutions(begun.flatMap(({ executionKey }) => executionKey ?? []));
  for (const slot of begun) {
    const state = executions.get(slot.executionKey ?? '');
    // Deleted between two statements: on a retry it is new.
    if (state === undefined) throw Object.assign(new Error('a run was deleted meanwhile'), { code: '40001' });
    slot.isNew = false;
    slot.run = state.run;
    slot.ended = state.ended;
  }
}

/** A new run is inserted with its summary. */
async function updateRuns(statements: Statements, slots: readonly Slot[], refused: ReadonlySet<Entry>): Promise<void> {
  const byRun = new Map<number, Entry[]>();
  for (const { isNew, run, entries } of slots) {
    if (isNew) continue;
    const written = [...entries.values()].filter((entry) => !refused.has(entry));
    byRun.set(run, [...(byRun.get(run) ?? []), ...written]);
  }
  await statements.updateTurns([...byRun].map(([run, entries]) => changeOf(run, entries)));
}
