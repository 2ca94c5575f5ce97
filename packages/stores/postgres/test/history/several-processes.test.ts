/** What must hold between two connections at the moments that are hardest to hit. */
import { createCell, mergeCell } from '@holdfast/core/internal';
import { expect, onTestFinished, test } from 'vitest';
import { type Database, openDatabase } from '../../src/database/database.ts';
import { databaseSettings } from '../../src/database/settings.ts';
import { addCells } from '../../src/history/cells.ts';
import type { PostgresHistory } from '../../src/history/index.ts';
import { levelsOf } from '../../src/history/levels.ts';
import { historyPlan } from '../../src/history/schema.ts';
import { ToolNumbers } from '../../src/history/tools.ts';
import { writeGroup } from '../../src/history/write-batch.ts';
import { cellsAt, nothing, start, turnOf } from './batch-data.ts';
import { until } from './programs.ts';
import { freshSchema, historyIn, postgres, queryIn, usePostgres } from './server.ts';

usePostgres();

const hour = 3_600_000;
const levels = levelsOf(14);

function databaseIn(schema: string): Database {
  const database = openDatabase(databaseSettings({ url: postgres().url, schema }, 'test'), { plan: historyPlan });
  onTestFinished(() => database.close());
  return database;
}

async function callsOf(history: PostgresHistory, stepMs: number): Promise<number> {
  const total = createCell();
  for (const cell of (await history.series('work', { since: start - hour, until: start + 4 * hour, stepMs })).values())
    mergeCell(total, cell);
  return total.counts.first_try;
}

test('a batch whose commit had no answer is not written again', async () => {
  const schema = freshSchema();
  const database = databaseIn(schema);
  const place = { database, writer: '00000000-0000-4000-8000-000000000001', levels, tools: new ToolNumbers() };
  const batch = { ...cellsAt('work', start, 3), failures: [], turns: [turnOf('t', start)] };
  for (const number of [1, 1, 2, 1, 2]) await writeGroup(place, { batches: [batch, batch], number, mark: undefined });
  const history = historyIn(schema, { now: () => start });
  expect(await callsOf(history, 1_000)).toBe(12);
});

test('a roll-up waits for writers below its mark', async () => {
  const schema = freshSchema();
  const clock = { now: start };
  const history = historyIn(schema, { now: () => clock.now });
  history.write(cellsAt('work', start, 1));
  await history.flush();
  const database = databaseIn(schema);
  const numberOf = await new ToolNumbers().ensure(database, new Set(['work']));
  let tidying: Promise<void> | undefined;
  await database.write(async (session) => {
    await addCells(session, { schema: database.schema, levels, numberOf }, cellsAt('work', start + 1_000, 1).cells);
    clock.now = start + 2 * hour;
    tidying = history.flush();
    // It has added up what it saw, and waits.
    await until(async () => (await queryIn("SELECT 1 FROM pg_locks WHERE locktype = 'advisory' AND NOT granted")).length > 0);
  });
  await tidying;
  // It gave up where that took too long; then it is due again.
  await history.flush();
  for (const stepMs of [10_000, 60_000, hour]) expect([stepMs, await callsOf(history, stepMs)]).toEqual([stepMs, 2]);
  expect(await queryIn(`SELECT count(*)::int AS count FROM "${schema}".history_cells_1`)).toEqual([{ count: 1 }]);
});

test('a record with fewer events does not replace one with more', async () => {
  const history = historyIn(freshSchema());
  history.write({ ...nothing, turns: [turnOf('t', start, { events: 9, outcome: 'success', ended_at: start + 5 })] });
  await history.lastIds();
  history.write({ ...nothing, turns: [turnOf('t', start, { events: 3 })] });
  expect(await history.facts('t', start)).toMatchObject({ events: 9, outcome: 'success' });
});

test('only the latest failures of a tool are kept', async () => {
  const schema = freshSchema();
  const history = historyIn(schema, { now: () => start });
  const failures = Array.from({ length: 200 }, (_, index) => ({
    toolName: index % 2 === 0 ? 'one' : 'two',
    failure: { at: new Date(start + index).toISOString(), turn_id: 't', call_id: String(index), attempt: 1, code: 'X', message: 'x' },
  }));
  history.write({ ...nothing, failures });
  await history.flush();
  expect(await queryIn(`SELECT count(*)::int AS count FROM "${schema}".history_failures`)).toEqual([{ count: 40 }]);
  expect((await history.failures('two', 0)).map(({ call_id }) => call_id).slice(0, 2)).toEqual(['199', '197']);
});
