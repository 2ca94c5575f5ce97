import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, test } from 'vitest';
import { storeContract } from '@holdfast/core/testing';
import type { SqliteStore } from '../src/index.ts';
import { createSqliteStore } from '../src/sqlite-store.ts';
import { settingsOf, type SqliteStoreOptions } from '../src/settings.ts';

const folder = mkdtempSync(join(tmpdir(), 'store-contract-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));
let files = 0;

const here = Number.POSITIVE_INFINITY;

for (const [durability, thread, threadAfterEvents] of [
  ['normal', 'the caller’s thread', here],
  ['fsync', 'the caller’s thread', here],
  ['normal', 'a thread of its own', 0],
] as const) {
  describe(`the store contract, durability ${durability}, on ${thread}`, () => {
    const open = (options: SqliteStoreOptions): SqliteStore => createSqliteStore({ ...settingsOf(options), threadAfterEvents });
    const contract = storeContract({
      open: () => open({ path: join(folder, `${String((files += 1))}.db`), durability }),
      reopen: (store) => open({ path: (store as SqliteStore).path, durability }),
      startedAtMs: Date.now(),
    });
    for (const { name, run } of contract) test(name, run);
  });
}
