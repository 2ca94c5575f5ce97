/** Owns writing several batches in one transaction, once. Does not own when (`writer.ts`). */
import type { HistoryWrite } from '@holdfast/core/history';
import type { HistoryLevel } from '@holdfast/core/internal';
import type { Database } from '../database/database.ts';
import type { Session } from '../database/session.ts';
import { addCells } from './cells.ts';
import { addToClusters } from './clusters.ts';
import { type LeaseMark, saveCursor } from './cursors.ts';
import { saveChanges, saveCircuitChanges, saveFailures, saveSlowCalls } from './records.ts';
import type { ToolNumbers } from './tools.ts';
import { saveTurns } from './turns.ts';

export interface Group {
  readonly batches: readonly HistoryWrite[];
  /** The number of the group; a retry has the same number. */
  readonly number: number;
  readonly mark: LeaseMark | undefined;
}

export interface BatchPlace {
  readonly database: Database;
  /** Unique per process, also after a restart of the gateway. */
  readonly writer: string;
  readonly levels: readonly HistoryLevel[];
  readonly tools: ToolNumbers;
}

export async function writeGroup({ database, writer, levels, tools }: BatchPlace, { batches, number, mark }: Group): Promise<void> {
  const { schema } = database;
  const all = <Name extends keyof HistoryWrite>(name: Name): HistoryWrite[Name] =>
    batches.flatMap((batch): readonly unknown[] => batch[name]) as unknown as HistoryWrite[Name];
  const [cells, circuitChanges, failures, slowCalls] = [all('cells'), all('circuitChanges'), all('failures'), all('slowCalls')];
  const numberOf = await tools.ensure(
    database,
    new Set([cells, circuitChanges, failures, slowCalls].flat().map(({ toolName: tool }) => tool)),
  );
  await database.write(async (session) => {
    if (mark && !(await saveCursor(session, schema, mark))) return;
    if (!(await isFirst(session, schema, writer, number))) return;
    await saveTurns(session, schema, all('turns'));
    await saveCircuitChanges(session, schema, { circuitChanges }, { writer, numberOf });
    await saveFailures(session, schema, failures, numberOf);
    await saveSlowCalls(session, schema, slowCalls, numberOf);
    await saveChanges(session, schema, all('changes'), writer);
    await addToClusters(session, schema, all('clusters'));
    // Last, since a roll-up waits for its lock.
    await addCells(session, { schema, levels, numberOf }, cells);
  });
}

/** Shows whether a commit without an answer succeeded. */
async function isFirst(session: Session, schema: string, writer: string, number: number): Promise<boolean> {
  const { rowCount } = await session.query(
    `INSERT INTO ${schema}.history_writers AS w (id, last_batch, written_at) VALUES ($1, $2, now())
     ON CONFLICT (id) DO UPDATE SET last_batch = excluded.last_batch, written_at = excluded.written_at WHERE w.last_batch < excluded.last_batch`,
    [writer, number],
  );
  return rowCount === 1;
}
