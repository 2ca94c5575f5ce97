import { mkdtempSync, readFileSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterEach, beforeAll, describe, expect, it } from 'vitest';
import { type McpServer, type McpServerOptions, mcpServer } from '../../src/index.ts';
import { attempt, rejection } from '../support/attempt.ts';
import { childrenNamed, expectNoChildren, isAlive, until } from '../support/processes.ts';

const packageFolder = (name: string): string => dirname(createRequire(import.meta.url).resolve(`${name}/package.json`));
const everything = join(packageFolder('@modelcontextprotocol/server-everything'), 'dist/index.js');
const filesystem = join(packageFolder('@modelcontextprotocol/server-filesystem'), 'dist/index.js');
const open: McpServer[] = [];
const startLimitMs = 60_000;

function server(args: readonly string[], options: Partial<McpServerOptions> = {}): McpServer {
  const made = mcpServer({ command: process.execPath, args, startupTimeoutMs: startLimitMs, ...options });
  open.push(made);
  return made;
}
const call = (from: McpServer, name: string, args: unknown = {}): Promise<unknown> =>
  Promise.resolve(from.tool(name)(args, attempt().context));

afterEach(async () => {
  await Promise.all(open.splice(0).map((each) => each.close()));
  expectNoChildren('server-');
}, startLimitMs);

describe('server-everything over stdio', { timeout: startLimitMs }, () => {
  it('answers with text, structured content, or content', async () => {
    const from = server([everything, 'stdio']);
    expect(from.status()).toEqual({ state: 'idle', restarts: 0, failures: 0 });
    expect(await call(from, 'echo', { message: 'hi' })).toBe('Echo: hi');
    expect(await call(from, 'get-structured-content', { location: 'Chicago' })).toMatchObject({
      temperature: expect.any(Number) as number,
    });
    expect(await call(from, 'get-tiny-image')).toEqual(
      expect.arrayContaining([expect.objectContaining({ type: 'image', mimeType: 'image/png' })]),
    );
    expect(from.status()).toMatchObject({ state: 'up', restarts: 0, serverName: expect.stringContaining('everything') as string });
  });

  it('has the error of a tool', async () => {
    const from = server([everything, 'stdio']);
    const unknown = await rejection(call(from, 'nope'));
    expect(unknown).toMatchObject({ code: 'MCP_TOOL_ERROR', mcpCode: -32_602, message: 'MCP error -32602: Tool nope not found' });
    const invalid = await rejection(call(from, 'get-sum', { a: 'x' }));
    expect(invalid).toMatchObject({
      code: 'MCP_TOOL_ERROR',
      mcpCode: -32_602,
      message: expect.stringContaining('Input validation error') as string,
    });
  });

  it('gets only the environment variables on the list', async () => {
    process.env['HOLDFAST_TEST_SECRET'] = 's3cret';
    const seen = (await call(server([everything, 'stdio'], { env: { EXTRA: '1' } }), 'get-env')) as Record<string, string>;
    delete process.env['HOLDFAST_TEST_SECRET'];
    expect(seen).toMatchObject({ EXTRA: '1', PATH: process.env['PATH'] });
    expect(seen).not.toHaveProperty('HOLDFAST_TEST_SECRET');
  });

  it('reports progress, and serves concurrent calls from one process', async () => {
    const from = server([everything, 'stdio']);
    const { context, progress } = attempt();
    const slow = from.tool('trigger-long-running-operation')({ duration: 1, steps: 2 }, context);
    const quick = await Promise.all([1, 2, 3].map((n) => call(from, 'get-sum', { a: n, b: 1 })));
    expect(quick).toEqual([2, 3, 4].map((sum) => expect.stringContaining(String(sum)) as string));
    expect(await slow).toContain('completed');
    expect(progress).toEqual([
      { progress: 1, total: 2 },
      { progress: 2, total: 2 },
    ]);
    expect(childrenNamed('server-everything').length).toBe(1);
  });

  it('lists its tools with the effects of their annotations', async () => {
    const tools = await server([everything, 'stdio']).listTools();
    expect(tools.length).toBeGreaterThanOrEqual(13);
    expect(tools.find(({ name }) => name === 'echo')).toMatchObject({ effect: 'read', inputSchema: { type: 'object' } });
  });

  it('loses the call when it is killed, at once and with a reason, and is started again for the next', async () => {
    const from = server([everything, 'stdio']);
    await from.connect();
    const { pid = 0 } = from.status();
    const made = attempt();
    const lost = from.tool('trigger-long-running-operation')({ duration: 60, steps: 60 }, made.context) as Promise<unknown>;
    lost.catch(() => {});
    await until('the call is under way', () => made.progress.length > 0);
    process.kill(pid, 'SIGKILL');
    const error = await rejection(lost);
    expect(error).toMatchObject({ code: 'MCP_CALL_LOST', message: expect.stringContaining('ended by SIGKILL') as string });
    expect(await call(from, 'echo', { message: 'again' })).toBe('Echo: again');
    expect(from.status()).toMatchObject({ state: 'up', restarts: 1, failures: 0 });
    expect(from.status().pid).not.toBe(pid);
  });

  it('is killed when it hangs after an aborted call, and started again for the next', async () => {
    const from = server([everything, 'stdio'], { healthTimeoutMs: 300 });
    await from.connect();
    const { pid = 0 } = from.status();
    process.kill(pid, 'SIGSTOP');
    const made = attempt();
    const hung = from.tool('echo')({ message: 'x' }, made.context);
    setTimeout(() => made.abort(new Error('time is up')), 100);
    expect(await rejection(hung)).toMatchObject({ message: 'time is up' });
    expect(isAlive(pid)).toBe(false);
    expect(await call(from, 'echo', { message: 'again' })).toBe('Echo: again');
  });

  it('is kept if it answers after an aborted call', async () => {
    const from = server([everything, 'stdio'], { healthTimeoutMs: 20_000 });
    await from.connect();
    const { pid } = from.status();
    const made = attempt();
    const aborted = from.tool('trigger-long-running-operation')({ duration: 20, steps: 200 }, made.context);
    await until('the call is under way', () => made.progress.length > 0);
    made.abort(new Error('time is up'));
    expect(await rejection(aborted)).toMatchObject({ message: 'time is up' });
    expect(await call(from, 'echo', { message: 'same' })).toBe('Echo: same');
    expect(from.status()).toMatchObject({ pid, restarts: 0 });
  });
});

describe('server-filesystem over stdio', { timeout: startLimitMs }, () => {
  let folder: string;
  beforeAll(() => {
    folder = mkdtempSync(join(tmpdir(), 'holdfast-files-'));
    writeFileSync(join(folder, 'small.txt'), 'small');
    writeFileSync(join(folder, 'large.txt'), '0123456789abcde\n'.repeat(12 * 65_536));
  });

  it('reads a file of 12 MB, writes, and refuses paths outside', async () => {
    const from = server([filesystem, folder]);
    const large = (await call(from, 'read_text_file', { path: join(folder, 'large.txt') })) as { readonly content: string };
    expect(large.content.length).toBe(12 * 1024 * 1024);
    await call(from, 'write_file', { path: join(folder, 'new.txt'), content: 'written' });
    expect(readFileSync(join(folder, 'new.txt'), 'utf8')).toBe('written');
    const outside = await rejection(call(from, 'read_text_file', { path: '/etc/passwd' }));
    expect(outside).toMatchObject({ code: 'MCP_TOOL_ERROR', message: expect.stringContaining('Access denied') as string });
  });

  it('reports a message that is too large, and continues', async () => {
    const from = server([filesystem, folder], { maxMessageBytes: 1024 * 1024 });
    const error = await rejection(call(from, 'read_text_file', { path: join(folder, 'large.txt') }));
    expect(error).toMatchObject({ code: 'MCP_MESSAGE_TOO_LARGE', message: expect.stringContaining('longer than 1048576 bytes') as string });
    expect(await call(from, 'read_text_file', { path: join(folder, 'small.txt') })).toMatchObject({ content: 'small' });
  });
});
