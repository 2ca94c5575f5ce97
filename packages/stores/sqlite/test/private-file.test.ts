/** Who can read the files of a trace store and of a history. */
import { chmodSync, mkdtempSync, readdirSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { sqliteStore } from '@holdfast/store-sqlite';
import { sqliteHistory } from '@holdfast/store-sqlite/history';
import { expect, test } from 'vitest';

const modeOf = (path: string): string => (statSync(path).mode & 0o777).toString(8);

test('new files, and the files beside them, are readable by their owner only, in a folder of the same kind', async () => {
  const folder = join(mkdtempSync(join(tmpdir(), 'holdfast-private-')), 'data');
  const store = sqliteStore({ path: join(folder, 'trace.db') });
  const history = sqliteHistory({ path: join(folder, 'history.db'), retentionDays: 1 });
  await store.flush();
  const files = readdirSync(folder);
  expect(files).toEqual(expect.arrayContaining(['trace.db', 'trace.db-wal', 'history.db']));
  expect(files.map((file) => [file, modeOf(join(folder, file))])).toEqual(files.map((file) => [file, '600']));
  expect(modeOf(folder)).toBe('700');
  await store.close();
  history.close();
});

test('the permissions of an existing file are its own', async () => {
  const path = join(mkdtempSync(join(tmpdir(), 'holdfast-private-')), 'trace.db');
  writeFileSync(path, '');
  chmodSync(path, 0o640);
  const store = sqliteStore({ path });
  await store.flush();
  expect(modeOf(path)).toBe('640');
  await store.close();
});
