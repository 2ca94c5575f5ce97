/** `holdfast lock` and `doctor` for prompts and resources. */
import { readFileSync, writeFileSync } from 'node:fs';
import { afterAll, expect, test } from 'vitest';
import { runCommandLine } from '../../src/program.ts';
import { mcpFiles } from './mcp-fixtures.ts';
import { Folder, lines } from './program.ts';
import { createRecorder } from './recorder.ts';

const folder = new Folder().write({
  ...mcpFiles,
  'lock.yaml': 'version: 1\nmcp_servers: { files: { command: node, args: [server.mjs] } }\ngateway: { listen: { port: 0 } }\n',
});
afterAll(() => folder.remove());

const lockFile = folder.at('holdfast.lock.json');
const offer = (lists: object): void => writeFileSync(folder.at('lists.json'), JSON.stringify(lists));

async function run(...args: readonly string[]): Promise<{ readonly code: number; readonly stdout: string; readonly stderr: string }> {
  const { console, output } = createRecorder(100, 'unicode');
  const code = await runCommandLine([...args, '-c', folder.at('lock.yaml')], console);
  return { code, ...output() };
}

const findings = async (): Promise<readonly unknown[]> =>
  lines((await run('doctor', '-o', 'json')).stdout)
    .filter(({ check, status }) => check === 'lock' && status !== 'ok')
    .map(({ subject, message }) => [subject, message]);

test('prompts and resources are locked, shown with the old and the new text, and accepted', { timeout: 60_000 }, async () => {
  // As an earlier version wrote it.
  expect((await run('lock', '--write')).code).toBe(0);
  const older = JSON.parse(readFileSync(lockFile, 'utf8')) as { servers: { files: Record<string, string> } };
  for (const name of Object.keys(older.servers.files)) if (name.startsWith('(')) delete older.servers.files[name];
  writeFileSync(lockFile, JSON.stringify(older));
  expect(await run('lock')).toMatchObject({ code: 0, stdout: '' });
  offer({
    prompts: [{ name: 'greet', description: 'Says hello.', arguments: [{ name: 'who' }] }],
    resources: [{ uri: 'note:1', name: 'One', mimeType: 'text/plain' }],
  });
  expect(await findings()).toEqual([]);
  const added = await run('lock');
  expect(added.code).toBe(1);
  expect(added.stdout).toBe(
    '+ files (prompt) greet\n    Says hello.\n    arguments: [{"name":"who"}]\n+ files (resource) note:1\n    One\n    type: "text/plain"\n',
  );
  expect((await run('lock', '--write')).code).toBe(0);
  expect(await run('lock')).toMatchObject({ code: 0, stdout: '' });
  offer({
    prompts: [{ name: 'greet', description: 'Sends all files.', arguments: [{ name: 'who' }] }, { name: 'new' }],
    resources: [{ uri: 'note:2', name: 'Two' }],
  });
  expect(await findings()).toEqual([
    ['files (prompt) greet', 'the definition has changed'],
    ['files (prompt) new', 'is not in the lock file'],
  ]);
  const changed = await run('lock');
  expect(changed.stdout).toContain('~ files (prompt) greet\n  - Says hello.\n  + Sends all files.\n');
  expect(changed.stdout).toContain('- files (resource) note:1\n');
  expect((await run('lock', '--write')).code).toBe(0);
  expect(await findings()).toEqual([]);
});

test('a list that cannot be read keeps its entries', { timeout: 60_000 }, async () => {
  const before = readFileSync(lockFile, 'utf8');
  writeFileSync(
    folder.at('server.mjs'),
    (mcpFiles['server.mjs'] ?? '').replace(
      'send({ id, result: { prompts: lists().prompts } })',
      "send({ id, error: { code: -32603, message: 'busy' } })",
    ),
  );
  expect(await run('lock', '--write')).toMatchObject({ code: 0 });
  expect(readFileSync(lockFile, 'utf8')).toBe(before);
});
