import { mkdtempSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { createPrivateFile } from '../../src/plain/create-private-file.ts';

test('the first of two texts stays, for its owner only, and no draft is left', () => {
  const folder = join(mkdtempSync(join(tmpdir(), 'holdfast-private-')), 'new');
  const path = join(folder, 'some.key');
  createPrivateFile(path, 'first');
  createPrivateFile(path, 'second');
  expect(readFileSync(path, 'utf8')).toBe('first');
  expect(statSync(path).mode & 0o777).toBe(0o600);
  expect(statSync(folder).mode & 0o777).toBe(0o700);
  expect(readdirSync(folder)).toEqual(['some.key']);
});
