/**
 * Owns the cell: what a tool did in one step of time, as counts and sketches. Does not own time, nor when something is counted (`cell-fold.ts`).
 *
 * Invariant: merging cells, in any order, gives the same cell as counting everything in one.
 */
import { createLatencySketch, type LatencySketch } from '../metrics/sketch.ts';

/** The numbers of a cell, in the order in which they are stored. Append new ones at the end. */
const cellNumbers: readonly CellNumber[] = [
  'first_try',
  'recovered',
  'failed',
  'cancelled',
  'skipped',
  'refused',
  'attempts',
  'retries',
  'retried_calls',
  'retried_successes',
  'work_ms',
  'backoff_ms',
  'queue_ms',
  'rejected',
  'failed_ms',
  'hint_ms',
  'recovery_ms',
  'late_ms',
  'run',
  'run_attempts',
  'served',
];

/**
 * Name of a number in a cell. Names that end in `_ms` are the milliseconds that ended calls spent: in attempts that succeeded (`work_ms`) and in others
 * (`failed_ms`), in backoff, waiting for a slot (`queue_ms`), for a rate limit or a server's hint (`hint_ms`) and for recovery, and late after a backoff, because
 * their process was busy (`late_ms`).
 */
export type CellNumber =
  | 'first_try'
  | 'recovered'
  | 'failed'
  | 'cancelled'
  | 'skipped'
  | 'refused'
  | 'attempts'
  | 'retries'
  | 'retried_calls'
  | 'retried_successes'
  | 'work_ms'
  | 'backoff_ms'
  | 'queue_ms'
  | 'rejected'
  | 'failed_ms'
  | 'hint_ms'
  | 'recovery_ms'
  | 'late_ms'
  | 'run'
  | 'run_attempts'
  | 'served';

/**
 * Calls by how they ended: `first_try`, `recovered` (after a retry, by an alternative or a default), `failed`, `cancelled`, `skipped` (a dependency failed, or no
 * time was left), `rejected` (the request was invalid). `refused` calls are also counted as failed. `retried_…` count calls; `retries` counts the retries that the
 * tool made. `run` counts calls with at least one attempt, `run_attempts` their attempts, by whichever tool; `served` counts calls of other tools that this one
 * answered.
 */
export type CellCounts = Record<CellNumber, number>;

/** What a tool did in one step of time: counts, and sketches of its latencies. */
export interface Cell {
  /** Calls, attempts, retries and spent milliseconds by name. */
  readonly counts: CellCounts;
  /** Denied retries by reason. */
  readonly denied: Map<string, number>;
  /** Failed attempts by their code. */
  readonly errors: Map<string, number>;
  /** Durations of answered calls with at least one attempt, in milliseconds. */
  calls: LatencySketch | undefined;
  /** Durations of attempts, in milliseconds. */
  attempts: LatencySketch | undefined;
}

/** Further names are counted together as `other`. */
const maxNames = 30;
const otherName = 'other';

/** Creates counts that are all 0. */
export function emptyCounts(): CellCounts {
  return {
    first_try: 0,
    recovered: 0,
    failed: 0,
    cancelled: 0,
    skipped: 0,
    refused: 0,
    attempts: 0,
    retries: 0,
    retried_calls: 0,
    retried_successes: 0,
    work_ms: 0,
    backoff_ms: 0,
    queue_ms: 0,
    rejected: 0,
    failed_ms: 0,
    hint_ms: 0,
    recovery_ms: 0,
    late_ms: 0,
    run: 0,
    run_attempts: 0,
    served: 0,
  };
}

/** Creates a cell without any counts. */
export function createCell(): Cell {
  return { counts: emptyCounts(), denied: new Map(), errors: new Map(), calls: undefined, attempts: undefined };
}

/** Adds the counts of `from` to those of `into`. */
export function addCounts(into: CellCounts, from: CellCounts): void {
  for (const name of cellNumbers) into[name] += from[name];
}

/** Adds everything that was counted in `from` to `into`. */
export function mergeCell(into: Cell, from: Cell): void {
  addCounts(into.counts, from.counts);
  for (const [name, count] of from.denied) addName(into.denied, name, count);
  for (const [name, count] of from.errors) addName(into.errors, name, count);
  if (from.calls) (into.calls ??= createLatencySketch()).merge(from.calls);
  if (from.attempts) (into.attempts ??= createLatencySketch()).merge(from.attempts);
}

export function addName(names: Map<string, number>, name: string, count = 1): void {
  const kept = names.has(name) || names.size < maxNames ? name : otherName;
  names.set(kept, (names.get(kept) ?? 0) + count);
}

/** Returns the number of ended calls, regardless of how they ended. */
export function callsOf({ first_try, recovered, failed, cancelled, skipped, rejected }: CellCounts): number {
  return first_try + recovered + failed + cancelled + skipped + rejected;
}

/** A cell in its stored form. */
export interface PackedCell {
  /** In the order of `cellNumbers`; trailing ones may be missing. */
  readonly counts: readonly number[];
  /** Denied retries by reason. */
  readonly denied: Readonly<Record<string, number>>;
  /** Failed attempts by their code. */
  readonly errors: Readonly<Record<string, number>>;
  /** Sketch of the calls' milliseconds, as `toBytes` wrote it; absent without such calls. */
  readonly calls?: Uint8Array;
  /** Sketch of the attempts' milliseconds, as `toBytes` wrote it; absent without attempts. */
  readonly attempts?: Uint8Array;
}

/** Returns a cell in its stored form; `unpackCell` reads it. */
export function packCell({ counts, denied, errors, calls, attempts }: Cell): PackedCell {
  return {
    counts: cellNumbers.map((name) => counts[name]),
    denied: Object.fromEntries(denied),
    errors: Object.fromEntries(errors),
    ...(calls ? { calls: calls.toBytes() } : {}),
    ...(attempts ? { attempts: attempts.toBytes() } : {}),
  };
}

/** Counts by name as stored text; null without any. */
export function countsText(counts: PackedCell['denied']): string | null {
  return Object.keys(counts).length === 0 ? null : JSON.stringify(counts);
}

/** Returns the cell that `packCell` packed. @throws RangeError when a sketch is damaged */
export function unpackCell({ counts, denied, errors, calls, attempts }: PackedCell): Cell {
  const cell = createCell();
  for (const [index, name] of cellNumbers.entries()) cell.counts[name] = counts[index] ?? 0;
  for (const [name, count] of Object.entries(denied)) cell.denied.set(name, count);
  for (const [name, count] of Object.entries(errors)) cell.errors.set(name, count);
  if (calls) cell.calls = createLatencySketch(calls);
  if (attempts) cell.attempts = createLatencySketch(attempts);
  return cell;
}
