/** Owns the conversion between cells and rows. */
import type { Cell } from '@holdfast/core/history';
import { countsText, packCell, unpackCell } from '@holdfast/core/internal';
import type { Row, Session } from '../database/session.ts';

export interface CellRow {
  readonly tool: number;
  readonly at: number;
  readonly cell: Cell;
}

export const cellColumns = 'counts, denied, errors, calls, attempts';

/** Building a statement with this many rows takes a few milliseconds. */
const rowsAtOnce = 250;

export async function insertCells(session: Session, schema: string, level: number, rows: readonly CellRow[]): Promise<void> {
  for (let from = 0; from < rows.length; from += rowsAtOnce) {
    const some = rows.slice(from, from + rowsAtOnce);
    const packed = some.map(({ cell }) => packCell(cell));
    await session.query(
      `INSERT INTO ${schema}.history_cells_${String(level)} (at, tool, ${cellColumns})
       SELECT at, tool, counts::json, denied::json, errors::json, calls, attempts
       FROM unnest($1::bigint[], $2::integer[], $3::text[], $4::text[], $5::text[], $6::bytea[], $7::bytea[])
         AS t (at, tool, ${cellColumns})`,
      [
        some.map(({ at }) => at),
        some.map(({ tool }) => tool),
        packed.map(({ counts }) => JSON.stringify(counts)),
        packed.map(({ denied }) => countsText(denied)),
        packed.map(({ errors }) => countsText(errors)),
        packed.map(({ calls }) => bytesOf(calls)),
        packed.map(({ attempts }) => bytesOf(attempts)),
      ],
    );
  }
}

export function cellOf(row: Row): Cell {
  const { counts, denied, errors, calls, attempts } = row;
  return unpackCell({
    counts: counts as readonly number[],
    denied: (denied ?? {}) as Readonly<Record<string, number>>,
    errors: (errors ?? {}) as Readonly<Record<string, number>>,
    ...(calls instanceof Uint8Array ? { calls } : {}),
    ...(attempts instanceof Uint8Array ? { attempts } : {}),
  });
}

function bytesOf(bytes: Uint8Array | undefined): Buffer | null {
  return bytes ? Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength) : null;
}
