/** The log of a history is brought into its file on a thread: that of a store, or its own. */
import { statSync } from 'node:fs';
import { DatabaseSync } from 'node:sqlite';
import { afterEach, expect, test, vi } from 'vitest';
import { createCheckpoints } from '../../src/history/checkpoints.ts';
import { settingsOf } from '../../src/settings.ts';
import { sharedThread } from '../../src/shared-thread.ts';
import { createSqliteStore } from '../../src/sqlite-store.ts';
import { freshPath } from '../support/paths.ts';

const closing: (() => unknown)[] = [];
afterEach(async () => {
  for (const close of closing.splice(0).toReversed()) await close();
});

function openLog(): { readonly path: string; readonly database: DatabaseSync; readonly write: () => void; readonly stop: () => void } {
  const path = freshPath();
  const database = new DatabaseSync(path);
  database.exec('PRAGMA journal_mode = WAL; PRAGMA synchronous = OFF; CREATE TABLE t (a)');
  const checkpoints = createCheckpoints(database, path);
  closing.push(
    () => database.close(),
    () => checkpoints.stop(),
  );
  const insert = database.prepare('INSERT INTO t VALUES (zeroblob(1000000))');
  const write = (): void => {
    insert.run();
    checkpoints.committed();
  };
  return { path, database, write, stop: () => checkpoints.stop() };
}

/** The file has the pages only after a checkpoint. */
async function expectCheckpoint({ path, write }: Pick<ReturnType<typeof openLog>, 'path' | 'write'>): Promise<void> {
  const before = statSync(path).size;
  const hasGrown = (): void => {
    write();
    expect(statSync(path).size).toBeGreaterThan(before + 2_000_000);
  };
  await vi.waitFor(hasGrown, { timeout: 10_000 });
}

test('without a store, on a thread of its own', async () => {
  expect(sharedThread()).toBeUndefined();
  const log = openLog();
  await expectCheckpoint(log);
  await expectCheckpoint(log);
});

test('on the thread of a store, and on another one after the store is closed', async () => {
  const store = createSqliteStore({ ...settingsOf({ path: freshPath() }), threadAfterEvents: 0 });
  closing.push(() => store.close());
  const thread = sharedThread();
  expect(thread).toBeDefined();
  const given = vi.spyOn(thread as NonNullable<typeof thread>, 'postMessage');
  const [one, other] = [openLog(), openLog()];
  await expectCheckpoint(one);
  await expectCheckpoint(other);
  expect(given.mock.calls.map(([task]) => task as unknown)).toEqual(
    expect.arrayContaining([
      { type: 'checkpoint', path: one.path },
      { type: 'checkpoint', path: other.path },
    ]),
  );
  other.stop();
  expect(given).toHaveBeenLastCalledWith({ type: 'end', path: other.path });
  await store.close();
  await vi.waitFor(() => expect(sharedThread()).toBeUndefined());
  await expectCheckpoint(one);
});
