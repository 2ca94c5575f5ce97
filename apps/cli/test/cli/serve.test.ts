/** `holdfast serve` as a process: start, output, shutdown. */
import { spawn } from 'node:child_process';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { mcpFiles } from './mcp-fixtures.ts';
import { bin, follow, Folder, isAlive, lines, type Started } from './program.ts';

vi.setConfig({ testTimeout: 180_000, hookTimeout: 180_000 });

const env = { FIXTURE_TOKEN: 'fixture-secret-value' };
let folder: Folder;
beforeAll(() => {
  folder = new Folder().write({
    ...mcpFiles,
    'open.yaml': `${mcpFiles['holdfast.yaml'] ?? ''}gateway: { listen: { host: 0.0.0.0 } }\n`,
    'token.yaml': `${mcpFiles['holdfast.yaml'] ?? ''}gateway: { tokens: [{ name: alice, env: TOKEN_THAT_IS_NOT_SET }] }\n`,
    'lonely.yaml':
      "version: 1\nengine: { restate: { admin: 'http://127.0.0.1:9', timeout_ms: 500 } }\nstore: false\ntools: [{ id: a, effect: read, run: { http: { url: 'http://127.0.0.1:9' } } }]\n",
    'wrong.yaml': 'version: 1\nmcp_servers:\n  files: { command: node }\ngatway: {}\n',
  });
});
afterAll(() => folder.remove());

async function startGateway(...args: readonly string[]): Promise<Started & { readonly url: string }> {
  const started = folder.start(['serve', '--port', '0', '--store', 'none', ...args], { env });
  let printed = '';
  started.child.stderr?.on('data', (text: string) => (printed += text));
  await started.printed(/http:\/\/127\.0\.0\.1:\d+/);
  return { ...started, url: /http:\/\/127\.0\.0\.1:\d+/.exec(printed)?.[0] ?? '' };
}

const post = (url: string, body: unknown): Promise<Response> =>
  fetch(url, {
    method: 'POST',
    body: JSON.stringify(body),
    headers: { 'content-type': 'application/json', accept: 'application/json, text/event-stream' },
  });
const callTool = (url: string, toolName: string, args: object = {}): Promise<Response> =>
  post(`${url}/v1/calls`, { tool_id: toolName, arguments: args });

/** Waits until a call of the tool is running. */
async function waitForCall(url: string, tool: string): Promise<void> {
  const inFlight = async (): Promise<unknown> => {
    const response = await fetch(`${url}/v1/tools/${tool}`);
    return ((await response.json()) as { readonly health?: { readonly in_flight: number } }).health?.in_flight;
  };
  await expect.poll(inFlight, { timeout: 60_000, interval: 20 }).toBe(1);
}

/** Starts a gateway with MCP over stdio. */
function startStdioGateway(args: readonly string[] = []): {
  readonly request: (method: string, params: object) => Promise<Record<string, unknown>>;
  readonly output: readonly string[];
  readonly started: Started;
} {
  const child = spawn(process.execPath, [bin, 'serve', '--stdio', '--store', 'none', ...args], {
    cwd: folder.path,
    env: { ...process.env, ...env },
    stdio: ['pipe', 'pipe', 'pipe'],
  });
  const started = follow(child);
  const output: string[] = [];
  const waiting = new Map<unknown, (message: Record<string, unknown>) => void>();
  createInterface({ input: child.stdout }).on('line', (line) => {
    output.push(line);
    const message = JSON.parse(line) as Record<string, unknown>;
    waiting.get(message['id'])?.(message);
  });
  let last = 0;
  const request = (method: string, params: object): Promise<Record<string, unknown>> => {
    const id = ++last;
    child.stdin.write(`${JSON.stringify({ jsonrpc: '2.0', id, method, params })}\n`);
    return new Promise((resolve) => waiting.set(id, resolve));
  };
  return { request, output, started };
}

const initialize = { protocolVersion: '2025-11-25', capabilities: {}, clientInfo: { name: 'tester', version: '1' } };

describe('over HTTP', () => {
  test('prints its address, serves calls, logs each call as JSON, and shuts down cleanly', async () => {
    const { child, ended, url } = await startGateway();
    const echoed = await callTool(url, 'files__echo', { message: 'hello' });
    expect(await echoed.json()).toMatchObject({ status: 'success', output: 'hello' });
    const pid = Number(((await (await callTool(url, 'files__pid')).json()) as { readonly output: unknown }).output);
    expect(isAlive(pid)).toBe(true);
    child.kill('SIGTERM');
    const { code, stdout, stderr } = await ended;
    expect({ code, stdout }).toEqual({ code: 0, stdout: '' });
    expect(isAlive(pid)).toBe(false);
    const log = lines(stderr);
    expect(log[0]).toMatchObject({
      level: 'info',
      event: 'ready',
      url,
      mcp: `${url}/mcp`,
      dashboard: `${url}/`,
      stdio: false,
      tokens: [],
    });
    expect(stderr).not.toContain('#token=');
    expect(log.filter(({ event }) => event === 'call')).toMatchObject([
      { tool_id: 'files__echo', status: 'success', outcome: 'success', attempts: 1, circuit: 'closed' },
      { tool_id: 'files__pid' },
    ]);
    expect(log.at(-1)).toMatchObject({ event: 'gateway', message: expect.stringContaining('SIGTERM') as string });
  });

  test('as text, prints how to connect and one line per call', async () => {
    const { child, ended, url } = await startGateway('--log', 'text');
    await callTool(url, 'chatty');
    child.kill('SIGINT');
    const { code, stderr } = await ended;
    expect(code).toBe(0);
    expect(stderr).toContain(`holdfast: listening on ${url}, in front of 1 MCP server`);
    expect(stderr).toContain(`  MCP        ${url}/mcp`);
    expect(stderr).toContain(`  dashboard  ${url}/\n`);
    expect(stderr).toMatch(/^\d\d:\d\d:\d\d\.\d{3} {2}success {4}chatty {2}/m);
    expect(stderr).toContain('stray line');
  });

  test('lets a running call finish, unless the signal comes twice', async () => {
    const first = await startGateway();
    const late = callTool(first.url, 'files__slow');
    await waitForCall(first.url, 'files__slow');
    first.child.kill('SIGTERM');
    expect(await (await late).json()).toMatchObject({ status: 'success', output: 'late' });
    expect((await first.ended).code).toBe(0);
    const second = await startGateway();
    const lost = callTool(second.url, 'files__slow').catch(() => 'lost');
    await waitForCall(second.url, 'files__slow');
    second.child.kill('SIGTERM');
    await second.printed('SIGTERM');
    second.child.kill('SIGTERM');
    expect((await second.ended).code).toBe(143);
    expect(await lost).toBe('lost');
  });
});

describe('over stdio', () => {
  test('writes only the protocol to standard output, and ends when its input closes', async () => {
    const { request, output, started } = startStdioGateway();
    expect(await request('initialize', initialize)).toMatchObject({ result: { protocolVersion: '2025-11-25' } });
    const { result } = await request('tools/list', {});
    const names = (result as { readonly tools: readonly { readonly name: string }[] }).tools.map(({ name }) => name);
    expect(names.toSorted()).toEqual(['chatty', 'files__echo', 'files__environment', 'files__pid', 'files__slow']);
    expect(await request('tools/call', { name: 'chatty', arguments: {} })).toMatchObject({ result: { content: [{ text: 'done' }] } });
    const token = await request('tools/call', { name: 'files__environment', arguments: { name: 'API_TOKEN' } });
    expect(token).toMatchObject({ result: { content: [{ type: 'text' }] } });
    started.child.stdin?.end();
    const { code, stderr } = await started.ended;
    expect(code).toBe(0);
    expect(output.every((line) => line.startsWith('{"') && line.includes('jsonrpc') && !line.includes('stray'))).toBe(true);
    expect(output.filter((line) => line.includes('"id":'))).toHaveLength(4);
    expect(stderr).toContain('stray line');
  });

  test('is not blocked by a host that never reads standard error', async () => {
    const { request, started } = startStdioGateway();
    started.child.stderr?.pause();
    await request('initialize', initialize);
    const big = 'x'.repeat(250);
    for (let round = 0; round < 20; round++)
      await Promise.all(Array.from({ length: 50 }, () => request('tools/call', { name: 'files__echo', arguments: { message: big } })));
    const exit = once(started.child, 'exit');
    started.child.stdin?.end();
    expect((await exit)[0]).toBe(0);
  });
});

describe.concurrent('a startup problem is one sentence', () => {
  test.each([
    ['serve', '-c', 'wrong.yaml'],
    ['serve', 'wrong.yaml'],
    ['worker', 'wrong.yaml'],
  ])('an error in the manifest, with line and column: %s %s %s', async (...args) => {
    const { code, stderr } = await folder.run(args);
    expect(code).toBe(2);
    expect(stderr).toMatch(/^wrong\.yaml:4:1: error: /m);
    expect(stderr).toContain('did you mean gateway');
  });

  test.each([
    ['a public address without a token', ['-c', 'open.yaml', '--port', '0'], /token/],
    ['a token without a value', ['-c', 'token.yaml', '--port', '0'], /TOKEN_THAT_IS_NOT_SET/],
    ['a manifest that is given twice', ['open.yaml', '-c', 'token.yaml'], /two manifests: open\.yaml and --config token\.yaml/],
    ['an invalid port', ['--port', '70000'], /0 to 65535/],
    ['--port with --stdio', ['--stdio', '--port', '1'], /--stdio does not listen on a port/],
    ['an unknown log format', ['--log', 'xml'], /json, text, off/],
  ])('%s', async (_name, args, message) => {
    const { code, stdout, stderr } = await folder.run(['serve', '--store', 'none', ...args], { env });
    expect({ code, stdout }).toEqual({ code: 2, stdout: '' });
    expect(stderr).toMatch(message);
    expect(stderr).not.toMatch(/^\s+at /m);
  });

  test.each([
    ['an engine that does not respond', false, /engine\.restate\.admin/],
    ['a port in use', true, /in use/],
  ])('a worker with %s', async (_name, isTaken, message) => {
    const server = createServer().listen(0, '127.0.0.1');
    await once(server, 'listening');
    const port = isTaken ? String((server.address() as AddressInfo).port) : '0';
    const { code, stderr } = await folder.run(['worker', 'lonely.yaml', '--port', port]);
    server.close();
    expect(code, stderr).toBe(2);
    expect(stderr).toMatch(message);
    expect(stderr).not.toMatch(/^\s+at /m);
  });

  test('a weak operator token', async () => {
    const weak = { ...env, HOLDFAST_OPERATOR_TOKEN: 'admin' };
    const { code, stderr } = await folder.run(['serve', '--store', 'none', '--port', '0'], { env: weak });
    expect(code).toBe(2);
    expect(stderr).toMatch(/HOLDFAST_OPERATOR_TOKEN is invalid: .*at least 16/);
    expect(stderr).not.toContain('admin');
  });

  test('a port in use', async () => {
    const other = createServer().listen(0, '127.0.0.1');
    await once(other, 'listening');
    const { port } = other.address() as AddressInfo;
    const { code, stderr } = await folder.run(['serve', '--store', 'none', '--port', String(port)], { env });
    other.close();
    expect(code).toBe(2);
    expect(stderr).toContain(String(port));
  });
});
