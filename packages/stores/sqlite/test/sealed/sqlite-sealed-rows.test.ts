import { mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, onTestFinished, test } from 'vitest';
import { sealedRowsContract } from '@holdfast/core/testing';
import { sqliteSealedRows } from '../../src/index.ts';
import { loadSqlite } from '../../src/load-sqlite.ts';

function freshFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'holdfast-sealed-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

describe('the contract of sealed rows', () => {
  const folder = mkdtempSync(join(tmpdir(), 'holdfast-sealed-'));
  const path = join(folder, 'nested', 'credentials.db');
  for (const { name, run } of sealedRowsContract({ open: () => sqliteSealedRows({ path }), wait: sleep })) test(name, run);
});

test('only the user can read the file, also one that was open to others', async () => {
  const path = join(freshFolder(), 'credentials.db');
  writeFileSync(path, '', { mode: 0o644 });
  const rows = sqliteSealedRows({ path });
  await rows.write('a', 'b');
  expect(statSync(path).mode & 0o777).toBe(0o600);
  await rows.close();
});

test('a lock of another program is waited for without blocking the event loop', async () => {
  const path = join(freshFolder(), 'credentials.db');
  const rows = sqliteSealedRows({ path });
  await rows.write('a', 'before');
  const other = new (loadSqlite().DatabaseSync)(path);
  other.exec('BEGIN EXCLUSIVE');
  let beats = 0;
  const beat = setInterval(() => (beats += 1), 10);
  const writing = rows.write('a', 'after');
  await sleep(300);
  other.exec('ROLLBACK');
  await writing;
  clearInterval(beat);
  expect(beats).toBeGreaterThan(5);
  expect((await rows.read('a'))?.sealed).toBe('after');
  other.close();
  await rows.close();
});

test('a file of another program is refused and not changed', async () => {
  const path = join(freshFolder(), 'other.db');
  const other = new (loadSqlite().DatabaseSync)(path);
  other.exec('CREATE TABLE t (x)');
  other.close();
  const before = readFileSync(path);
  const rows = sqliteSealedRows({ path });
  await expect(rows.read('a')).rejects.toThrow('is the database of another program');
  expect(readFileSync(path).equals(before)).toBe(true);
  await rows.close();
});

test('after the clock was set back, a lease does not last for hours', async () => {
  const path = join(freshFolder(), 'credentials.db');
  let now = 10_000_000;
  const rows = sqliteSealedRows({ path, now: () => now });
  expect(await rows.acquire('a', 'first', 30_000)).toBe(true);
  now = 1_000_000;
  expect(await rows.acquire('a', 'second', 30_000)).toBe(true);
  await rows.close();
});
