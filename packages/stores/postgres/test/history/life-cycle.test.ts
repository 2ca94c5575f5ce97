/** The life of a history in a database that dies, hangs and refuses: nothing waits for it, nothing is written twice, what is lost is counted. */
import { createCell, mergeCell } from '@holdfast/core/internal';
import type { HistoryStatus } from '@holdfast/core/history';
import { expect, test } from 'vitest';
import { type PostgresHistory, postgresHistory } from '../../src/history/index.ts';
import { cellsAt, nothing, start, turnOf } from './batch-data.ts';
import { startProgram, until } from './programs.ts';
import { freshSchema, historyIn, postgres, queryIn, usePostgres } from './server.ts';

usePostgres();

const hour = 3_600_000;

async function callsOf(history: PostgresHistory, tool: string): Promise<number> {
  const total = createCell();
  for (const cell of (await history.series(tool, { since: start - hour, until: start + 48 * hour, stepMs: hour })).values())
    mergeCell(total, cell);
  return total.counts.first_try;
}

/** Most of them: a busy machine may keep any single one. */
const median = (took: readonly number[]): number => took.toSorted((one, other) => one - other)[took.length >> 1] ?? 0;

/** What went wrong, and that it was over. */
function faultsOf(): { readonly statuses: HistoryStatus[]; readonly onFault: (status: HistoryStatus) => void } {
  const statuses: HistoryStatus[] = [];
  return { statuses, onFault: (status) => void statuses.push(status) };
}

test('a server that is killed repeatedly gets every batch once', { timeout: 60_000 }, async () => {
  const { statuses, onFault } = faultsOf();
  const history = historyIn(freshSchema(), { onFault });
  await history.flush();
  const took: number[] = [];
  let calls = 0;
  for (let round = 0; round < 2; round += 1) {
    const killing = new Promise((resolve) => setTimeout(resolve, 20 + Math.random() * 60)).then(() => postgres().kill());
    let isOver = false;
    void killing.then(() => (isOver = true));
    while (!isOver) {
      calls += 1;
      const begun = performance.now();
      history.write({ ...cellsAt('work', start + (calls % 60) * 1_000, 1), turns: [turnOf(`t-${String(calls)}`, start)] });
      took.push(performance.now() - begun);
      await new Promise((resolve) => setTimeout(resolve, 1));
    }
    expect(await history.turns({ limit: 5 })).toEqual([]);
    await postgres().restart();
    await until(async () => (await callsOf(history, 'work')) === calls);
  }
  expect(await history.turns({ limit: 10_000 })).toHaveLength(calls);
  expect(history.status()).toEqual({ ok: true, dropped: 0 });
  expect(statuses.filter(({ ok }) => ok)).toHaveLength(2);
  expect(statuses[0]?.problem).toContain('PostgreSQL');
});

test('a server that hangs blocks nothing, and every batch is written once', { timeout: 60_000 }, async () => {
  const schema = freshSchema();
  await historyIn(schema).flush();
  const history = historyIn(schema, { statementTimeoutMs: 400, connectTimeoutMs: 400 });
  history.write(cellsAt('work', start, 1));
  await until(async () => (await callsOf(history, 'work')) === 1);
  postgres().pause();
  const took: number[] = [];
  for (let round = 0; round < 15; round += 1) {
    const begun = performance.now();
    history.write(cellsAt('work', start + round * 1_000, 1));
    took.push(performance.now() - begun);
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
  expect(median(took)).toBeLessThan(100);
  await until(() => !history.status().ok);
  expect(history.status()).toMatchObject({ ok: false, dropped: 0, problem: expect.stringContaining('does not answer in time') as string });
  const asked = performance.now();
  expect(await history.turns({ limit: 5 })).toEqual([]);
  expect(performance.now() - asked).toBeLessThan(5_000);
  postgres().resume();
  await until(async () => (await callsOf(history, 'work')) === 16);
  expect(history.status()).toEqual({ ok: true, dropped: 0 });
});

test('a server that is not there yet: batches are kept up to a limit, and written when it starts', { timeout: 60_000 }, async () => {
  const schema = freshSchema();
  await postgres().kill();
  const { statuses, onFault } = faultsOf();
  const history = historyIn(schema, { maxBufferedRecords: 10, onFault });
  const refused = Promise.resolve(history.alerts.saveState('engine', '{"a":1}', start)).then(() => 'saved', String);
  for (let round = 0; round < 15; round += 1) history.write({ ...nothing, turns: [turnOf(`t-${String(round)}`, start + round)] });
  await until(() => !history.status().ok);
  expect(history.status()).toMatchObject({ dropped: 6, problem: expect.stringContaining('cannot be reached') as string });
  expect(await refused).toContain('Too many records are waiting');
  await postgres().restart();
  await until(() => history.status().ok);
  const kept = await history.turns({ limit: 50 });
  expect(kept).toHaveLength(10);
  expect(kept[0]?.turn_id).toBe('t-14');
  expect(history.status()).toEqual({ ok: true, dropped: 6 });
  // It is starting, too, before it answers.
  expect([statuses[0]?.ok, statuses.at(-1)?.ok]).toEqual([false, true]);
});

test('a killed process leaves complete batches, and others continue', { timeout: 60_000 }, async () => {
  const schema = freshSchema();
  const programs = ['one', 'other'].map((name) => startProgram('write-history', postgres().url, schema, name));
  await until(() => programs.every(({ lines }) => Number(lines.at(-1)) >= 3));
  programs[0]?.child.kill('SIGKILL');
  const atDeath = Number(programs[1]?.lines.at(-1));
  await until(() => Number(programs[1]?.lines.at(-1)) >= atDeath + 5);
  programs[1]?.child.kill('SIGKILL');
  await Promise.all(programs.map(({ child }) => until(() => child.signalCode !== null)));
  const history = historyIn(schema);
  await new Promise((resolve) => setTimeout(resolve, 100));
  const turns = await history.turns({ limit: 100_000 });
  const batches = new Map<string, number>();
  for (const { turn_id } of turns) {
    const batch = turn_id.slice(0, turn_id.lastIndexOf('-'));
    batches.set(batch, (batches.get(batch) ?? 0) + 1);
  }
  const written = programs.reduce((sum, { lines }) => sum + Number(lines.at(-1)), 0);
  expect(batches.size).toBeGreaterThanOrEqual(written);
  // Ten turns and one cell of ten calls go together.
  for (const [batch, own] of batches) expect([batch, own]).toEqual([batch, 10]);
  expect(await callsOf(history, 'work')).toBe(turns.length);
});

test('several processes create the tables once, and a roll-up blocks no writer', { timeout: 60_000 }, async () => {
  const schema = freshSchema();
  const clock = { now: start };
  const histories = Array.from({ length: 4 }, () => historyIn(schema, { now: () => clock.now }));
  let calls = 0;
  for (let second = 0; second < 80; second += 1) {
    clock.now = start + second * 1_000;
    for (const history of histories) {
      history.write(cellsAt('work', clock.now - (second % 7) * 5_000, 1));
      calls += 1;
      history.tidy();
    }
    if (second % 30 === 0) for (const history of histories) await history.lastIds();
  }
  for (const history of histories) await history.flush();
  for (const history of histories) expect(await callsOf(history, 'work')).toBe(calls);
  expect(histories.map((history) => history.status())).toEqual(histories.map(() => ({ ok: true, dropped: 0 })));
  expect(histories.every((history) => history.bytes() > 0)).toBe(true);
});

test('a refused batch affects no other', async () => {
  const { statuses, onFault } = faultsOf();
  const history = historyIn(freshSchema(), { onFault });
  const turns = [turnOf('good', start), turnOf('refused', start, { calls: 2 ** 40 }), turnOf('also good', start)];
  for (const turn of turns) history.write({ ...nothing, turns: [turn] });
  await until(() => history.status().dropped === 1);
  expect((await history.turns({ limit: 5 })).map(({ turn_id }) => turn_id).toSorted()).toEqual(['also good', 'good']);
  expect(statuses[0]?.problem).toContain('refused a record');
  expect(history.status()).toEqual({ ok: true, dropped: 1 });
});

test('tables of a newer version are not changed', async () => {
  const schema = freshSchema();
  const first = historyIn(schema);
  first.write(cellsAt('work', start, 1));
  await first.flush();
  await first.close();
  await queryIn(`UPDATE "${schema}".schema_versions SET version = 99, compatible_from = 99 WHERE component = 'history'`);
  const later = historyIn(schema);
  later.write(cellsAt('work', start, 1));
  expect(await callsOf(later, 'work')).toBe(0);
  await until(() => !later.status().ok);
  expect(later.status().problem).toContain('newer version');
});

test('a wrong password is reported without a secret', async () => {
  const url = new URL(postgres().url);
  url.password = 'not-the-password';
  const history = postgresHistory({ url: url.href, schema: freshSchema() });
  history.write(cellsAt('work', start, 1));
  await until(() => !history.status().ok);
  expect(history.status().problem).toContain('the user or password was refused');
  expect(JSON.stringify([history.status(), history.path])).not.toContain('not-the-password');
  await history.close();
  expect(history.status().dropped).toBe(1);
});

test('invalid options', () => {
  const url = 'postgres://nobody@127.0.0.1:1/none';
  expect(() => postgresHistory({ url: 'file.db' })).toThrow(TypeError);
  for (const retentionDays of [0, -1, Number.NaN, 4_000]) expect(() => postgresHistory({ url, retentionDays })).toThrow(RangeError);
  expect(() => postgresHistory({ url, maxBufferedRecords: 0 })).toThrow(
    'postgresHistory.maxBufferedRecords must be a whole number, 1 or more, got 0.',
  );
  expect(() => postgresHistory({ url, leaseMs: 5 })).toThrow(
    'postgresHistory.leaseMs must be a whole number of milliseconds, 100 or more, got 5.',
  );
});
