/** Large files are read and written in parts, and the result is the same. */
import { mkdtemp, readdir, readFile, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { beforeAll, expect, test } from 'vitest';
import { fileState, readText, replaceFile } from '../../src/plain/large-files.ts';

let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'holdfast-files-'));
});

test('a text of several slices is written and read, also where a character is on the edge', async () => {
  const path = join(folder, 'deep/text');
  const parts = Array.from({ length: 90_000 }, (_, n) => `é${n % 10}🛫`);
  await replaceFile(path, parts);
  expect(await readText(path)).toBe(parts.join(''));
  expect((await stat(path)).mode & 0o777).toBe(0o600);
});

test('the state that is returned is that of the file, and differs after each change', async () => {
  const path = join(folder, 'state');
  expect(await fileState(path)).toBe('');
  const first = await replaceFile(path, ['one']);
  expect(await fileState(path)).toBe(first);
  const second = await replaceFile(path, ['two']);
  expect(second).not.toBe(first);
  await writeFile(path, 'three');
  expect(await fileState(path)).not.toBe(second);
});

test('a failure leaves the old file, and no other', async () => {
  const path = join(folder, 'kept/file');
  await replaceFile(path, ['old']);
  const failing = async function* (): AsyncGenerator<string> {
    yield 'new';
    throw new Error('no more');
  };
  await expect(replaceFile(path, failing())).rejects.toThrow('no more');
  expect(await readFile(path, 'utf8')).toBe('old');
  expect(await readdir(join(folder, 'kept'))).toEqual(['file']);
});
