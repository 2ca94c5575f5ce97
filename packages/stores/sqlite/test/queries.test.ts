import { existsSync, readFileSync, rmSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { describe, expect, test, vi } from 'vitest';
import fc from 'fast-check';
import { fromStoredText, toStoredText } from '@holdfast/core/internal/store';
import { openConnection } from '../src/connection.ts';
import { firstSince, lastBeforeNewest } from '../src/queries.ts';
import { sweepStep } from '../src/retention.ts';
import { settingsOf } from '../src/settings.ts';
import { freshPath, storeAt } from './support/paths.ts';
import { start } from './support/processes.ts';
import { turnEvents } from './support/turns.ts';

// Real processes and files take their time on a busy machine.
vi.setConfig({ testTimeout: 30_000 });

describe('queries for inspection', () => {
  test('turns by a prefix of their id', async () => {
    const store = storeAt(freshPath());
    for (const id of ['ab', 'abc', 'abd', 'ac', 'ab%', 'AB', 'a']) store.append(turnEvents(id, Date.now()));
    await store.flush();
    const ids = async (prefix: string, limit?: number): Promise<readonly string[]> =>
      (await store.findTurns(prefix, limit)).map((turn) => turn.turnId);
    expect((await ids('ab')).toSorted()).toEqual(['ab', 'ab%', 'abc', 'abd']);
    expect(await ids('ab%')).toEqual(['ab%']);
    expect(await ids('')).toHaveLength(7);
    expect(await ids('', 2)).toHaveLength(2);
    expect(await ids('zz')).toEqual([]);
  });

  test('a call by its id, the latest', async () => {
    const store = storeAt(freshPath());
    store.append(turnEvents('one', Date.now()));
    store.append(turnEvents('two', Date.now()));
    store.append(turnEvents('one', Date.now()));
    await store.flush();
    const [latest] = await store.findTurns('one');
    expect(await store.findCall('one-call')).toEqual({ callId: 'one-call', turnId: 'one', run: latest?.run, toolName: 'flight_search' });
    expect(await store.findCall('nobody')).toBeUndefined();
  });

  test('stats', async () => {
    const store = storeAt(freshPath());
    expect(await store.stats()).toMatchObject({ turns: 0, events: 0, circuits: 0, schemaVersion: 3 });
    const now = Date.now();
    store.append(turnEvents('one', now - 1_000));
    store.append(turnEvents('two', now));
    expect((await store.stats()).buffered).toBe(10);
    await store.flush();
    expect(await store.stats()).toMatchObject({
      turns: 2,
      events: 10,
      written: 10,
      buffered: 0,
      oldestTurnAt: now - 1_000,
      newestTurnAt: now,
    });
  });
});

test('the newest events are found by their number, and those since a time by their index: not by reading the file', () => {
  const connection = openConnection(settingsOf({ path: freshPath() }));
  const planOf = (sql: string): string =>
    connection.database
      .prepare(`EXPLAIN QUERY PLAN ${sql}`)
      .all()
      .map((row) => String(row['detail']))
      .join('; ');
  expect(planOf(firstSince)).toContain('USING COVERING INDEX events_by_time (at_ms>?)');
  // Along the primary key, from its end.
  expect(planOf(lastBeforeNewest)).toMatch(/^SCAN events( USING COVERING INDEX .*)?$/);
  connection.close();
});

describe('deleting a turn', () => {
  test('removes it from the file, and it does not reappear', async () => {
    const path = freshPath();
    const store = storeAt(path);
    const secret = 'the-secret-that-must-go';
    const events = turnEvents(secret, Date.now(), 200);
    for (let n = 0; n < 50; n += 1) store.append(turnEvents(`other-${String(n)}`, Date.now(), 20));
    store.append(turnEvents(secret, Date.now()));
    store.append(events.slice(0, 100));
    await store.flush();
    expect(await store.deleteTurn(secret)).toBe(2);
    expect(await store.deleteTurn('nobody')).toBe(0);
    store.append(events.slice(100));
    await store.flush();
    expect(await store.readTurn(secret)).toBeUndefined();
    expect(await store.listTurns({ limit: 100 })).toHaveLength(50);
    let read = 0;
    for await (const batch of store.readEvents()) read += batch.filter((event) => event.turn_id === secret).length;
    expect(read).toBe(0);
    expect(store.status()).toEqual({ ok: true, dropped: 0 });
    await store.close();
    const left = ['', '-wal'].filter((suffix) => existsSync(path + suffix)).map((suffix) => readFileSync(path + suffix));
    expect(left.some((bytes) => bytes.includes(secret))).toBe(false);
  });

  test('its queued events are deleted too', async () => {
    const store = storeAt(freshPath(), { flushIntervalMs: 60_000 });
    store.append(turnEvents('one', Date.now()));
    expect(await store.deleteTurn('one')).toBe(1);
    expect(await store.listTurns()).toEqual([]);
  });
});

const byAge = { retentionDays: 14, maxBytes: Infinity };

describe('retention', () => {
  const days = (count: number): number => count * 86_400_000;

  test('above the size, the oldest turns that ended are deleted, until the rest is within it', async () => {
    const path = freshPath();
    const store = storeAt(path, { retentionDays: Infinity, maxBytes: Infinity });
    const now = Date.now();
    store.append(turnEvents('running', now - days(6), 5, true));
    store.append(turnEvents('interrupted', now - days(8), 5, true));
    for (let n = 0; n < 1_000; n += 1) store.append(turnEvents(`turn-${String(n)}`, now - days(1) + n, 20));
    await store.flush();
    const connection = openConnection(settingsOf({ path }));
    const maxBytes = 2_000_000;
    const used = async (): Promise<number> => {
      connection.database.exec('PRAGMA wal_checkpoint(TRUNCATE)');
      const { fileBytes, freeBytes } = await store.stats();
      return fileBytes - freeBytes;
    };
    const before = await used();
    expect(before).toBeGreaterThan(2 * maxBytes);
    while (sweepStep(connection, { retentionDays: Infinity, maxBytes: before }, now));
    expect((await store.stats()).turns).toBe(1_002);
    while (sweepStep(connection, { retentionDays: Infinity, maxBytes }, now));
    expect(await used()).toBeLessThanOrEqual(maxBytes);
    // No more than needed: turns go in batches of 100.
    expect(await used()).toBeGreaterThan(maxBytes / 2);
    const left = (await store.listTurns({ limit: 2_000 })).map((turn) => turn.turnId);
    expect(left).toContain('running');
    expect(left).toContain('turn-999');
    expect(left).not.toContain('interrupted');
    expect(left).not.toContain('turn-0');
    expect(await store.checkIntegrity()).toEqual([]);
    connection.close();
  });

  test('a size that cannot be reached ends with the turns that are running', async () => {
    const path = freshPath();
    const store = storeAt(path, { retentionDays: Infinity, maxBytes: Infinity });
    store.append(turnEvents('running', Date.now(), 5, true));
    store.append(turnEvents('ended', Date.now()));
    await store.flush();
    const connection = openConnection(settingsOf({ path }));
    while (sweepStep(connection, { retentionDays: Infinity, maxBytes: 1 }, Date.now()));
    connection.close();
    expect((await store.listTurns()).map((turn) => turn.turnId)).toEqual(['running']);
  });

  test('the size is a setting of the store', async () => {
    const store = storeAt(freshPath(), { retentionDays: Infinity, maxBytes: 1 });
    store.append(turnEvents('ended', Date.now()));
    await store.flush();
    await expect.poll(async () => (await store.stats()).turns, { timeout: 10_000 }).toBe(0);
  });

  test('old turns are deleted in small steps, the file shrinks, and recent and active turns are kept', async () => {
    const path = freshPath();
    const store = storeAt(path, { retentionDays: Infinity });
    const now = Date.now();
    for (let n = 0; n < 200; n += 1) store.append(turnEvents(`old-${String(n)}`, now - days(20) + n, 100));
    store.append(turnEvents('young', now - days(13)));
    const active = turnEvents('active', now - days(20), 5, true);
    store.append(active);
    store.append(active.slice(0, 1).map((event) => ({ ...event, seq: 100, timestamp: new Date(now - 1_000).toISOString() })));
    await store.flush();
    const before = (await store.stats()).fileBytes + (await store.stats()).logBytes;
    const connection = openConnection(settingsOf({ path }));
    let steps = 0;
    let slowest = 0;
    for (let more = true; more; steps += 1) {
      const began = performance.now();
      more = sweepStep(connection, byAge, now);
      slowest = Math.max(slowest, performance.now() - began);
      const counted = connection.database
        .prepare('SELECT run, events, (SELECT count(*) FROM events WHERE events.run = turns.run) AS found FROM turns')
        .all();
      expect(counted.every((turn) => turn['events'] === turn['found'])).toBe(true);
    }
    connection.database.exec('PRAGMA wal_checkpoint(TRUNCATE)');
    connection.close();
    expect(steps).toBeGreaterThan(10);
    expect((await store.listTurns()).map((turn) => turn.turnId)).toEqual(['young', 'active']);
    let read = 0;
    for await (const batch of store.readEvents()) read += batch.length;
    expect(read).toBe(5 + 8);
    expect((await store.stats()).fileBytes).toBeLessThan(before);
    expect(await store.checkIntegrity()).toEqual([]);
  });

  test('a step has as many turns as its time allows, however short they are', async () => {
    const path = freshPath();
    const store = storeAt(path, { retentionDays: Infinity });
    const now = Date.now();
    for (let n = 0; n < 2_000; n += 1) store.append(turnEvents(`old-${String(n)}`, now - days(20) + n, 5));
    await store.flush();
    const connection = openConnection(settingsOf({ path }));
    const left = (): number => Number(connection.database.prepare('SELECT count(*) AS turns FROM turns').get()?.['turns']);
    sweepStep(connection, byAge, now);
    expect(left()).toBe(1_900);
    // Without a pause for each turn: 2,000 turns a second must be deleted as fast as they are written.
    let steps = 0;
    while (sweepStep(connection, byAge, now, 40)) steps += 1;
    expect(left()).toBe(0);
    expect(steps).toBeLessThan(50);
    connection.close();
  });

  test('opening a store starts a sweep', async () => {
    const path = freshPath();
    const store = storeAt(path, { retentionDays: 1 });
    store.append(turnEvents('old', Date.now() - days(2)));
    store.append(turnEvents('young', Date.now()));
    await store.flush();
    await expect.poll(async () => (await store.stats()).turns, { timeout: 10_000 }).toBe(1);
  });
});

test('any string survives a TEXT column, and different strings stay different', () => {
  const path = freshPath();
  const connection = openConnection(settingsOf({ path }));
  const insert = connection.statement('INSERT OR REPLACE INTO meta (key, value) VALUES (?, ?) RETURNING key');
  const text = fc.oneof(fc.string({ unit: 'binary' }), fc.string({ unit: fc.constantFrom('\ud800', '\udc00', '\0', '\u0001', 'a', '"') }));
  fc.assert(
    fc.property(text, (value) => {
      expect(fromStoredText(String(insert.get(toStoredText(value), '')?.['key']))).toBe(value);
    }),
    { numRuns: 500 },
  );
  connection.close();
});

const node22 = fileURLToPath(new URL('../../../../node_modules/node-22/bin/node', import.meta.url));

test.runIf(existsSync(node22))('on Node 22 the warning about SQLite is suppressed, others are not', async () => {
  const path = freshPath();
  const program = start('report', [path], {}, node22);
  await program.line((line) => line.startsWith('{'));
  expect((await program.ended).code).toBe(0);
  expect(program.errors.join('')).not.toContain('SQLite');
  expect(program.errors.join('')).toContain('a warning of other code');
  rmSync(path);
});
