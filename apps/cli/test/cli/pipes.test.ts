import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { files } from './fixtures.ts';
import { Folder, lines } from './program.ts';

vi.setConfig({ testTimeout: 180_000, hookTimeout: 180_000 });

let folder: Folder;
beforeAll(() => {
  folder = new Folder().write(files);
});
afterAll(() => folder.remove());

test('a closed pipe does not stop the turn', async () => {
  const { child, ended } = folder.start(['run', 'ok.json', '-o', 'json', '--turn-id', 'unread']);
  child.stdout?.once('data', () => child.stdout?.destroy());
  const { code, stderr } = await ended;
  expect(code).toBe(0);
  expect(stderr).toBe('');
  const { stdout } = await folder.run(['turns', '-o', 'json']);
  expect(lines(stdout)).toMatchObject([{ turn_id: 'unread', outcome: 'success' }]);
});

test('a turn runs with standard output and standard error closed', async () => {
  const { child, ended } = folder.start(['run', 'bad.json', '--store', 'none']);
  child.stdout?.destroy();
  child.stderr?.destroy();
  expect((await ended).code).toBe(1);
});
