import { DatabaseSync } from 'node:sqlite';
import { describe, expect, test } from 'vitest';
import { sqliteStore } from '../src/index.ts';
import { freshPath, storeAt } from './support/paths.ts';
import { turnEvents } from './support/turns.ts';

const dayMs = 86_400_000;

describe('events of other writers', () => {
  test('continue after deleted ones, also if these were the newest', async () => {
    const path = freshPath();
    const [reader, writer] = [storeAt(path), storeAt(path)];
    writer.append(turnEvents('one', Date.now()));
    writer.append(turnEvents('two', Date.now()));
    await writer.flush();
    const { cursor } = await reader.readAppended(undefined);
    expect(await writer.deleteTurn('one')).toBe(1);
    expect(await writer.deleteTurn('two')).toBe(1);
    writer.append(turnEvents('three', Date.now()));
    await writer.flush();
    expect((await reader.readAppended(cursor)).events).toEqual(await reader.readTurn('three'));
  });

  test('continue after events that retention deleted', async () => {
    const path = freshPath();
    const [reader, writer] = [storeAt(path, { retentionDays: 1 }), storeAt(path, { retentionDays: 1 })];
    writer.append(turnEvents('old', Date.now() - 3 * dayMs));
    await writer.flush();
    const { cursor } = await reader.readAppended(undefined);
    const database = new DatabaseSync(path);
    const left = (): unknown => database.prepare('SELECT count(*) AS left FROM events').get()?.['left'];
    // Retention runs a second after opening.
    while (left() !== 0) await new Promise((resolve) => setTimeout(resolve, 20));
    database.close();
    writer.append(turnEvents('new', Date.now()));
    await writer.flush();
    expect((await reader.readAppended(cursor)).events).toEqual(await reader.readTurn('new'));
  });

  test('a cursor of a replaced file starts from the present', async () => {
    const path = freshPath();
    const writer = storeAt(path);
    writer.append(turnEvents('one', Date.now()));
    await writer.flush();
    const read = await storeAt(path).readAppended('999999');
    expect(read.events).toEqual([]);
    expect(Number(read.cursor)).toBe(5);
  });
});

test('a file of the first version is migrated: its runs are read, and continue', async () => {
  const path = freshPath();
  const before = sqliteStore({ path });
  before.append(turnEvents('one', Date.now(), 1, true));
  await before.close();
  const database = new DatabaseSync(path);
  database.exec(
    'DROP TABLE memory; DROP INDEX turns_by_execution; ALTER TABLE turns DROP COLUMN execution; ALTER TABLE events DROP COLUMN writer; PRAGMA user_version = 1',
  );
  database.close();
  const store = storeAt(path);
  expect(await store.readTurn('one')).toHaveLength(3);
  store.append(turnEvents('one', Date.now()).slice(3));
  store.append(turnEvents('two', Date.now()));
  await store.flush();
  const kept = new Map((await store.listTurns()).map((turn) => [turn.turnId, [turn.events, turn.state]]));
  expect(kept).toEqual(
    new Map([
      ['one', [5, 'completed']],
      ['two', [5, 'completed']],
    ]),
  );
  expect(store.status()).toEqual({ ok: true, dropped: 0 });
});
