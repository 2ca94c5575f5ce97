import { DatabaseSync } from 'node:sqlite';
import { expect, onTestFinished, test } from 'vitest';
import { checkFile, migrate, schemaVersion, schemaVersionOf } from '../src/migrations.ts';
import { freshPath } from './support/places.ts';

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
        if (looks === look) migrate(open(path), path);
        return target.prepare(sql);
      };
    },
  });
}

test.each([1, 2, 3, 4])('a file that another process migrates meanwhile (look %i) is not taken for a stranger’s', (look) => {
  const path = freshPath();
  expect(() => checkFile(migratedBefore(look, path), path)).not.toThrow();
});

test('two connections with an empty file migrate it once', () => {
  const path = freshPath();
  const [one, two] = [open(path), open(path)];
  checkFile(one, path);
  checkFile(two, path);
  migrate(one, path);
  migrate(two, path);
  expect([schemaVersionOf(one), schemaVersionOf(two)]).toEqual([schemaVersion, schemaVersion]);
});
