/**
 * Owns rolling cells up into coarser steps, by one process at a time.
 *
 * Invariants
 * 1. A mark moves in the same transaction as the cells before it. A step is rolled up once.
 * 2. Writers are blocked for a moment only: cells are added up before the lock is taken, and again if one was added in between.
 */
import { setImmediate as others } from 'node:timers/promises';
import { createCell, type HistoryLevel, mergeCell } from '@holdfast/core/internal';
import type { Session } from '../database/session.ts';
import { type CellRow, cellColumns, cellOf, insertCells } from './cell-rows.ts';
import { readMarks, setMark } from './marks.ts';
import { lockMarks } from './session-lock.ts';

/** How long after its end a step may still be written to without extra work. */
const graceMs = 5_000;
const lockMs = 1_000;
const rowsAtOnce = 500;
/** After a break many steps are due. */
const stepsAtOnce = 6;
const pieceMs = 5;

export interface RollUpPlace {
  readonly schema: string;
  readonly levels: readonly HistoryLevel[];
}

interface Step {
  readonly level: number;
  readonly stepMs: number;
  /** The mark before and after the step. */
  readonly mark: number;
  readonly to: number;
}

/** Rolls up a few steps of one level. Returns whether there was one. Within a transaction that holds the housekeeping lock. */
export async function rollUp(session: Session, { schema, levels }: RollUpPlace, now: number): Promise<boolean> {
  const step = await nextStep(session, { schema, levels }, now);
  if (!step) return false;
  let sum = await addUp(session, schema, step);
  await lockMarks(session, schema, lockMs);
  // Other writers have added cells in the meantime; now they are blocked.
  if ((await countRows(session, schema, step)) !== sum.rows) sum = await addUp(session, schema, step);
  await insertCells(session, schema, step.level, [...sum.cells.values()]);
  await setMark(session, schema, step.level, step.to);
  return true;
}

async function nextStep(session: Session, { schema, levels }: RollUpPlace, now: number): Promise<Step | undefined> {
  const marks = await readMarks(session, schema, levels.length);
  for (const [level, { stepMs }] of levels.entries()) {
    if (level === 0) continue;
    const complete = level === 1 ? now - graceMs : (marks[level - 1] ?? 0);
    const mark = marks[level] ?? 0;
    const { rows } = await session.query(`SELECT min(at) AS at FROM ${tableOf(schema, level - 1)} WHERE at >= $1`, [mark]);
    const found = rows[0]?.['at'];
    // The mark moves over empty steps too: coarser levels wait for it.
    const first = found === null || found === undefined ? Infinity : Math.floor(Number(found) / stepMs) * stepMs;
    const to = Math.min(Math.floor(complete / stepMs) * stepMs, Math.max(first, mark) + stepsAtOnce * stepMs);
    if (to > mark) return { level, stepMs, mark, to };
  }
  return undefined;
}

interface Sum {
  readonly cells: ReadonlyMap<string, CellRow>;
  readonly rows: number;
}

/** In pieces, so that the event loop is not blocked. */
async function addUp(session: Session, schema: string, { level, stepMs, mark, to }: Step): Promise<Sum> {
  const cells = new Map<string, CellRow>();
  let count = 0;
  let begun = performance.now();
  await session.query(
    `DECLARE finer NO SCROLL CURSOR FOR SELECT tool, at, ${cellColumns} FROM ${tableOf(schema, level - 1)} WHERE at >= ${String(mark)} AND at < ${String(to)}`,
  );
  for (;;) {
    const { rows } = await session.query(`FETCH ${String(rowsAtOnce)} FROM finer`);
    for (const row of rows) {
      const [tool, at] = [Number(row['tool']), Math.floor(Number(row['at']) / stepMs) * stepMs];
      const key = `${String(at)} ${String(tool)}`;
      const sum = cells.get(key) ?? { tool, at, cell: createCell() };
      mergeCell(sum.cell, cellOf(row));
      cells.set(key, sum);
      if (performance.now() - begun < pieceMs) continue;
      await others();
      begun = performance.now();
    }
    count += rows.length;
    if (rows.length < rowsAtOnce) break;
  }
  await session.query('CLOSE finer');
  return { cells, rows: count };
}

async function countRows(session: Session, schema: string, { level, mark, to }: Step): Promise<number> {
  const { rows } = await session.query(`SELECT count(*) AS count FROM ${tableOf(schema, level - 1)} WHERE at >= $1 AND at < $2`, [
    mark,
    to,
  ]);
  return Number(rows[0]?.['count']);
}

const tableOf = (schema: string, level: number): string => `${schema}.history_cells_${String(level)}`;

/** Deletes some cells that are rolled up or too old. Returns whether there may be more. */
export async function expireCells(session: Session, { schema, levels }: RollUpPlace, now: number, limit: number): Promise<boolean> {
  const marks = await readMarks(session, schema, levels.length);
  let hasMore = false;
  for (const [level, { keptMs, stepMs }] of levels.entries()) {
    const old = now - keptMs - stepMs;
    const before = level === levels.length - 1 ? old : Math.min(old, marks[level + 1] ?? 0);
    const table = tableOf(schema, level);
    const { rowCount } = await session.query(
      `DELETE FROM ${table} WHERE ctid = ANY (ARRAY (SELECT ctid FROM ${table} WHERE at < $1 ORDER BY at LIMIT $2))`,
      [before, limit],
    );
    hasMore ||= rowCount === limit;
  }
  return hasMore;
}
