import { execFile } from 'node:child_process';
import { existsSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { describe, expect, onTestFinished, test, vi } from 'vitest';
import type { SqliteFault, SqliteStore, SqliteStoreOptions } from '../src/index.ts';
import { createSqliteStore } from '../src/sqlite-store.ts';
import { settingsOf } from '../src/settings.ts';
import { freshPath, storeAt, until } from './support/paths.ts';
import { start } from './support/processes.ts';
import { turnEvents } from './support/turns.ts';

// Real threads, processes and files take their time on a busy machine.
vi.setConfig({ testTimeout: 60_000 });

function threadedStoreAt(path: string, options: Partial<SqliteStoreOptions> = {}, threadAfterEvents = 0): SqliteStore {
  const store = createSqliteStore({ ...settingsOf({ path, ...options }), threadAfterEvents });
  onTestFinished(() => store.close());
  return store;
}

describe('the move to the thread', () => {
  test('in the middle of turns, and back at the end: nothing is lost or written twice', async () => {
    const path = freshPath();
    const store = threadedStoreAt(path, { flushIntervalMs: 0 }, 300);
    const turns = Array.from({ length: 20 }, (_, n) => turnEvents(`turn-${String(n)}`, Date.now(), 300));
    for (let at = 0; at < 304; at += 1) {
      for (const turn of turns) store.append(turn.slice(at, at + 1));
      await new Promise((resolve) => setTimeout(resolve, at % 3));
    }
    await store.close();
    expect(store.status()).toMatchObject({ dropped: 0 });
    const again = storeAt(path);
    for (const [n, events] of turns.entries()) expect(await again.readTurn(`turn-${String(n)}`)).toEqual(events);
    expect(await again.listTurns()).toHaveLength(20);
  });

  test('a turn that was deleted before it does not come back after it', async () => {
    const store = threadedStoreAt(freshPath(), {}, 300);
    const events = turnEvents('deleted', Date.now(), 100);
    store.append(events.slice(0, 50));
    await store.flush();
    expect(await store.deleteTurn('deleted')).toBe(1);
    for (let n = 0; n < 200; n += 1) {
      store.append(turnEvents(`other-${String(n)}`, Date.now()));
      await store.flush();
    }
    store.append(events.slice(50));
    await store.flush();
    expect(await store.readTurn('deleted')).toBeUndefined();
  });
});

describe('a program', () => {
  test('that only waits for a flush does not end before it', async () => {
    const path = freshPath();
    const program = start('wait-for-flush', [path]);
    expect((await program.ended).code, program.errors.join('')).toBe(0);
    expect(program.lines).toEqual([JSON.stringify({ ok: true, dropped: 0 })]);
    expect((await storeAt(path).stats()).events).toBe(20_000);
  });

  test('that may start no threads writes on its own thread', async () => {
    const path = freshPath();
    const parameters = ['--permission', '--allow-fs-read=*', '--allow-fs-write=*', '--conditions=@holdfast/source'];
    const file = fileURLToPath(new URL('support/write-turns.ts', import.meta.url));
    const { stdout } = await promisify(execFile)(process.execPath, [...parameters, file, path, 'alone', '20', '0']);
    expect(stdout).toContain('dropped 0');
    expect(await storeAt(path).listTurns()).toHaveLength(20);
  });
});

describe('on the thread', () => {
  test('circuits, retention and deletion work as on the caller’s', async () => {
    const store = threadedStoreAt(freshPath(), { retentionDays: 1 });
    store.append(turnEvents('old', Date.now() - 2 * 86_400_000));
    store.append(turnEvents('young', Date.now()));
    store.append(turnEvents('deleted', Date.now(), 3, true));
    await store.flush();
    expect(await store.deleteTurn('deleted')).toBe(1);
    store.append(turnEvents('deleted', Date.now(), 3).slice(1));
    await store.flush();
    expect(await store.readTurn('deleted')).toBeUndefined();
    await expect.poll(async () => (await store.listTurns()).map(({ turnId }) => turnId), { timeout: 10_000 }).toEqual(['young']);
  });

  test('a file that is deleted while the store is open is created again', async () => {
    const path = freshPath();
    const store = threadedStoreAt(path);
    store.append(turnEvents('one', Date.now()));
    await store.flush();
    for (const suffix of ['', '-wal', '-shm']) rmSync(path + suffix, { force: true });
    store.append(turnEvents('two', Date.now()));
    await store.flush();
    expect(existsSync(path)).toBe(true);
    expect(await store.readTurn('two')).toHaveLength(5);
    expect(store.status()).toEqual({ ok: true, dropped: 0 });
  });

  test('a damaged file is moved aside and reported once', async () => {
    const path = freshPath();
    const faults: SqliteFault[] = [];
    const store = threadedStoreAt(path, { onFault: (fault) => faults.push(fault) });
    store.append(turnEvents('before', Date.now()));
    await store.flush();
    const other = `${path}.other`;
    for (const suffix of ['-wal', '-shm']) rmSync(path + suffix, { force: true });
    writeFileSync(other, 'no database at all, but long enough to look at'.repeat(100));
    renameSync(other, path);
    store.append(turnEvents('after', Date.now()));
    await store.flush();
    expect(await store.readTurn('after')).toHaveLength(5);
    expect(faults.map(({ kind }) => kind)).toEqual(['corrupt', undefined]);
  });

  test('a lock of another process: reported when it lasts, and nothing is lost', async () => {
    const path = freshPath();
    const faults: SqliteFault[] = [];
    const store = threadedStoreAt(path, { onFault: (fault) => faults.push(fault) });
    store.append(turnEvents('before', Date.now()));
    await store.flush();
    const holder = start('hold-lock', [path]);
    await holder.line((line) => line === 'locked');
    store.append(turnEvents('during', Date.now()));
    await store.flush();
    expect(store.status()).toMatchObject({ ok: false, kind: 'locked', dropped: 0 });
    holder.child.stdin?.end();
    await until(() => store.status().ok);
    await store.flush();
    expect(await store.listTurns()).toHaveLength(2);
    expect(faults.map(({ kind }) => kind)).toEqual(['locked', undefined]);
  });

  test('a caller that appends without end is blocked before the buffer is full', async () => {
    const store = threadedStoreAt(freshPath(), { maxBufferedEvents: 5_000 });
    for (let n = 0; n < 8_000; n += 1) {
      store.append(turnEvents(`turn-${String(n)}`, Date.now()));
      if (n % 20 === 0) await new Promise((resolve) => setImmediate(resolve));
    }
    await store.flush();
    expect(store.status()).toEqual({ ok: true, dropped: 0 });
    expect((await store.stats()).events).toBe(40_000);
  });
});
