/** What commands leave alone: no trace without a store, no tool and no key in a diagnosis. */
import { existsSync, readFileSync } from 'node:fs';
import { createServer, type IncomingHttpHeaders } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, expect, test } from 'vitest';
import { runCommandLine } from '../../src/program.ts';
import { files } from './fixtures.ts';
import { mcpFiles } from './mcp-fixtures.ts';
import { Folder } from './program.ts';
import { createRecorder } from './recorder.ts';

let folder: Folder;
afterEach(() => folder.remove());

async function run(...words: readonly string[]): Promise<{ readonly code: number; readonly stdout: string; readonly stderr: string }> {
  const { console, output } = createRecorder(100);
  const code = await runCommandLine([...words, '--config', folder.at('holdfast.yaml')], console);
  return { code, ...output() };
}

test('run with --store none keeps no trace', async () => {
  folder = new Folder().write(files);
  const { code, stderr } = await run('run', folder.at('ok.json'), '--store', 'none');
  expect([code, existsSync(folder.at('.holdfast'))]).toEqual([0, false]);
  expect(stderr).toContain('not stored');
  expect((await run('run', folder.at('ok.json'))).code).toBe(0);
  expect(existsSync(folder.at('.holdfast', 'trace.db'))).toBe(true);
});

test('an optional call that fails leaves the exit code at 0', async () => {
  const calls = [
    { call_id: 'greet', tool_id: 'greet' },
    { call_id: 'extra', tool_id: 'refuse', optional: true },
  ];
  folder = new Folder().write({ ...files, 'optional.json': JSON.stringify({ calls }) });
  const { code, stdout } = await run('run', folder.at('optional.json'), '--store', 'none');
  expect(JSON.parse(stdout)).toMatchObject({ outcome: 'success', results: [{ status: 'success' }, { status: 'error' }] });
  expect(code).toBe(0);
});

test('doctor calls no tool and sends no key', async () => {
  const key = 'sk-model-key-0123456789abcdef';
  const asked: { readonly method: string | undefined; readonly headers: IncomingHttpHeaders }[] = [];
  const provider = createServer(({ method, headers }, response) => {
    asked.push({ method, headers });
    response.end();
  });
  await new Promise<void>((resolve) => void provider.listen(0, '127.0.0.1', resolve));
  const { port } = provider.address() as AddressInfo;
  const called = "import { appendFileSync as append } from 'node:fs';\n";
  folder = new Folder();
  folder.write({
    'server.mjs': `${called}${mcpFiles['server.mjs'] ?? ''}`.replace(
      'const { id, method, params } = JSON.parse(line);',
      String.raw`const { id, method, params } = JSON.parse(line); append(new URL('asked', import.meta.url), method + '\n');`,
    ),
    'tools.json': mcpFiles['tools.json'] ?? '',
    'tool.mjs': `${called}export default () => append(new URL('called', import.meta.url), 'x');`,
    'holdfast.yaml': `
mcp_servers: { files: { command: node, args: [${folder.at('server.mjs')}] } }
tools: [{ id: own, run: { module: ./tool.mjs } }]
gateway:
  listen: { port: 0 }
  models: { openai: { base_url: 'http://127.0.0.1:${port}/v1', api_key: { env: HOLDFAST_TEST_KEY } } }
`,
  });
  process.env['HOLDFAST_TEST_KEY'] = key;
  const { code, stdout } = await run('doctor', '--store', 'none', '--output', 'json');
  delete process.env['HOLDFAST_TEST_KEY'];
  provider.close();
  expect([code, stdout.includes(key)]).toEqual([0, false]);
  expect(asked).toMatchObject([{ method: 'HEAD' }]);
  expect(JSON.stringify(asked)).not.toContain(key);
  const methods = readFileSync(folder.at('asked'), 'utf8').trim().split('\n');
  expect(methods).toContain('tools/list');
  expect([methods.includes('tools/call'), existsSync(folder.at('called'))]).toEqual([false, false]);
});
