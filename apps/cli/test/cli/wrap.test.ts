/** For people without code: one server behind a gateway, the servers of a host's configuration, and their tools. */
import { spawn } from 'node:child_process';
import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { createInterface } from 'node:readline';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { mcpFiles } from './mcp-fixtures.ts';
import { runCommandLine } from '../../src/program.ts';
import { bin, Folder } from './program.ts';
import { createRecorder } from './recorder.ts';

vi.setConfig({ testTimeout: 120_000, hookTimeout: 120_000 });

let folder: Folder;
beforeAll(() => {
  folder = new Folder().write({
    ...mcpFiles,
    'host.json': JSON.stringify({
      mcpServers: {
        files: { command: 'node', args: ['server.mjs'], env: { API_TOKEN: 'a-secret-of-the-host' } },
        gateway: { command: 'npx', args: ['-y', 'holdfast', 'serve', '--stdio'] },
      },
    }),
    'servers.yaml': `version: 1\nmcp_servers:\n  files: { command: node, args: [server.mjs] }\n  gone: { command: /no/such/program }\n`,
  });
});
afterAll(() => folder.remove());

type Json = Readonly<Record<string, unknown>>;

/** Runs the gateway over stdio, sends requests one after the other, and returns their results. */
async function converse(words: readonly string[], requests: readonly (readonly [string, Json])[]): Promise<readonly Json[]> {
  const child = spawn(process.execPath, [bin, ...words], {
    cwd: folder.path,
    env: { ...process.env, HOLDFAST_HOME: folder.at('home'), FROM_HOST: 'seen' },
    stdio: ['pipe', 'pipe', 'ignore'],
  });
  const answers: Json[] = [];
  const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
  const clientInfo = { name: 'test', version: '1' };
  const all = [['initialize', { protocolVersion: '2025-11-25', capabilities: {}, clientInfo }] as const, ...requests];
  for (const [id, [method, params]] of all.entries()) {
    child.stdin.write(`${JSON.stringify({ jsonrpc: '2.0', id, method, params })}\n`);
    if (id === 0) child.stdin.write('{"jsonrpc":"2.0","method":"notifications/initialized"}\n');
    for (let answered = false; !answered;) {
      const { value, done } = await lines.next();
      if (done === true) throw new Error('the gateway has ended');
      const message = JSON.parse(String(value)) as Json;
      answered = message['id'] === id;
      if (answered) answers.push((message['result'] ?? message['error']) as Json);
    }
  }
  child.stdin.end();
  await new Promise((resolve) => child.once('close', resolve));
  return answers.slice(1);
}

const names = (result: Json | undefined): readonly unknown[] => ((result?.['tools'] ?? []) as readonly Json[]).map(({ name }) => name);
const call = (name: string, args: Json): readonly [string, Json] => ['tools/call', { name, arguments: args }];

describe('wrap', () => {
  test.each([
    ['with --', ['wrap', '--', 'node', 'server.mjs']],
    ['without', ['wrap', '--name', 'mine', 'node', 'server.mjs']],
  ])('serves the tools under their own names, with the environment of the host, %s', async (_how, words) => {
    const [list, echoed, variable] = await converse(words, [
      ['tools/list', {}],
      call('echo', { message: 'hello' }),
      call('environment', { name: 'FROM_HOST' }),
    ]);
    expect(names(list)).toEqual(['echo', 'environment', 'pid', 'slow']);
    expect(echoed).toMatchObject({ content: [{ text: 'hello' }] });
    expect(variable).toMatchObject({ content: [{ text: 'seen' }] });
  });

  test('shows the whole path of its manifest: the terminal of the user is in another folder', async () => {
    const { stderr } = await folder.run(['wrap', 'node', 'server.mjs'], { env: { HOLDFAST_HOME: folder.at('my home') } });
    expect(stderr).toContain(`turns --config '${folder.at('my home')}/server-`);
  });

  test('keeps its trace, so that other commands tell what happened', async () => {
    await converse(['wrap', '--name', 'traced', '--', 'node', 'server.mjs'], [call('echo', { message: 'hello' })]);
    const [own = ''] = readdirSync(folder.at('home')).filter((entry) => entry.startsWith('traced-'));
    const config = folder.at('home', own, 'holdfast.json');
    expect(JSON.parse(readFileSync(config, 'utf8'))).toMatchObject({ profile: 'adaptive' });
    const { code, stdout } = await folder.run(['turns', '--config', config, '-o', 'json']);
    expect(code).toBe(0);
    expect(stdout).toContain('completed');
  });

  test.each([
    ['before the address', (address: string) => ['--name', 'before', '--header', 'x-key: key ${FROM_HOST}', address]],
    ['after the address', (address: string) => [address, '--header', 'x-key: key ${FROM_HOST}', '--name', 'after']],
  ])('sends headers to an address, with values from the environment (options %s)', async (where, args) => {
    const seen: unknown[] = [];
    const answers: Readonly<Record<string, Json>> = {
      initialize: { protocolVersion: '2025-11-25', capabilities: { tools: {} }, serverInfo: { name: 'http', version: '1' } },
      'tools/list': { tools: [{ name: 'remote', inputSchema: { type: 'object' } }] },
    };
    const answer = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
      const { id, method } = JSON.parse((await request.toArray()).join('') || '{}') as { readonly id?: number; readonly method?: string };
      seen.push(request.headers['x-key']);
      const result = answers[method ?? ''];
      const body = result ? { result } : { error: { code: -32601, message: 'Method not found' } };
      response.writeHead(id === undefined ? 202 : 200, { 'content-type': 'application/json' });
      response.end(id === undefined ? '' : JSON.stringify({ jsonrpc: '2.0', id, ...body }));
    };
    const server = createServer((request, response) => void answer(request, response));
    await new Promise<void>((resolve) => void server.listen(0, '127.0.0.1', resolve));
    const address = `http://127.0.0.1:${(server.address() as AddressInfo).port}/mcp`;
    const [list] = await converse(['wrap', ...args(address)], [['tools/list', {}]]);
    server.closeAllConnections();
    server.close();
    expect(names(list)).toEqual(['remote']);
    expect(new Set(seen)).toEqual(new Set(['key seen']));
    const [own = ''] = readdirSync(folder.at('home')).filter((entry) => entry.startsWith(`${where.split(' ')[0]}-`));
    expect(readFileSync(folder.at('home', own, 'holdfast.json'), 'utf8')).not.toContain('seen');
  });

  test.each([
    [['--auth', 'oauth', '--', 'node', 'server.mjs'], '--auth and --header are for an address.'],
    [['--header', 'x-key: secret', 'https://mcp.example/mcp'], 'Name the variable that has the value'],
    [['--auth', 'basic', 'https://mcp.example/mcp'], 'Allowed choices are oauth.'],
  ])('refuses %j', async (words, message) => {
    const { console, output } = createRecorder(100, 'unicode');
    expect(await runCommandLine(['wrap', ...words], console)).toBe(2);
    expect(output().stderr).toContain(message);
  });

  test('takes no manifest', async () => {
    const { code, stderr } = await folder.run(['wrap', '--config', 'holdfast.yaml', '--', 'node', 'server.mjs']);
    expect({ code, stderr }).toMatchObject({ code: 2, stderr: expect.stringContaining('wrap takes no manifest') as unknown });
  });
});

describe("a host's configuration", () => {
  test('is served as it is, and its secrets are readable by the user only', async () => {
    const [list, token] = await converse(
      ['serve', '--stdio', '--mcp-config', 'host.json'],
      [['tools/list', {}], call('files__environment', { name: 'API_TOKEN' })],
    );
    expect(names(list)).toContain('files__echo');
    expect(token).toMatchObject({ content: [{ text: 'a-secret-of-the-host' }] });
    const [own = ''] = readdirSync(folder.at('home')).filter((entry) => entry.startsWith('host.json-'));
    expect(statSync(folder.at('home', own, 'holdfast.json')).mode & 0o077).toBe(0);
  });

  test('names that would become one prefix get prefixes of their own', async () => {
    folder.write({ 'alike.json': JSON.stringify({ mcpServers: { 'my files': { command: 'x' }, 'my.files': { command: 'y' } } }) });
    expect((await folder.run(['import', 'alike.json', '--output', 'alike.yaml'])).code).toBe(0);
    expect(readFileSync(folder.at('alike.yaml'), 'utf8')).toContain('prefix: "my_files_2"');
    expect((await folder.run(['check', '--config', 'alike.yaml'])).code).toBe(0);
  });

  test('names the variables whose values the host has', async () => {
    const servers = { crm: { url: 'https://crm.example/mcp', headers: { Authorization: 'Bearer ${input:crm_token}' } } };
    folder.write({ 'inputs.json': JSON.stringify({ servers }) });
    const { stderr } = await folder.run(['import', 'inputs.json', '--output', 'inputs.yaml']);
    expect(stderr).toContain("set crm_token in the environment: the header Authorization of server 'crm' uses it");
  });

  test('is imported without its secrets', async () => {
    const { code, stderr } = await folder.run(['import', 'host.json', '--output', 'imported.yaml']);
    expect({ code, stderr }).toMatchObject({ code: 0 });
    const text = readFileSync(folder.at('imported.yaml'), 'utf8');
    expect(text).not.toContain('a-secret-of-the-host');
    expect(stderr).toContain('set API_TOKEN in the environment');
    expect(stderr).toContain("server 'gateway' is left out: it is this gateway");
    expect((await folder.run(['check', '--config', 'imported.yaml'], { env: { API_TOKEN: 'x' } })).code).toBe(0);
    const again = await folder.run(['import', 'host.json', '--output', 'imported.yaml']);
    expect({ code: again.code, stderr: again.stderr }).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('exists already') as unknown,
    });
    expect((await folder.run(['import', 'host.json', '--output', '-'])).stdout).toBe(text);
  });
});

test('tools says which tools the lock file blocks, and does not change it', async () => {
  const own = new Folder().write({
    ...mcpFiles,
    'holdfast.yaml': 'version: 1\nmcp_servers:\n  files: { command: node, args: [server.mjs] }\ngateway: { tool_lock: block }\n',
  });
  try {
    await own.run(['lock', '--write']);
    const lock = JSON.parse(readFileSync(own.at('holdfast.lock.json'), 'utf8')) as { readonly servers: { readonly files: Json } };
    const changed = JSON.stringify({ version: 1, servers: { files: { ...lock.servers.files, echo: `sha256-${'0'.repeat(64)}` } } });
    own.write({ 'holdfast.lock.json': changed });
    const { code, stdout, stderr } = await own.run(['tools', '-o', 'json']);
    expect(code).toBe(0);
    expect(stdout).toContain('files__pid');
    expect(stdout).not.toContain('files__echo');
    expect(stderr).toContain(
      "The definition of tool 'echo' of server 'files' differs from the one in holdfast.lock.json: it is not offered.",
    );
    expect(readFileSync(own.at('holdfast.lock.json'), 'utf8').trim()).toBe(changed);
    own.write({ 'holdfast.lock.json': '{' });
    expect(await own.run(['tools'])).toMatchObject({ code: 2, stderr: expect.stringContaining('cannot be read') as unknown });
  } finally {
    own.remove();
  }
});

test('serve with a command names wrap', async () => {
  const { code, stderr } = await folder.run(['serve', '--', 'npx', '-y', 'some-server']);
  expect({ code, stderr }).toMatchObject({ code: 2, stderr: expect.stringContaining('holdfast wrap -- npx -y some-server') as unknown });
});

test('tools lists what the servers offer, says which one is down, and writes nothing', async () => {
  const { code, stdout, stderr } = await folder.run(['tools', '--config', 'servers.yaml', '-o', 'json']);
  expect(code).toBe(0);
  const listed = stdout
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line) as Json);
  expect(listed.map((tool) => tool['tool_id'])).toContain('files__echo');
  expect(listed.find((tool) => tool['tool_id'] === 'files__echo')).toMatchObject({
    runs_as: 'mcp',
    effect: 'read',
    circuit_breaker_state: 'closed',
  });
  expect(stderr).toContain("server 'gone' is down: the program '/no/such/program' was not found (ENOENT)\n");
  expect(stderr).toMatch(/what to do: \S*holdfast doctor/);
  expect(existsSync(folder.at('.holdfast'))).toBe(false);
  expect(existsSync(folder.at('holdfast.lock.json'))).toBe(false);
});
