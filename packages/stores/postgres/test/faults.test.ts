import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import { postgresStore, type PostgresFault, type PostgresStoreOptions } from '../src/index.ts';
import { learned } from './support/learned.ts';
import { startProxy } from './support/proxy.ts';
import { freshSchema, useServer } from './support/server.ts';
import { sql } from './support/sql.ts';
import { turnEvents } from './support/turns.ts';
import { until } from './support/until.ts';

const { server, openStore } = useServer();
const root = process.getuid?.() === 0;
/** A loaded machine connects slowly; a hung server takes as long as this. */
const quick = { connectTimeoutMs: 1_500, statementTimeoutMs: 500 } as const;

async function turnIds(store: ReturnType<typeof openStore>): Promise<readonly string[]> {
  return (await store.listTurns({ limit: 10_000 })).map((turn) => turn.turnId).toSorted();
}

function refusalOf(make: () => unknown): string {
  try {
    make();
  } catch (error) {
    return String(error);
  }
  return 'nothing was refused';
}

describe('invalid options throw', () => {
  test.each([
    [{}, 'either url or connection'],
    [{ url: 'postgres://here/db', connection: {} }, 'not both'],
    [{ url: 'here' }, 'postgres://'],
    [{ url: 'postgres://user:secret@here:port/db' }, 'url cannot be read'],
    [{ url: 'postgres://here/db', schema: 'x'.repeat(41) }, 'postgresStore.schema must be a name of 1 to 40 bytes'],
    [{ url: 'postgres://here/db', batchSize: 0 }, 'postgresStore.batchSize must be a whole number, 1 or more, got 0.'],
    [{ url: 'postgres://here/db', connections: 1 }, 'postgresStore.connections must be a whole number, 2 or more, got 1.'],
    [{ url: 'postgres://here/db', retentionDays: Number.NaN }, 'postgresStore.retentionDays must be a number of days, 0 or more, got NaN.'],
    [{ url: 'postgres://here/db', maxBufferedBytes: 0.5 }, 'postgresStore.maxBufferedBytes must be a whole number, 1 or more, got 0.5.'],
    [{ url: 'postgres://here/db', shema: 'x' }, "postgresStore has no setting 'shema'. Did you mean 'schema'?"],
  ])('%j', (options, message) => {
    expect(() => postgresStore(options as PostgresStoreOptions)).toThrow(message);
  });

  test('the place and the messages contain no secret', async () => {
    const store = openStore({ url: 'postgres://user:secret@127.0.0.1:1/db', ...quick });
    expect(store.place).toBe('postgres://user@127.0.0.1:1/db');
    expect(JSON.stringify(await store.ready())).not.toContain('secret');
    for (const options of [
      { url: 'postgres://user:secret@here:port/db' },
      { connection: 'postgres://user:secret@here:port/db' },
      { url: 'postgres://here/db', password: ['secret'] },
    ]) {
      const complaint = refusalOf(() => postgresStore(options as PostgresStoreOptions));
      expect(complaint).toContain('postgresStore');
      expect(complaint).not.toContain('secret');
    }
  });
});

describe('problems have a fix', () => {
  test('wrong password, no such database, no such server', async () => {
    const { url, port } = server();
    const kindAt = async (address: string): Promise<PostgresFault> => openStore({ url: address, ...quick }).ready();
    expect(await kindAt(`postgres://postgres:wrong@127.0.0.1:${String(port)}/postgres`)).toMatchObject({ ok: false, kind: 'credentials' });
    expect(await kindAt(url.replace(/postgres$/, 'nowhere'))).toMatchObject({
      kind: 'missing_database',
      problem: expect.stringContaining('CREATE DATABASE'),
    });
    expect(await kindAt('postgres://postgres:any@127.0.0.1:1/postgres')).toMatchObject({ kind: 'unreachable' });
  });

  test('a user without rights, and a schema that was created for it', async () => {
    const schema = freshSchema();
    await sql(server().url, `CREATE ROLE modest LOGIN PASSWORD 'modest'`);
    const url = `postgres://modest:modest@127.0.0.1:${String(server().port)}/postgres`;
    const store = openStore({ url, schema });
    expect(await store.ready()).toMatchObject({
      ok: false,
      kind: 'permission',
      problem: expect.stringContaining('CREATE on the database'),
    });
    store.append(turnEvents('waits', Date.now()));
    await sql(server().url, `CREATE SCHEMA ${schema} AUTHORIZATION modest`);
    await store.flush();
    expect(store.status()).toEqual({ ok: true, dropped: 0 });
    expect(await turnIds(store)).toEqual(['waits']);
    await sql(server().url, 'ALTER ROLE modest CONNECTION LIMIT 0');
    expect(await openStore({ url, schema }).ready()).toMatchObject({
      kind: 'connections',
      problem: expect.stringContaining('max_connections'),
    });
  });

  test('tables of a newer version are refused, unless it allows older versions to continue', async () => {
    const schema = freshSchema();
    const store = openStore({ schema });
    await store.ready();
    await sql(server().url, `UPDATE ${schema}.schema_versions SET version = 99, compatible_from = 99`);
    const late = openStore({ schema });
    expect(await late.ready()).toMatchObject({
      ok: false,
      kind: 'newer_schema',
      problem: expect.stringContaining('has version 99 of the trace tables'),
    });
    store.append(turnEvents('under way', Date.now()));
    await store.flush();
    expect(store.status()).toMatchObject({ ok: false, kind: 'newer_schema', dropped: 0 });
    await sql(server().url, `UPDATE ${schema}.schema_versions SET compatible_from = 1`);
    await store.flush();
    expect(await late.ready()).toEqual({ ok: true, dropped: 0 });
    expect(await turnIds(late)).toEqual(['under way']);
  });

  test('a read-only store creates nothing', async () => {
    const schema = freshSchema();
    const reader = openStore({ schema, readOnly: true });
    expect(await reader.ready()).toMatchObject({ ok: false, kind: 'missing_tables' });
    expect(await sql(server().url, `SELECT 1 FROM pg_namespace WHERE nspname = '${schema}'`)).toEqual([]);
    const store = openStore({ schema });
    store.append(turnEvents('one', Date.now()));
    await store.flush();
    expect(await turnIds(reader)).toEqual(['one']);
    reader.append(turnEvents('two', Date.now()));
    await reader.flush();
    expect(reader.status().dropped).toBe(5);
    expect(await turnIds(store)).toEqual(['one']);
  });
});

describe('temporary faults', () => {
  test('a killed server: events wait and are written once when it is back', async () => {
    const faults: PostgresFault[] = [];
    const store = openStore({ ...quick, onFault: (fault) => faults.push(fault) });
    store.append(turnEvents('before', Date.now()));
    await store.flush();
    store.append(turnEvents('at the end', Date.now(), 50));
    await server().kill();
    store.append(turnEvents('during', Date.now()));
    await store.flush();
    expect(store.status()).toMatchObject({ ok: false, kind: 'unreachable', dropped: 0 });
    expect(await store.readTurn('before')).toBeUndefined();
    expect((await store.stats()).buffered).toBe(54 + 5);
    await server().restart();
    await until(() => store.status().ok);
    await store.flush();
    expect(await turnIds(store)).toEqual(['at the end', 'before', 'during']);
    expect((await store.readTurn('at the end'))?.length).toBe(54);
    expect(store.status()).toEqual({ ok: true, dropped: 0 });
    // It may be met while it starts.
    expect(faults.map(({ kind }) => kind).filter((kind) => kind !== 'starting')).toEqual(['unreachable', undefined]);
  });

  test('a server that hangs: append returns at once, flush ends, and nothing is written twice', async () => {
    const store = openStore(quick);
    store.append(turnEvents('before', Date.now()));
    await store.flush();
    server().pause();
    try {
      for (let n = 0; n < 100; n += 1) store.append(turnEvents(`during-${String(n)}`, Date.now()));
      await store.flush();
      expect(store.status()).toMatchObject({ ok: false, kind: 'timeout', dropped: 0 });
      expect((await store.stats()).buffered).toBe(500);
    } finally {
      server().resume();
    }
    await until(() => store.status().ok);
    await store.flush();
    expect(await store.stats()).toMatchObject({ turns: 101, events: 505, buffered: 0 });
    expect(store.status().dropped).toBe(0);
  });

  test('a close while the server hangs ends, and counts what it could not write', async () => {
    const store = openStore(quick);
    await store.ready();
    server().pause();
    try {
      store.append(turnEvents('lost', Date.now()));
      await store.close();
      expect(store.status()).toMatchObject({ ok: false, kind: 'closed', dropped: 5 });
    } finally {
      server().resume();
    }
  });

  test('a commit without an answer is not written again', async () => {
    const proxy = await startProxy(server().port);
    const store = openStore({ ...quick, url: server().url.replace(/:\d+\//, `:${String(proxy.port)}/`) });
    await store.ready();
    for (let n = 0; n < 8; n += 1) {
      proxy.loseCommits(n % 3);
      store.append(turnEvents('again', Date.now() + n));
      store.append(turnEvents(`turn-${String(n)}`, Date.now() + n));
      store.addMemory([learned(2)]);
      await until(async () => {
        await store.flush();
        return store.status().ok;
      });
    }
    expect(proxy.lost()).toBeGreaterThan(4);
    expect(await store.stats()).toMatchObject({ turns: 16, events: 80, buffered: 0 });
    expect((await store.loadMemory()).map(({ outcomes }) => outcomes[0]?.tried)).toEqual([16]);
    expect(store.status()).toEqual({ ok: true, dropped: 0 });
  });

  test.runIf(root)('a full disk: nothing is lost while the buffer lasts, and it continues when there is room', async () => {
    const disk = mkdtempSync(join(tmpdir(), 'store-postgres-full-'));
    const { uid, gid } = statSync(server().folder);
    execFileSync('mount', ['-t', 'tmpfs', '-o', `size=24m,mode=0700,uid=${String(uid)},gid=${String(gid)}`, 'tmpfs', disk]);
    onTestFinished(() => {
      execFileSync('umount', ['--lazy', disk]);
      rmSync(disk, { recursive: true, force: true });
    });
    await sql(server().url, `CREATE TABLESPACE small LOCATION '${disk}'`);
    await sql(server().url, 'CREATE DATABASE small TABLESPACE small');
    const faults: PostgresFault[] = [];
    const store = openStore({
      url: server().url.replace(/postgres$/, 'small'),
      onFault: (fault) => faults.push(fault),
      statementTimeoutMs: 30_000,
    });
    await store.ready();
    const free = Number(execFileSync('df', ['--output=avail', '-B1', disk], { encoding: 'utf8' }).split('\n')[1]);
    writeFileSync(join(disk, 'ballast'), Buffer.alloc(free - 200_000));
    const sent: string[] = [];
    for (let n = 0; store.status().ok && n < 300; n += 1) {
      store.append(turnEvents(`turn-${String(n)}`, Date.now(), 40));
      sent.push(`turn-${String(n)}`);
      await store.flush();
    }
    expect(store.status()).toMatchObject({ ok: false, kind: 'full', dropped: 0, problem: expect.stringContaining('free some space') });
    store.append(turnEvents('later', Date.now()));
    rmSync(join(disk, 'ballast'));
    await until(() => store.status().ok);
    await store.flush();
    expect(await turnIds(store)).toEqual([...sent, 'later'].toSorted());
    expect(store.status()).toEqual({ ok: true, dropped: 0 });
    expect(faults.map(({ kind }) => kind)).toEqual(['full', undefined]);
    await store.close();
  });

  test('tables that are removed while the store is open are created again', async () => {
    const schema = freshSchema();
    const store = openStore({ schema });
    store.append(turnEvents('gone', Date.now(), 1, true));
    await store.flush();
    await sql(server().url, `DROP SCHEMA ${schema} CASCADE`);
    store.append(turnEvents('after', Date.now()));
    await until(async () => {
      await store.flush();
      return store.status().ok;
    });
    expect(await turnIds(store)).toEqual(['after']);
    expect((await store.readTurn('after'))?.length).toBe(5);
  });

  test('events beyond the buffer are dropped, and onFault is called when there is room again', async () => {
    const faults: PostgresFault[] = [];
    const store = openStore({ maxBufferedEvents: 100, onFault: (fault) => faults.push(fault) });
    for (let n = 0; n < 30; n += 1) store.append(turnEvents(`turn-${String(n)}`, Date.now()));
    expect([store.status().dropped, faults]).toEqual([50, []]);
    await until(() => faults.length === 2);
    expect(faults.map(({ kind, dropped }) => [kind, dropped])).toEqual([
      ['overflow', 50],
      [undefined, 50],
    ]);
    expect(await store.listTurns()).toHaveLength(20);
  });

  test('events beyond the buffer are counted and reported, by number and by bytes', async () => {
    const url = 'postgres://nobody@127.0.0.1:1/none';
    const few = openStore({ url, maxBufferedEvents: 100 });
    for (let n = 0; n < 30; n += 1) few.append(turnEvents(`turn-${String(n)}`, Date.now()));
    expect(few.status().dropped).toBe(50);
    const small = openStore({ url, maxBufferedBytes: 100_000 });
    const [started] = turnEvents('big', Date.now());
    for (let n = 0; n < 20; n += 1) small.append([{ ...started!, seq: n + 1, seed: 'x'.repeat(10_000) } as NonNullable<typeof started>]);
    await until(() => small.status().dropped > 0);
    await small.flush();
    const { buffered, bufferedBytes } = await small.stats();
    expect(bufferedBytes).toBeLessThanOrEqual(100_000);
    expect(buffered + small.status().dropped).toBe(20);
    expect(small.status()).toMatchObject({ ok: false, kind: 'unreachable' });
  });
});

describe('refused data affects nothing else', () => {
  test('a refused event is counted, the others are stored', async () => {
    const schema = freshSchema();
    const store = openStore({ schema });
    await store.ready();
    await sql(
      server().url,
      `CREATE FUNCTION ${schema}.refuse() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
         IF NEW.body LIKE '%"progress":7,%' OR NEW.body LIKE '%"progress":8,%' THEN RAISE EXCEPTION 'refused' USING ERRCODE = '22000'; END IF; RETURN NEW; END $$;
       CREATE TRIGGER refuse BEFORE INSERT ON ${schema}.events FOR EACH ROW EXECUTE FUNCTION ${schema}.refuse()`,
    );
    store.append(turnEvents('one', Date.now(), 20));
    store.append(turnEvents('two', Date.now()));
    await store.flush();
    expect((await store.readTurn('one'))?.map(({ seq }) => seq)).toEqual([
      1, 2, 3, 4, 5, 6, 7, 8, 9, 12, 13, 14, 15, 16, 17, 18, 19, 20, 21, 22, 23, 24,
    ]);
    expect(await turnIds(store)).toEqual(['one', 'two']);
    expect(store.status()).toEqual({ ok: true, dropped: 2 });
  });

  test('refused circuits do not block events', async () => {
    const store = openStore();
    const snapshot = { savedAtEpochMs: Number.NaN } as never;
    store.saveCircuits(new Map([['tool', snapshot]]));
    store.append(turnEvents('one', Date.now()));
    await store.flush();
    expect(await turnIds(store)).toEqual(['one']);
    expect(store.status()).toEqual({ ok: true, dropped: 0 });
    expect((await store.loadCircuits()).size).toBe(0);
  });
});
