import { execFileSync } from 'node:child_process';
import { chmodSync, chownSync, existsSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { describe, expect, onTestFinished, test, vi } from 'vitest';
import { isConfigurationError, sqliteStore, type SqliteFault, type SqliteStoreOptions } from '../src/index.ts';
import { freshFolder, freshPath, storeAt, until } from './support/paths.ts';
import { start } from './support/processes.ts';
import { turnEvents } from './support/turns.ts';

// Real processes and files take their time on a busy machine.
vi.setConfig({ testTimeout: 30_000 });

const root = process.getuid?.() === 0;
const nobody = 65_534;

describe('unusable paths throw at construction', () => {
  const codeOf = (make: () => unknown): unknown => {
    try {
      make();
    } catch (error) {
      return isConfigurationError(error) ? error.code : error;
    }
    return 'nothing thrown';
  };

  test('a folder', () => {
    expect(codeOf(() => sqliteStore({ path: freshFolder() }))).toBe('HOLDFAST_STORE_PATH');
  });

  test('a file of a newer version, which is not changed', async () => {
    const path = freshPath();
    await sqliteStore({ path }).close();
    const database = new DatabaseSync(path);
    database.exec('PRAGMA user_version = 99; CREATE TABLE news (a)');
    database.close();
    expect(codeOf(() => sqliteStore({ path }))).toBe('HOLDFAST_STORE_NEWER_SCHEMA');
    expect(() => sqliteStore({ path })).toThrow('has schema version 99, this version of @holdfast/store-sqlite knows');
    expect(readdirSync(dirname(path))).toEqual(['trace.db']);
  });

  test("another program's database, which is not changed", () => {
    const path = freshPath();
    const database = new DatabaseSync(path);
    database.exec('CREATE TABLE customers (a)');
    database.close();
    expect(codeOf(() => sqliteStore({ path }))).toBe('HOLDFAST_STORE_FOREIGN_FILE');
    const again = new DatabaseSync(path);
    expect(again.prepare('PRAGMA journal_mode').get()).toMatchObject({ journal_mode: 'delete' });
    expect(again.prepare('SELECT name FROM sqlite_schema').all()).toHaveLength(1);
    again.close();
  });

  test('readOnly without a file, which is not created', () => {
    const path = freshPath();
    expect(codeOf(() => sqliteStore({ path, readOnly: true }))).toBe('HOLDFAST_STORE_MISSING');
    expect(existsSync(path)).toBe(false);
  });

  test.each([
    [{ path: '' }, "sqliteStore.path must be the name of a file, got ''."],
    [{ path: ':memory:' }, 'memoryStore() from @holdfast/core'],
    [{ path: 'a.db', batchSize: 0 }, 'sqliteStore.batchSize must be a whole number, 1 or more, got 0.'],
    [{ path: 'a.db', retentionDays: Number.NaN }, 'sqliteStore.retentionDays must be a number of days, 0 or more, got NaN.'],
    [{ path: 'a.db', flushIntervalMs: -1 }, 'sqliteStore.flushIntervalMs must be a number of milliseconds, 0 or more, got -1.'],
    [{ path: 'a.db', durability: 'perhaps' as 'normal' }, "sqliteStore.durability must be one of normal, fsync, got 'perhaps'."],
    [{ path: 'a.db', retention_days: 3 }, "sqliteStore has no setting 'retention_days'. Did you mean 'retentionDays'?"],
  ])('%j', (options, message) => {
    expect(() => sqliteStore(options as SqliteStoreOptions)).toThrow(message);
  });
});

describe('temporary errors are faults that the store recovers from', () => {
  test('missing folders are created', async () => {
    const path = join(freshFolder(), 'a', 'b', 'trace.db');
    const store = storeAt(path);
    store.append(turnEvents('one', Date.now()));
    await store.flush();
    expect(store.status()).toEqual({ ok: true, dropped: 0 });
    expect(await store.readTurn('one')).toHaveLength(5);
  });

  test('a folder that cannot be created: everything waits, and is written when it can be', async () => {
    const folder = freshFolder();
    writeFileSync(join(folder, 'blocked'), 'a file where a folder should be');
    const faults: SqliteFault[] = [];
    const store = storeAt(join(folder, 'blocked', 'trace.db'), { onFault: (fault) => faults.push(fault) });
    store.append(turnEvents('one', Date.now()));
    await store.flush();
    expect(store.status()).toMatchObject({ ok: false, kind: 'unavailable', dropped: 0 });
    expect(await store.readTurn('one')).toBeUndefined();
    rmSync(join(folder, 'blocked'));
    await until(() => store.status().ok);
    expect(await store.readTurn('one')).toEqual(turnEvents('one', Date.parse((await store.readTurn('one'))?.[0]?.timestamp ?? '')));
    expect(faults.map((fault) => [fault.ok, fault.kind])).toEqual([
      [false, 'unavailable'],
      [true, undefined],
    ]);
  });

  test.runIf(root)('a full disk: nothing is lost while the buffer lasts, and it continues when there is room', async () => {
    const disk = freshFolder();
    execFileSync('mount', ['-t', 'tmpfs', '-o', 'size=1m', 'tmpfs', disk]);
    const store = sqliteStore({ path: join(disk, 'trace.db'), onFault: (fault) => faults.push(fault) });
    const faults: SqliteFault[] = [];
    onTestFinished(async () => {
      await store.close();
      execFileSync('umount', ['--lazy', disk]);
    });
    writeFileSync(join(disk, 'ballast'), Buffer.alloc(400_000));
    const sent: string[] = [];
    for (let n = 0; store.status().ok && n < 5_000; n += 1) {
      store.append(turnEvents(`turn-${String(n)}`, Date.now(), 20));
      sent.push(`turn-${String(n)}`);
      await store.flush();
    }
    expect(store.status()).toMatchObject({ ok: false, kind: 'full', dropped: 0 });
    for (let n = 0; n < 10; n += 1) {
      store.append(turnEvents(`later-${String(n)}`, Date.now()));
      sent.push(`later-${String(n)}`);
    }
    expect((await store.stats()).buffered).toBeGreaterThan(50);
    rmSync(join(disk, 'ballast'));
    await until(() => store.status().ok);
    await store.flush();
    expect((await store.listTurns({ limit: 10_000 })).map((turn) => turn.turnId).toReversed()).toEqual(sent);
    expect((await store.listTurns({ limit: 10_000 })).every((turn) => turn.state === 'completed')).toBe(true);
    expect(await store.checkIntegrity()).toEqual([]);
    expect(store.status()).toEqual({ ok: true, dropped: 0 });
    expect(faults.map((fault) => fault.kind)).toEqual(['full', undefined]);
  });

  test('a lock of another process: the store waits for a short one, reports a long one, and nothing is lost', async () => {
    const path = freshPath();
    const faults: SqliteFault[] = [];
    const store = storeAt(path, { onFault: (fault) => faults.push(fault) });
    store.append(turnEvents('before', Date.now()));
    await store.flush();
    const holder = start('hold-lock', [path]);
    await holder.line((line) => line === 'locked');
    const took: number[] = [];
    for (let n = 0; n < 50; n += 1) {
      const began = performance.now();
      store.append(turnEvents(`during-${String(n)}`, Date.now()));
      took.push(performance.now() - began);
    }
    // Most of them: a busy machine may keep any single one.
    expect(took.toSorted((one, other) => one - other)[25]).toBeLessThan(20);
    expect(store.status().ok).toBe(true);
    await store.flush();
    expect(store.status()).toMatchObject({ ok: false, kind: 'locked', dropped: 0 });
    expect(await store.readTurn('before')).toHaveLength(5);
    holder.child.stdin?.end();
    await until(() => store.status().ok);
    await store.flush();
    expect(await store.listTurns({ limit: 100 })).toHaveLength(51);
    expect(faults.map((fault) => fault.kind)).toEqual(['locked', undefined]);
  });

  test('a read-only file', async () => {
    const path = freshPath();
    await sqliteStore({ path }).close();
    chmodSync(path, 0o444);
    chmodSync(dirname(path), 0o555);
    const reporter = start('report', [path], root ? { uid: nobody, gid: nobody } : {});
    const { status, turns } = JSON.parse(await reporter.line((line) => line.startsWith('{'))) as { status: SqliteFault; turns: unknown };
    expect(status).toMatchObject({ ok: false, kind: 'read_only', dropped: 0 });
    expect(turns).toEqual([]);
    expect(await reporter.ended).toEqual({ code: 0, signal: null });
    chmodSync(dirname(path), 0o755);
    chmodSync(path, 0o666);
    if (root) for (const file of [dirname(path), path]) chownSync(file, nobody, nobody);
    const again = start('report', [path], root ? { uid: nobody, gid: nobody } : {});
    expect(await again.line((line) => line.startsWith('{'))).toContain('"ok":true');
  });

  test('a file that is deleted while the store is open is created again', async () => {
    const path = freshPath();
    const store = storeAt(path);
    const [first, ...others] = turnEvents('one', Date.now());
    store.append(first === undefined ? [] : [first]);
    await store.flush();
    for (const suffix of ['', '-wal', '-shm']) rmSync(path + suffix, { force: true });
    store.append(others);
    store.append(turnEvents('two', Date.now()));
    await store.flush();
    expect(existsSync(path)).toBe(true);
    expect(await store.readTurn('two')).toHaveLength(5);
    expect(await store.readTurn('one')).toHaveLength(4);
    expect(store.status().ok).toBe(true);
  });

  test('a newer version that migrates the open file stops the writing, not the program', async () => {
    const path = freshPath();
    const store = storeAt(path);
    store.append(turnEvents('before', Date.now()));
    await store.flush();
    const newer = new DatabaseSync(path);
    newer.exec('PRAGMA user_version = 99');
    newer.close();
    store.append(turnEvents('after', Date.now()));
    await store.flush();
    expect(store.status()).toMatchObject({ ok: false, kind: 'newer_schema', dropped: 0 });
    await store.close();
    expect(store.status()).toMatchObject({ ok: false, dropped: 5 });
  });

  test('events beyond the buffer are counted and reported', async () => {
    const store = storeAt(freshPath(), { maxBufferedEvents: 100, onFault: (fault) => faults.push(fault) });
    const faults: SqliteFault[] = [];
    for (let n = 0; n < 30; n += 1) store.append(turnEvents(`turn-${String(n)}`, Date.now()));
    expect(store.status().dropped).toBe(50);
    await until(() => faults.length === 2);
    expect(faults.map(({ kind, dropped }) => [kind, dropped])).toEqual([
      ['overflow', 50],
      [undefined, 50],
    ]);
    expect(await store.listTurns()).toHaveLength(20);
  });

  test('a listener that throws has no effect', async () => {
    const path = freshPath();
    writeFileSync(path, 'no database at all, but long enough to look at'.repeat(100));
    const store = storeAt(path, {
      onFault: () => {
        throw new Error('listener');
      },
    });
    store.append(turnEvents('one', Date.now()));
    await store.flush();
    expect(await store.readTurn('one')).toHaveLength(5);
  });

  test('a read-only store reads, and counts appended events as dropped', async () => {
    const path = freshPath();
    const store = storeAt(path);
    store.append(turnEvents('one', Date.now()));
    await store.flush();
    const reader = storeAt(path, { readOnly: true });
    expect(await reader.readTurn('one')).toHaveLength(5);
    reader.append(turnEvents('two', Date.now()));
    await reader.flush();
    expect(reader.status().dropped).toBe(5);
    await reader.close();
    expect(await store.listTurns()).toHaveLength(1);
  });
});
