import { closeSync, existsSync, openSync, readdirSync, readFileSync, statSync, truncateSync, writeFileSync, writeSync } from 'node:fs';
import { basename, dirname } from 'node:path';
import { describe, expect, test, vi } from 'vitest';
import { sqliteStore, type SqliteFault } from '../src/index.ts';
import { freshPath, storeAt } from './support/paths.ts';
import { start } from './support/processes.ts';
import { turnEvents } from './support/turns.ts';

// Real processes and files take their time on a busy machine.
vi.setConfig({ testTimeout: 30_000 });

async function filled(turns: number): Promise<string> {
  const path = freshPath();
  const store = sqliteStore({ path });
  for (let n = 0; n < turns; n += 1) store.append(turnEvents(`turn-${String(n)}`, Date.now(), 30));
  await store.close();
  return path;
}

function overwrite(path: string, from: number, bytes: Buffer): void {
  const file = openSync(path, 'r+');
  writeSync(file, bytes, 0, bytes.length, from);
  closeSync(file);
}

const asideOf = (path: string): readonly string[] =>
  readdirSync(dirname(path)).filter((name) => name.startsWith(`${basename(path)}.corrupt-`) && !/-(wal|shm)$/.test(name));

describe('a damaged file is moved aside, and a new one is created', () => {
  test.each<[string, (path: string) => void]>([
    ['a garbage header', (path) => overwrite(path, 0, Buffer.alloc(100, 'x'))],
    ['a string where a database should be', (path) => writeFileSync(path, 'hello '.repeat(1_000))],
    ['a schema page of zeros', (path) => overwrite(path, 100, Buffer.alloc(3_000))],
    ['a schema page of noise', (path) => overwrite(path, 100, Buffer.from(Array.from({ length: 3_000 }, (_, n) => (n * 167 + 13) % 256)))],
    ['a file cut off in its first page', (path) => truncateSync(path, 700)],
  ])('%s', async (_, damage) => {
    const path = await filled(20);
    damage(path);
    const damaged = readFileSync(path);
    const faults: SqliteFault[] = [];
    const store = storeAt(path, { onFault: (fault) => faults.push(fault) });
    store.append(turnEvents('after', Date.now()));
    await store.flush();
    expect(await store.readTurn('after')).toHaveLength(5);
    expect(store.status()).toEqual({ ok: true, dropped: 0 });
    const [aside, ...more] = asideOf(path);
    expect(more).toEqual([]);
    expect(readFileSync(`${dirname(path)}/${aside ?? ''}`).equals(damaged)).toBe(true);
    expect(faults.map((fault) => fault.kind)).toEqual(['corrupt', undefined]);
    expect(faults[0]?.problem).toContain(`It was moved to ${dirname(path)}/${aside ?? ''}. A new file is created.`);
  });

  test('damaged pages while the store is open: found by the next write that needs them, without losing queued events', async () => {
    const path = await filled(300);
    const faults: SqliteFault[] = [];
    const store = storeAt(path, { onFault: (fault) => faults.push(fault) });
    const { size } = statSync(path);
    for (let page = 4_096; page < size; page += 4_096) overwrite(path, page, Buffer.alloc(4_096, page % 251));
    for (let n = 0; n < 50; n += 1) store.append(turnEvents(`after-${String(n)}`, Date.now()));
    await store.flush();
    await store.flush();
    expect(store.status()).toEqual({ ok: true, dropped: 0 });
    expect(await store.listTurns({ limit: 1_000 })).toHaveLength(50);
    expect(faults.map((fault) => fault.kind)).toEqual(['corrupt', undefined]);
    expect(asideOf(path)).toHaveLength(1);
  });

  test('a damaged page of old events: a read reports it, rejects nothing and moves nothing; checkIntegrity names it', async () => {
    const path = await filled(300);
    const { size } = statSync(path);
    for (let page = 40 * 4_096; page < size; page += 8_192) overwrite(path, page, Buffer.alloc(2_048, 0xff));
    const store = storeAt(path);
    let failures = 0;
    for (let n = 0; n < 300; n += 1) {
      const events = await store.readTurn(`turn-${String(n)}`);
      if (events === undefined) failures += 1;
    }
    expect(failures).toBeGreaterThan(0);
    for await (const batch of store.readEvents()) expect(batch.length).toBeGreaterThan(0);
    expect((await store.checkIntegrity()).length).toBeGreaterThan(0);
    expect(asideOf(path)).toEqual([]);
    expect(existsSync(path)).toBe(true);
  });

  test('a log of noise beside a good file is ignored', async () => {
    const path = await filled(20);
    writeFileSync(`${path}-wal`, Buffer.alloc(50_000, 'noise'));
    const store = storeAt(path);
    expect(await store.listTurns()).toHaveLength(20);
    expect(await store.checkIntegrity()).toEqual([]);
    expect(store.status().ok).toBe(true);
  });

  test('several processes find the same damaged file: it is moved once, and nothing is lost', async () => {
    const path = await filled(20);
    overwrite(path, 0, Buffer.alloc(100, 'x'));
    const programs = ['one', 'two', 'three', 'four'].map((name) => start('write-turns', [path, name, '60']));
    for (const program of programs) expect((await program.ended).code, program.errors.join('')).toBe(0);
    for (const program of programs) expect(program.lines.at(-1)).toBe('dropped 0');
    expect(asideOf(path)).toHaveLength(1);
    expect((await storeAt(path).stats()).turns).toBe(240);
  });
});
