/** The life of the file: restarts, crashes, damage, files of others, and that nothing of it is thrown at anyone who writes. */
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { expect, test } from 'vitest';
import { type HistoryStatus, sqliteHistory } from '../../src/history/index.ts';
import { freshFolder, freshPath, until } from '../support/paths.ts';
import { start as startProgram } from '../support/processes.ts';
import { cellsAt, historyAt, nothing, start, turnOf } from './batches.ts';

const everything = {
  ...nothing,
  ...cellsAt('work', start, 4),
  turns: [turnOf('t', start)],
  circuitChanges: [
    {
      toolName: 'work',
      change: {
        id: 3,
        at: new Date(start).toISOString(),
        from: 'closed',
        to: 'open',
        reason: 'failure_threshold',
        message: 'opened',
        samples: [],
      },
    },
  ],
  clusters: [
    {
      signature: '00ff',
      tool_id: 'work',
      code: 'X',
      category: 'network',
      classification: 'transient',
      pattern: 'x <n>',
      sample: 'x 1',
      count: 2,
      first_seen: start,
      last_seen: start,
      hours: { 1: 2 },
      strategies: [],
      calls_recovered: 0,
      calls_failed: 1,
      examples: [],
    },
  ],
  failures: Array.from({ length: 30 }, (_, index) => ({
    toolName: 'work',
    failure: { at: new Date(start + index).toISOString(), turn_id: 't', call_id: `c${index}`, attempt: 1, code: 'X', message: 'x' },
  })),
  slowCalls: [1, 30, 20].map((duration_ms) => ({
    toolName: 'work',
    call: { at: new Date(start).toISOString(), turn_id: 't', call_id: 'c', duration_ms, attempts: 1, status: 'success' as const },
  })),
  changes: [{ id: 7, at: new Date(start).toISOString(), kind: 'new_failure', text: 'New failure', tool_id: 'work' }],
} as const;

test('everything is there after a restart', () => {
  const path = freshPath();
  const first = historyAt(path);
  first.write(everything);
  first.alerts.saveState('engine', '{"a":1}', start);
  first.close();
  const second = historyAt(path);
  expect(second.series('work', { since: start, until: start + 10_000, stepMs: 10_000 }).get(start)?.counts.first_try).toBe(4);
  expect(second.turns({ limit: 5 })).toMatchObject([{ turn_id: 't', facts: { tools: ['work'] } }]);
  expect(second.circuitChanges('work', start)).toEqual([everything.circuitChanges[0].change]);
  expect(second.circuitChangeBefore('work', start)).toBeUndefined();
  expect(second.circuitChangeBefore('work', start + 1)?.id).toBe(3);
  expect(second.lastCircuitChanges()).toEqual(everything.circuitChanges);
  expect(second.clusters(10)).toEqual(everything.clusters);
  expect(second.failures('work', 0).map(({ call_id }) => call_id)).toEqual(Array.from({ length: 20 }, (_, index) => `c${29 - index}`));
  expect(second.failures('work', start + 28)).toHaveLength(2);
  expect(second.slowCalls('work', start, 2).map(({ duration_ms }) => duration_ms)).toEqual([30, 20]);
  expect(second.changes(5)).toEqual(everything.changes);
  expect(second.lastIds()).toEqual({ change: 7, circuitChange: 3 });
  expect(second.alerts.state('engine')).toBe('{"a":1}');
  expect(second.status()).toEqual({ ok: true, dropped: 0 });
  expect(second.bytes()).toBeGreaterThan(0);
});

test('an updated change of a circuit keeps its place', () => {
  const history = historyAt(':memory:');
  const [{ toolName: tool, change: opened }] = everything.circuitChanges;
  const tested = { ...opened, id: 4, at: new Date(start + 1_000).toISOString(), from: 'open', to: 'half_open' } as const;
  const better = { ...opened, message: 'opened, and why' };
  for (const change of [opened, tested, better]) history.write({ ...nothing, circuitChanges: [{ toolName: tool, change }] });
  expect(history.lastCircuitChanges()).toEqual([{ toolName: tool, change: tested }]);
  expect(history.circuitChanges('work', start)).toEqual([better, tested]);
});

test('a tool without records has no history', () => {
  const history = historyAt(':memory:');
  expect(history.series('none', { since: 0, until: start, stepMs: 10_000 }).size).toBe(0);
  expect([history.circuitChanges('none', 0), history.failures('none', 0), history.slowCalls('none', 0, 5)]).toEqual([[], [], []]);
  expect(history.lastIds()).toEqual({ change: 0, circuitChange: 0 });
  expect(history.bytes()).toBe(0);
});

test('a killed process leaves complete batches, and the next one continues', { timeout: 60_000 }, async () => {
  const path = freshPath();
  for (let round = 0; round < 2; round += 1) {
    const program = startProgram('write-history', [path, String(round)]);
    await program.line((line) => Number(line) >= 3);
    await new Promise((resolve) => setTimeout(resolve, Math.random() * 40));
    program.child.kill('SIGKILL');
    await program.ended;
    const flushed = Number(program.lines.at(-1) ?? 0);
    const database = new DatabaseSync(path);
    expect(database.prepare('PRAGMA integrity_check').get()).toEqual({ integrity_check: 'ok' });
    database.close();
    const history = sqliteHistory({ path, now: () => start });
    const turns = history.turns({ limit: 100_000, text: `round-${round}-` });
    const batches = new Map<string | undefined, number>();
    for (const { turn_id } of turns) {
      const batch = turn_id.split('-')[2];
      batches.set(batch, (batches.get(batch) ?? 0) + 1);
    }
    // Ten turns and one cell of ten calls go together.
    expect(batches.size).toBeGreaterThanOrEqual(flushed);
    for (const [batch, own] of batches) expect([batch, own]).toEqual([batch, 10]);
    const cells = history.series(`round-${round}`, { since: start, until: start + 7_200_000, stepMs: 10_000 });
    expect([...cells.values()].reduce((sum, { counts }) => sum + counts.first_try, 0)).toBe(turns.length);
    history.close();
  }
});

test('two processes with the same change ids lose none', () => {
  const path = freshPath();
  const [one, other] = [historyAt(path), historyAt(path)];
  const changeAt = (ms: number) => ({
    ...nothing,
    circuitChanges: [
      { ...everything.circuitChanges[0], change: { ...everything.circuitChanges[0].change, at: new Date(start + ms).toISOString() } },
    ],
    changes: [{ ...everything.changes[0], at: new Date(start + ms).toISOString() }],
  });
  one.write(changeAt(1));
  one.flush();
  other.write(changeAt(2));
  other.flush();
  // The same one again, known better.
  other.write(changeAt(2));
  expect(other.circuitChanges('work', start)).toHaveLength(2);
  expect(one.changes(10)).toHaveLength(2);
});

test('a damaged file is moved aside, and a new one is created', () => {
  const path = freshPath();
  writeFileSync(path, 'SQLite format 3\0'.padEnd(8_192, 'not a database '));
  const faults: HistoryStatus[] = [];
  const history = historyAt(path, { now: start }, { onFault: (status) => faults.push(status) });
  history.write(everything);
  expect(history.turns({ limit: 5 })).toHaveLength(1);
  expect(faults.map(({ ok }) => ok)).toEqual([false, true]);
  expect(readdirSync(dirname(path)).filter((name) => name.includes('.corrupt-'))).toHaveLength(1);
});

test('a file that becomes damaged while it is used', async () => {
  const path = freshPath();
  const history = historyAt(path);
  history.write(everything);
  history.flush();
  const size = readFileSync(path).byteLength;
  const other = new DatabaseSync(path);
  other.exec('PRAGMA wal_checkpoint(TRUNCATE)');
  other.close();
  writeFileSync(path, Buffer.alloc(Math.max(size, 65_536), 0x61), { flag: 'r+' });
  for (let round = 0; round < 3; round += 1) {
    history.write({ ...nothing, turns: [turnOf(`after-${round}`, start + round)] });
    history.flush();
  }
  await until(() => history.turns({ limit: 10 }).length > 0);
  expect(readdirSync(dirname(path)).some((name) => name.includes('.corrupt-'))).toBe(true);
});

test('a file that is deleted while it is used', { skip: process.platform === 'win32' }, () => {
  const path = freshPath();
  const faults: HistoryStatus[] = [];
  const history = sqliteHistory({ path, onFault: (status) => faults.push(status) });
  history.write(everything);
  history.flush();
  for (const ending of ['', '-wal', '-shm']) rmSync(path + ending, { force: true });
  history.write({ ...nothing, turns: [turnOf('after', start)] });
  history.flush();
  expect(faults.map(({ ok }) => ok)).toEqual([false, true]);
  expect(faults[0]?.problem).toContain('deleted or replaced');
  history.close();
  expect(historyAt(path).turns({ limit: 5 })).toMatchObject([{ turn_id: 'after' }]);
});

test('a file of another program or of a newer version is refused and not changed', () => {
  const foreign = freshPath();
  const database = new DatabaseSync(foreign);
  database.exec('CREATE TABLE theirs (x); INSERT INTO theirs VALUES (1)');
  database.close();
  const before = readFileSync(foreign);
  expect(() => sqliteHistory({ path: foreign })).toThrow(expect.objectContaining({ code: 'HOLDFAST_STORE_FOREIGN_FILE' }) as Error);
  expect(readFileSync(foreign)).toEqual(before);

  const newer = freshPath();
  sqliteHistory({ path: newer }).close();
  const later = new DatabaseSync(newer);
  later.exec('PRAGMA user_version = 99');
  later.close();
  expect(() => sqliteHistory({ path: newer })).toThrow(expect.objectContaining({ code: 'HOLDFAST_STORE_NEWER_SCHEMA' }) as Error);

  expect(() => sqliteHistory({ path: freshFolder() })).toThrow(expect.objectContaining({ code: 'HOLDFAST_STORE_PATH' }) as Error);
});

test('invalid options', () => {
  expect(() => sqliteHistory({ path: ' ' })).toThrow(TypeError);
  for (const retentionDays of [0, -1, Number.NaN, 4_000])
    expect(() => sqliteHistory({ path: ':memory:', retentionDays })).toThrow(RangeError);
  expect(() => sqliteHistory({ path: ':memory:', maxBufferedRecords: 0 })).toThrow(RangeError);
  expect(() => sqliteHistory({ path: ':memory:', maxBufferedRecord: 5 } as never)).toThrow("Did you mean 'maxBufferedRecords'?");
});

test('events that cannot be written are counted and reported, and nothing throws', () => {
  const path = freshPath();
  const statuses: HistoryStatus[] = [];
  const history = historyAt(path, { now: start }, { maxBufferedRecords: 10, onFault: (status) => statuses.push(status) });
  history.flush();
  const blocker = new DatabaseSync(path);
  blocker.exec('BEGIN IMMEDIATE');
  for (let round = 0; round < 15; round += 1) {
    history.write({ ...nothing, turns: [turnOf(`t-${round}`, start + round)] });
    history.flush();
  }
  expect(history.status()).toMatchObject({ ok: false, dropped: 5 });
  expect(statuses).toHaveLength(1);
  blocker.exec('ROLLBACK');
  blocker.close();
  expect(history.turns({ limit: 50 })).toHaveLength(10);
  expect(history.status()).toEqual({ ok: true, dropped: 5 });
  expect(statuses.map(({ ok }) => ok)).toEqual([false, true]);
});

test('folders are created; writes after close are ignored', () => {
  const path = `${freshFolder()}/deep/er/history.db`;
  mkdirSync(dirname(dirname(path)));
  const history = historyAt(path);
  history.close();
  expect(existsSync(path)).toBe(true);
  history.write(everything);
  history.flush();
  expect(history.turns({ limit: 5 })).toEqual([]);
});
