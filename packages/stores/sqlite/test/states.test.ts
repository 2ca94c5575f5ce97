import { DatabaseSync } from 'node:sqlite';
import { describe, expect, test } from 'vitest';
import type { MemoryEntry } from '@holdfast/core';
import { sqliteStore } from '../src/index.ts';
import { schemaVersion } from '../src/schema.ts';
import { openConnection } from '../src/connection.ts';
import { sweepStep } from '../src/retention.ts';
import { settingsOf } from '../src/settings.ts';
import { createSqliteStore } from '../src/sqlite-store.ts';
import { freshPath, storeAt } from './support/paths.ts';
import { turnEvents } from './support/turns.ts';

const dayMs = 86_400_000;

const learned = (tried: number, more: Partial<MemoryEntry> = {}): MemoryEntry => ({
  version: 1,
  toolName: 'flight_search',
  category: 'unavailable',
  rule: 'status:503',
  savedAtEpochMs: Date.now(),
  outcomes: [{ strategy: 'retry', tried, succeeded: 1, withheld: 0 }],
  ...more,
});

function edit(path: string, sql: string): void {
  const database = new DatabaseSync(path);
  database.exec(sql);
  database.close();
}

/** A file with one turn, as the version before memory left it. */
async function oldFile(): Promise<string> {
  const path = freshPath();
  const store = sqliteStore({ path });
  store.append(turnEvents('one', Date.now()));
  await store.close();
  edit(path, 'DROP TABLE memory; PRAGMA user_version = 2');
  return path;
}

describe('a file of the version before memory', () => {
  test('is migrated: its turns are read, and memory is kept', async () => {
    const path = await oldFile();
    const store = storeAt(path);
    expect([await store.readTurn('one').then((events) => events?.length), await store.loadMemory()]).toEqual([5, []]);
    const entry = learned(3);
    store.addMemory([entry]);
    await store.flush();
    expect(await storeAt(path).loadMemory()).toEqual([entry]);
    expect(await store.stats()).toMatchObject({ schemaVersion });
    expect(store.status()).toEqual({ ok: true, dropped: 0 });
  });

  test('that is only read has learned nothing, and is not changed', async () => {
    const path = await oldFile();
    const store = storeAt(path, { readOnly: true });
    expect(await store.loadMemory()).toEqual([]);
    store.addMemory([learned(3)]);
    await store.flush();
    expect(store.status()).toEqual({ ok: true, dropped: 0 });
    expect(await store.stats()).toMatchObject({ schemaVersion: 2, turns: 1 });
  });
});

test.each([0, 100_000])('a store that writes on a thread after %i events adds each outcome once', async (threadAfterEvents) => {
  const path = freshPath();
  const store = createSqliteStore({ ...settingsOf({ path }), threadAfterEvents });
  for (let n = 0; n < 30; n += 1) {
    store.append(turnEvents(`turn-${String(n)}`, Date.now(), 20));
    store.addMemory([learned(2), learned(1, { toolName: 'hotel_search' })]);
    if (n % 4 === 0) await store.flush();
  }
  await store.close();
  const loaded = await storeAt(path).loadMemory();
  expect(new Map(loaded.map(({ toolName, outcomes }) => [toolName, outcomes[0]?.tried]))).toEqual(
    new Map([
      ['flight_search', 60],
      ['hotel_search', 30],
    ]),
  );
});

test('what was learned just before the end is written by close, and is not written twice after a lock', async () => {
  const path = freshPath();
  const store = storeAt(path);
  await store.flush();
  const other = new DatabaseSync(path);
  other.exec('BEGIN IMMEDIATE');
  store.addMemory([learned(2)]);
  const flushed = store.flush();
  await new Promise((resolve) => setTimeout(resolve, 100));
  store.addMemory([learned(3)]);
  other.exec('COMMIT');
  other.close();
  await flushed;
  store.addMemory([learned(4)]);
  await store.close();
  expect((await storeAt(path).loadMemory()).map(({ outcomes }) => outcomes[0]?.tried)).toEqual([9]);
});

test('an entry that was damaged is returned as it is, and replaced by what is learned next', async () => {
  const path = freshPath();
  const store = storeAt(path);
  store.addMemory([learned(2), learned(2, { toolName: 'hotel_search', savedAtEpochMs: Date.now() + 1 })]);
  await store.flush();
  edit(path, `UPDATE memory SET entry = '{"version":' WHERE key LIKE '%flight_search%'`);
  expect(await store.loadMemory()).toMatchObject(['{"version":', { toolName: 'hotel_search' }]);
  store.addMemory([learned(7)]);
  await store.flush();
  expect(new Set((await store.loadMemory()).map(({ outcomes }) => outcomes[0]?.tried))).toEqual(new Set([2, 7]));
  expect(store.status()).toEqual({ ok: true, dropped: 0 });
});

const byAge = { retentionDays: 14, maxBytes: Infinity };

test('retention deletes what was learned only before the limit', async () => {
  const path = freshPath();
  const store = storeAt(path, { retentionDays: Infinity });
  const now = Date.now();
  store.addMemory([
    learned(2, { savedAtEpochMs: now - 15 * dayMs }),
    learned(2, { toolName: 'hotel_search', savedAtEpochMs: now - 13 * dayMs }),
  ]);
  await store.flush();
  const connection = openConnection(settingsOf({ path }));
  while (sweepStep(connection, byAge, now));
  connection.close();
  expect((await store.loadMemory()).map(({ toolName }) => toolName)).toEqual(['hotel_search']);
});
