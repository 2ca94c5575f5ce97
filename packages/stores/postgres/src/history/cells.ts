/**
 * Owns writing cells and reading them as a series. Does not own rolling them up (`roll-up.ts`).
 *
 * Invariants
 * 1. Everything before a level's mark is in that level. A series reads each moment from one level only, so nothing is counted twice or lost.
 * 2. Rows of one tool and step are added up, so writers need not coordinate.
 * 3. Counts that arrive after their step was rolled up are added to every level that has the step already.
 */
import type { Cell, SeriesQuery } from '@holdfast/core/history';
import { createCell, type FineCell, type HistoryLevel, mergeCell } from '@holdfast/core/internal';
import type { Session } from '../database/session.ts';
import { type CellRow, cellColumns, cellOf, insertCells } from './cell-rows.ts';
import { readMarks } from './marks.ts';
import { shareMarks } from './session-lock.ts';

export interface CellPlace {
  readonly schema: string;
  readonly levels: readonly HistoryLevel[];
  readonly numberOf: (tool: string) => number;
}

export async function addCells(session: Session, { schema, levels, numberOf }: CellPlace, cells: readonly FineCell[]): Promise<void> {
  if (cells.length === 0) return;
  // The lock comes first: marks that were read before it may have moved.
  await shareMarks(session, schema);
  const marks = await readMarks(session, schema, levels.length);
  const places = levels.map((): Map<string, CellRow> => new Map());
  for (const { toolName: tool, at, cell } of cells) {
    const number = numberOf(tool);
    const late = levels.flatMap((_, level) => (level > 0 && at < (marks[level] ?? 0) ? [level] : []));
    for (const level of late.length === 0 ? [0] : late) mergeRow(places[level], { tool: number, at: floor(at, levels[level]), cell });
  }
  for (const [level, rows] of places.entries()) await insertCells(session, schema, level, [...rows.values()]);
}

function mergeRow(rows: Map<string, CellRow> | undefined, row: CellRow): void {
  const key = `${String(row.at)} ${String(row.tool)}`;
  const known = rows?.get(key);
  if (!known) {
    rows?.set(key, row);
    return;
  }
  // The cells belong to the caller and are not changed.
  const sum = createCell();
  mergeCell(sum, known.cell);
  mergeCell(sum, row.cell);
  rows?.set(key, { ...row, cell: sum });
}

function floor(at: number, level: HistoryLevel | undefined): number {
  const { stepMs = 1 } = level ?? {};
  return Math.floor(at / stepMs) * stepMs;
}

/** Cells by the start of their step; empty ones are left out. */
export async function readSeries(
  session: Session,
  { schema, levels }: Pick<CellPlace, 'schema' | 'levels'>,
  tool: number,
  { since, until, stepMs }: SeriesQuery,
): Promise<ReadonlyMap<number, Cell>> {
  const marks = await readMarks(session, schema, levels.length);
  const parts: string[] = [];
  let begin = since;
  for (let level = levels.findLastIndex((each) => stepMs % each.stepMs === 0); level >= 0; level -= 1) {
    const end = level === 0 ? until : Math.min(until, marks[level] ?? 0);
    if (end > begin) parts.push(partOf(schema, level, { from: begin, to: end, step: levels[level]?.stepMs ?? stepMs }));
    begin = Math.max(begin, end);
  }
  const series = new Map<number, Cell>();
  if (parts.length === 0) return series;
  const { rows } = await session.query(parts.join(' UNION ALL '), [tool]);
  for (const row of rows) {
    const at = Math.floor(Number(row['at']) / stepMs) * stepMs;
    const cell = series.get(at) ?? createCell();
    mergeCell(cell, cellOf(row));
    series.set(at, cell);
  }
  return series;
}

interface Span {
  readonly from: number;
  readonly to: number;
  readonly step: number;
}

/**
 * Cells are stored in the order of time, so that those of all tools are written next to each other. Those of one tool are read step by step, whatever plan the
 * database would choose, and only from the first step with a cell to the last.
 */
function partOf(schema: string, level: number, { from, to, step }: Span): string {
  const table = `${schema}.history_cells_${String(level)}`;
  return `SELECT c.* FROM (SELECT min(at) AS first, max(at) AS last FROM ${table} WHERE at >= ${String(Math.ceil(from))} AND at < ${String(Math.ceil(to))}) AS span
    CROSS JOIN LATERAL generate_series(span.first, span.last, ${String(step)}::bigint) AS s (at)
    CROSS JOIN LATERAL (SELECT at, ${cellColumns} FROM ${table} AS rows WHERE rows.at = s.at AND rows.tool = $1 OFFSET 0) AS c`;
}
