import fc from 'fast-check';
import { describe, expect, onTestFinished, test } from 'vitest';
import { int4Array, int8Array, textArray } from '../src/database/arrays.ts';
import { openDatabase } from '../src/database/database.ts';
import { databaseFaultKind, databaseProblem, isConflict, isDataFault } from '../src/database/faults.ts';
import { migrate, type MigrationPlan } from '../src/database/migrations.ts';
import { databaseSettings, type DatabaseOptions } from '../src/database/settings.ts';
import { freshSchema, useServer } from './support/server.ts';
import { sql } from './support/sql.ts';

const { server } = useServer();

const plan = (...migrations: readonly string[]): MigrationPlan => ({
  component: 'history',
  migrations: migrations.map((text) => (schema: string) => text.replaceAll('$', schema)),
});

function open(use: MigrationPlan, options: Partial<DatabaseOptions> = {}): ReturnType<typeof openDatabase> {
  const database = openDatabase(databaseSettings({ url: server().url, schema: freshSchema(), ...options }, 'test'), { plan: use });
  onTestFinished(() => database.close());
  return database;
}

describe('columns', () => {
  const whole = fc.oneof(fc.maxSafeInteger(), fc.constantFrom(0, -1, 2 ** 32, -(2 ** 32), 2 ** 31));
  const kept = fc.string({ unit: 'grapheme' }).map((text) => text.replaceAll('\0', ''));

  test('arrive as they were sent', async () => {
    const database = open(plan());
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.option(whole)),
        fc.array(fc.integer({ min: -(2 ** 31), max: 2 ** 31 - 1 })),
        fc.array(fc.option(kept)),
        async (eights, fours, texts) => {
          const [row] = await database.read(async (session) => {
            const { rows } = await session.query(
              'SELECT to_json($1::bigint[]) AS eights, to_json($2::int[]) AS fours, array_to_json($3::text[]) AS texts, cardinality($3::text[]) AS count',
              [int8Array(eights), int4Array(fours), textArray(texts)],
            );
            return rows;
          });
          expect(row).toEqual({ eights, fours, texts, count: texts.length });
        },
      ),
      { numRuns: 40 },
    );
  });
});

describe('an address', () => {
  test('takes a separate password, also from a function that is called each time', async () => {
    const { password, port } = new URL(server().url);
    let asked = 0;
    const url = `postgres://postgres@127.0.0.1:${String(port)}/postgres`;
    const given = open(plan(), { url, password });
    expect(await given.read(async (session) => (await session.query('SELECT 1 AS one')).rows)).toEqual([{ one: 1 }]);
    const called = open(plan(), {
      url,
      password: async () => {
        asked += 1;
        return password;
      },
    });
    await Promise.all([1, 2].map(() => called.read((session) => session.query('SELECT pg_sleep(0.05)'))));
    expect(asked).toBeGreaterThan(0);
    const parts = openDatabase(
      databaseSettings(
        { connection: { host: '127.0.0.1', port: Number(port), user: 'postgres', database: 'postgres', password }, schema: freshSchema() },
        'test',
      ),
      { plan: plan() },
    );
    onTestFinished(() => parts.close());
    expect(await parts.read(async (session) => (await session.query('SELECT 1 AS one')).rows)).toEqual([{ one: 1 }]);
  });

  test.each(["o'brien", 'a"b', 'a\\b', ''])('the schema %j is refused', (schema) => {
    expect(() => databaseSettings({ url: 'postgres://here/db', schema }, 'test')).toThrow(
      'test.schema must be a name of 1 to 40 bytes without quotes',
    );
  });

  test('unusual schema names work', async () => {
    const database = open(plan('CREATE TABLE $.one (a int)'), { schema: 'Größe; DROP TABLE x' });
    expect((await database.write((session) => session.query(`INSERT INTO ${database.schema}.one VALUES (1)`))).rowCount).toBe(1);
  });
});

describe('migrations', () => {
  test('run from each version, once, however many processes start together', async () => {
    const steps = [
      'CREATE TABLE $.one (a int)',
      'ALTER TABLE $.one ADD COLUMN b int; INSERT INTO $.one VALUES (1, 2)',
      'CREATE TABLE $.two (a int)',
    ];
    for (let from = 0; from < steps.length; from += 1) {
      const schema = freshSchema();
      await open(plan(...steps.slice(0, from)), { schema }).read((session) => session.query('SELECT 1'));
      const all = Array.from({ length: 4 }, () => open(plan(...steps), { schema }));
      await Promise.all(all.map((database) => database.read((session) => session.query(`SELECT * FROM ${database.schema}.two`))));
      expect(await sql(server().url, `SELECT * FROM ${schema}.one`)).toEqual([{ a: 1, b: 2 }]);
      expect(await sql(server().url, `SELECT component, version FROM ${schema}.schema_versions`)).toEqual([
        { component: 'history', version: 3 },
      ]);
    }
  });

  test('a failed one changes nothing', async () => {
    const schema = freshSchema();
    await open(plan('CREATE TABLE $.one (a int)'), { schema }).read((session) => session.query('SELECT 1'));
    const broken = open(plan('CREATE TABLE $.one (a int)', 'CREATE TABLE $.two (a int)', 'no statement'), { schema });
    await expect(broken.read((session) => session.query('SELECT 1'))).rejects.toThrow('syntax');
    expect(await sql(server().url, `SELECT to_regclass('${schema}.two') AS two`)).toEqual([{ two: null }]);
    await open(plan('CREATE TABLE $.one (a int)', 'CREATE TABLE $.two (a int)'), { schema }).read((session) =>
      session.query(`SELECT * FROM ${schema}.two`),
    );
  });

  test('a database in another encoding is refused', async () => {
    await sql(server().url, `CREATE DATABASE latin ENCODING 'LATIN1' TEMPLATE template0 LC_COLLATE 'C' LC_CTYPE 'C'`);
    const database = open(plan('CREATE TABLE $.one (a int)'), { url: server().url.replace(/postgres$/, 'latin') });
    const failure = await database.write(async (session) => migrate(session, 'x', plan('SELECT 1'))).catch((error: unknown) => error);
    expect(databaseFaultKind(failure)).toBe('unsupported');
    expect(databaseProblem(database.place, failure)).toContain("ENCODING 'UTF8'");
    await database.close();
  });
});

describe('a transaction', () => {
  test('that failed inside does not count as committed', async () => {
    const database = open(plan('CREATE TABLE $.one (a int)'));
    const work = database.write(async (session) => {
      await session.query(`INSERT INTO ${database.schema}.one VALUES (1)`);
      await session.query('SELECT 1 / 0').catch(() => undefined);
    });
    await expect(work).rejects.toThrow('rolled back');
    expect((await database.read((session) => session.query(`SELECT * FROM ${database.schema}.one`))).rows).toEqual([]);
  });

  test('that takes too long is aborted, also on the server', async () => {
    const database = open(plan(), { statementTimeoutMs: 100 });
    const failure = await database.read((session) => session.query('SELECT pg_sleep(10)')).catch((error: unknown) => error);
    expect(databaseFaultKind(failure)).toBe('timeout');
    expect(
      await sql(
        server().url,
        `SELECT 1 FROM pg_stat_activity WHERE query LIKE '%pg_sleep(10)%' AND state = 'active' AND pid <> pg_backend_pid()`,
      ),
    ).toEqual([]);
  });
});

describe('kinds of fault', () => {
  test.each([
    [{ code: '53100' }, 'full'],
    [{ code: '25006' }, 'read_only'],
    [{ code: '28P01' }, 'credentials'],
    [{ code: '40P01' }, 'locked'],
    [{ code: '08006' }, 'unreachable'],
    [{ code: 'XX000', message: 'internal' }, 'unavailable'],
    [{ message: 'Connection terminated unexpectedly' }, 'unreachable'],
    [{ message: 'Query read timeout' }, 'timeout'],
    [{ message: '', errors: [{ code: 'ECONNREFUSED' }, { code: 'ECONNREFUSED' }] }, 'unreachable'],
    ['odd', 'unavailable'],
    [undefined, 'unavailable'],
  ])('%j', (error, kind) => {
    expect(databaseFaultKind(error)).toBe(kind);
    expect(databaseProblem('postgres://here', error)).toMatch(/^PostgreSQL postgres:\/\/here: .+\.$/);
  });

  test('conflicts and refused data', () => {
    expect([isConflict({ code: '40001' }), isConflict({ code: '53100' })]).toEqual([true, false]);
    expect([
      isDataFault({ code: '22P05' }),
      isDataFault({ code: '54000' }),
      isDataFault({ code: '53100' }),
      isDataFault({ code: '57014' }),
    ]).toEqual([true, true, false, false]);
  });
});
