import { chmodSync, statSync, writeFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { sqliteHistory } from '../src/history/index.ts';
import { freshPath, storeAt } from './support/paths.ts';
import { turnEvents } from './support/turns.ts';

const modeOf = (path: string): string => (statSync(path).mode & 0o777).toString(8);

test('only the owner can read what a store writes, whatever the umask allows', async () => {
  const before = process.umask(0o022);
  try {
    const path = freshPath();
    const store = storeAt(path);
    store.append(turnEvents('one', Date.now()));
    await store.flush();
    expect([path, `${path}-wal`, `${path}-shm`].map(modeOf)).toEqual(['600', '600', '600']);
    const history = sqliteHistory({ path: `${path}.history` });
    expect(modeOf(`${path}.history`)).toBe('600');
    history.close();
  } finally {
    process.umask(before);
  }
});

test('an existing file keeps its mode', () => {
  const path = freshPath();
  writeFileSync(path, '');
  chmodSync(path, 0o640);
  storeAt(path);
  expect(modeOf(path)).toBe('640');
});
