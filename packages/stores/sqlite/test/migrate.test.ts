import { DatabaseSync } from 'node:sqlite';
import { describe, expect, onTestFinished, test } from 'vitest';
import { checkFile, migrate, schemaVersionOf } from '../src/migrate.ts';
import { historySchema } from '../src/history/schema.ts';
import { schemaVersion, traceSchema } from '../src/schema.ts';
import { freshPath } from './support/paths.ts';

function open(path: string): DatabaseSync {
  const database = new DatabaseSync(path);
  onTestFinished(() => database.close());
  return database;
}

/** The same database, whose look number `look` finds that another process has just migrated the file. */
function migratedBefore(look: number, path: string): DatabaseSync {
  const database = open(path);
  let looks = 0;
  return new Proxy(database, {
    get(target, name) {
      if (name !== 'prepare') return Reflect.get(target, name, target) as unknown;
      return (sql: string) => {
        looks += 1;
        if (looks === look) migrate(open(path), path, traceSchema);
        return target.prepare(sql);
      };
    },
  });
}

test.each([1, 2, 3, 4])(
  'a file that another process migrates meanwhile (read %i) is not mistaken for a file of another program',
  (look) => {
    const path = freshPath();
    expect(() => checkFile(migratedBefore(look, path), path, traceSchema)).not.toThrow();
  },
);

test('two connections with an empty file migrate it once', () => {
  const path = freshPath();
  const [one, two] = [open(path), open(path)];
  checkFile(one, path, traceSchema);
  checkFile(two, path, traceSchema);
  migrate(one, path, traceSchema);
  migrate(two, path, traceSchema);
  expect([schemaVersionOf(one), schemaVersionOf(two)]).toEqual([schemaVersion, schemaVersion]);
});

const schemas = { 'the trace store': traceSchema, 'the history': historySchema } as const;

describe.each(Object.entries(schemas))('%s', (_name, schema) => {
  const other = schema === traceSchema ? historySchema : traceSchema;

  test.each([
    ['tables and no version', 'CREATE TABLE other (a)'],
    ['a version and no tables', 'PRAGMA user_version = 1'],
    ['a version that is higher than every one of Holdfast', 'CREATE TABLE other (a); PRAGMA user_version = 77'],
    ['the other schema of Holdfast', `PRAGMA application_id = ${String(other.applicationId)}; PRAGMA user_version = 1`],
  ])('refuses a file of another program: %s', (_what, sql) => {
    const path = freshPath();
    const database = open(path);
    database.exec(sql);
    const message = `${path} is the database of another program; use another file for the ${schema.what}.`;
    expect(() => checkFile(database, path, schema)).toThrow(message);
    expect(() => migrate(database, path, schema)).toThrow(message);
  });

  test('refuses a file of a newer version, and does not change it', () => {
    const path = freshPath();
    const database = open(path);
    migrate(database, path, schema);
    database.exec('PRAGMA user_version = 77');
    expect(() => migrate(database, path, schema)).toThrow(/^(?:Trace store|History) .* has schema version 77, this version .* knows \d;/u);
    expect(schemaVersionOf(database)).toBe(77);
  });
});
