import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { onTestFinished } from 'vitest';
import { sqliteStore, type SqliteStore, type SqliteStoreOptions } from '../../src/index.ts';

/** A folder of its own for one test, gone afterwards. */
export function freshFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'store-sqlite-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

export function freshPath(): string {
  return join(freshFolder(), 'trace.db');
}

/** A store that is closed when the test is over. */
export function storeAt(path: string, options: Partial<SqliteStoreOptions> = {}): SqliteStore {
  const store = sqliteStore({ path, ...options });
  onTestFinished(() => store.close());
  return store;
}

/** Waits until `holds`, turning the event loop; fails after `limitMs`. */
export async function until(holds: () => boolean, limitMs = 15_000): Promise<void> {
  const end = performance.now() + limitMs;
  while (!holds()) {
    if (performance.now() > end) throw new Error(`not within ${String(limitMs)} ms: ${holds.toString()}`);
    await new Promise((resolve) => setTimeout(resolve, 5));
  }
}
