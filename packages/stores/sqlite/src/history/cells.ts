/**
 * Owns the cells in the file: written by the second, rolled up to coarser steps, read as a series.
 *
 * Invariants
 * 1. Everything before a level's mark is rolled up into it. A series reads each moment from one level only, so nothing is counted twice or lost.
 * 2. Rolling up the same step again gives the same cells, so an interrupted roll-up starts over.
 * 3. Counts that arrive too late for their second go into the first one that is not rolled up yet.
 */
import type { Cell, SeriesQuery } from '@holdfast/core/history';
import { countsText, createCell, type HistoryLevel, mergeCell, packCell, unpackCell } from '@holdfast/core/internal';
import type { SQLOutputValue } from 'node:sqlite';
import type { HistoryConnection } from './history-connection.ts';

/** How long after its end a step may still be written. */
const graceMs = 5_000;

const rolledUpTo = (level: number): string => `rolled_${String(level)}`;

export function addCell(connection: HistoryConnection, tool: string, at: number, cell: Cell): void {
  const number = connection.toolNumber(tool);
  const from = markOf(connection, rolledUpTo(1));
  const begin = Math.max(at, from);
  if (insertCell(connection, 0, number, begin, cell, 'NOTHING')) return;
  const there = connection.statement('SELECT * FROM cells WHERE level = 0 AND tool = ? AND at = ?').get(number, begin);
  const merged = there ? cellOf(there) : createCell();
  mergeCell(merged, cell);
  insertCell(connection, 0, number, begin, merged, 'REPLACE');
}

function insertCell(
  connection: HistoryConnection,
  level: number,
  tool: number,
  at: number,
  cell: Cell,
  otherwise: 'NOTHING' | 'REPLACE',
): boolean {
  const { counts, denied, errors, calls, attempts } = packCell(cell);
  const how = otherwise === 'REPLACE' ? 'INSERT OR REPLACE' : 'INSERT OR IGNORE';
  const { changes } = connection
    .statement(`${how} INTO cells (level, tool, at, counts, denied, errors, calls, attempts) VALUES (?, ?, ?, ?, ?, ?, ?, ?)`)
    .run(level, tool, at, JSON.stringify(counts), countsText(denied), countsText(errors), calls ?? null, attempts ?? null);
  return changes === 1;
}

/** Rolls up one step of one level, a few tools at a time; yields in between. Returns whether there was one. */
export function* rollUp(connection: HistoryConnection, levels: readonly HistoryLevel[], now: number): Generator<undefined, boolean> {
  comeBack(connection, levels, now);
  for (let level = 1; level < levels.length; level += 1) {
    const stepMs = levels[level]?.stepMs ?? 0;
    const complete = level === 1 ? now - graceMs : markOf(connection, rolledUpTo(level - 1));
    const first = firstUnrolled(connection, level, stepMs, complete);
    if (first === undefined || first + stepMs > complete) continue;
    yield* rollStep(connection, level, first, { step: stepMs, finer: levels[level - 1]?.stepMs ?? stepMs });
    setMark(connection, rolledUpTo(level), first + stepMs);
    return true;
  }
  return false;
}

/** A clock that was ahead and was set back must not leave marks in the future: everything until then would count in one step. */
function comeBack(connection: HistoryConnection, levels: readonly HistoryLevel[], now: number): void {
  for (const [level, { stepMs }] of levels.entries())
    if (level > 0 && markOf(connection, rolledUpTo(level)) > now) setMark(connection, rolledUpTo(level), Math.floor(now / stepMs) * stepMs);
}

/** The begin of the next step with a cell; the mark skips empty steps. */
function firstUnrolled(connection: HistoryConnection, level: number, stepMs: number, complete: number): number | undefined {
  const mark = markOf(connection, rolledUpTo(level));
  const found = connection.statement('SELECT min(at) AS at FROM cells WHERE level = ? AND at >= ?').get(level - 1, mark)?.['at'];
  const next = Math.floor(Math.min(typeof found === 'number' ? found : complete, complete) / stepMs) * stepMs;
  if (next > mark) setMark(connection, rolledUpTo(level), next);
  return typeof found === 'number' ? Math.max(next, mark) : undefined;
}

const toolsAtOnce = 10;

function* rollStep(connection: HistoryConnection, level: number, from: number, { step, finer }: RollStep): Generator<undefined> {
  const tools = new Set<number>();
  for (let at = from; at < from + step; at += finer) {
    const rows = connection.statement('SELECT tool FROM cells WHERE level = ? AND at = ?').all(level - 1, at);
    for (const row of rows) tools.add(Number(row['tool']));
    yield undefined;
  }
  let count = 0;
  for (const tool of tools) {
    const cell = createCell();
    for (const row of rowsOf(connection, { level: level - 1, tool, from, to: from + step, step: finer })) mergeCell(cell, cellOf(row));
    insertCell(connection, level, tool, from, cell, 'REPLACE');
    count += 1;
    if (count % toolsAtOnce === 0) yield undefined;
  }
}

interface RollStep {
  readonly step: number;
  /** The step of the finer level. */
  readonly finer: number;
}

/** Cells by the start of their step; empty ones are left out. */
export function readSeries(
  connection: HistoryConnection,
  levels: readonly HistoryLevel[],
  tool: string,
  query: SeriesQuery,
): ReadonlyMap<number, Cell> {
  const { since, until, stepMs } = query;
  const number = connection.knownTool(tool);
  const series = new Map<number, Cell>();
  if (number === undefined) return series;
  let begin = since;
  for (let level = levels.findLastIndex((each) => stepMs % each.stepMs === 0); level >= 0; level -= 1) {
    const end = level === 0 ? until : Math.min(until, markOf(connection, rolledUpTo(level)));
    for (const row of rowsOf(connection, { level, tool: number, from: begin, to: end, step: levels[level]?.stepMs ?? stepMs })) {
      const at = Math.floor(Number(row['at']) / stepMs) * stepMs;
      const cell = series.get(at) ?? createCell();
      mergeCell(cell, cellOf(row));
      series.set(at, cell);
    }
    begin = Math.max(begin, end);
  }
  return series;
}

/** Deletes some cells that are rolled up or too old. Returns whether there may be more. */
export function expireCells(connection: HistoryConnection, levels: readonly HistoryLevel[], now: number, limit: number): boolean {
  for (const [level, { keptMs, stepMs }] of levels.entries()) {
    const old = now - keptMs - stepMs;
    const before = level === levels.length - 1 ? old : Math.min(old, markOf(connection, rolledUpTo(level + 1)));
    const { changes } = connection
      .statement('DELETE FROM cells WHERE (level, at, tool) IN (SELECT level, at, tool FROM cells WHERE level = ? AND at < ? LIMIT ?)')
      .run(level, before, limit);
    if (changes === limit) return true;
  }
  return false;
}

type Row = Record<string, SQLOutputValue>;

interface RowRange {
  readonly level: number;
  readonly tool: number;
  readonly from: number;
  readonly to: number;
  readonly step: number;
}

/** Cells are stored in the order of time, so that those of all tools are written next to each other. Those of one tool are read step by step. */
function rowsOf(connection: HistoryConnection, { level, tool, from, to, step }: RowRange): readonly Row[] {
  const there = connection.statement('SELECT min(at) AS at FROM cells WHERE level = ? AND at >= ?').get(level, from)?.['at'];
  if (typeof there !== 'number' || there >= to) return [];
  const first = Math.floor(there / step) * step;
  return connection
    .statement(
      `WITH RECURSIVE steps (at) AS (VALUES (?1) UNION ALL SELECT at + ?2 FROM steps WHERE at + ?2 < ?3)
       SELECT cells.* FROM steps CROSS JOIN cells ON cells.level = ?4 AND cells.at = steps.at AND cells.tool = ?5`,
    )
    .all(first, step, to, level, tool);
}

function cellOf({ counts, denied, errors, calls, attempts }: Row): Cell {
  return unpackCell({
    counts: JSON.parse(String(counts)) as readonly number[],
    denied: namesOf(denied),
    errors: namesOf(errors),
    ...(calls instanceof Uint8Array ? { calls } : {}),
    ...(attempts instanceof Uint8Array ? { attempts } : {}),
  });
}

function namesOf(value: SQLOutputValue | undefined): Readonly<Record<string, number>> {
  return typeof value === 'string' ? (JSON.parse(value) as Readonly<Record<string, number>>) : {};
}

/** A number that the history stores about itself; 0 if it was never set. */
function markOf(connection: HistoryConnection, name: string): number {
  return Number(connection.statement('SELECT value FROM marks WHERE name = ?').get(name)?.['value'] ?? 0);
}

function setMark(connection: HistoryConnection, name: string, value: number): void {
  connection
    .statement('INSERT INTO marks (name, value) VALUES (?, ?) ON CONFLICT (name) DO UPDATE SET value = excluded.value')
    .run(name, value);
}
