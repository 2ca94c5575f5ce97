import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, test } from 'vitest';
import { storeContract } from '@holdfast/core/testing';
import { sqliteStore, type SqliteStore } from '../src/index.ts';

const folder = mkdtempSync(join(tmpdir(), 'store-contract-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));
let files = 0;

for (const durability of ['normal', 'fsync'] as const) {
  describe(`the store contract, durability ${durability}`, () => {
    const contract = storeContract({
      open: () => sqliteStore({ path: join(folder, `${String((files += 1))}.db`), durability }),
      reopen: (store) => sqliteStore({ path: (store as SqliteStore).path, durability }),
      startedAtMs: Date.now(),
    });
    for (const { name, run } of contract) test(name, run);
  });
}
