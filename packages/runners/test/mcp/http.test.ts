import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { createRequire } from 'node:module';
import { createServer } from 'node:net';
import { dirname, join } from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import { type McpServer, type McpServerOptions, mcpServer } from '../../src/index.ts';
import { attempt, rejection } from '../support/attempt.ts';
import { until } from '../support/processes.ts';
import { type Web, startWeb } from '../support/web.ts';

const everything = join(
  dirname(createRequire(import.meta.url).resolve('@modelcontextprotocol/server-everything/package.json')),
  'dist/index.js',
);
const open: McpServer[] = [];
const webs: { readonly stop: () => Promise<void> }[] = [];
const limit = { timeout: 60_000 };

interface Counts {
  readonly runs: number;
  readonly cancelled: number;
  readonly closedStreams: number;
  readonly ended: number;
  readonly auth: readonly string[];
}

function server(port: number, options: Partial<McpServerOptions> = {}): McpServer {
  const made = mcpServer({ url: `http://127.0.0.1:${port}/mcp`, name: 'web', graceMs: 500, ...options });
  open.push(made);
  return made;
}
const call = (from: McpServer, name: string, args: unknown = {}): Promise<unknown> =>
  Promise.resolve(from.tool(name)(args, attempt().context));
const counts = async (from: McpServer): Promise<Counts> => (await call(from, 'counts')) as Counts;

async function web(port = 0): Promise<Web> {
  const started = await startWeb('mcp-web.mjs', [String(port)]);
  webs.push(started);
  return started;
}

afterEach(async () => {
  await Promise.all(open.splice(0).map((each) => each.close()));
  await Promise.all(webs.splice(0).map((each) => each.stop()));
  await until('no socket is left', () => !process.getActiveResourcesInfo().some((name) => name.startsWith('TCP')), 2000);
}, 30_000);

describe('server-everything over Streamable HTTP', limit, () => {
  it('answers, reports progress, loses calls when killed, and works again after a restart', async () => {
    const port = await freePort();
    let child = await startEverything(port);
    const from = server(port);
    expect(await call(from, 'echo', { message: 'hi' })).toBe('Echo: hi');
    const made = attempt();
    const lost = rejection(from.tool('trigger-long-running-operation')({ duration: 60, steps: 200 }, made.context));
    await until('the call is under way', () => made.progress.length > 0, 20_000);
    child.kill('SIGKILL');
    await once(child, 'exit');
    expect(await lost).toMatchObject({ code: 'MCP_CALL_LOST' });
    expect(await rejection(call(from, 'echo', { message: 'down' }))).toMatchObject({ code: 'ECONNREFUSED' });
    child = await startEverything(port);
    expect(await call(from, 'echo', { message: 'again' })).toBe('Echo: again');
    expect(from.status()).toMatchObject({ state: 'up', restarts: 1 });
  });
});

describe('a server', limit, () => {
  it('may answer with JSON or a stream; gets the headers; the session is ended on close', async () => {
    process.env['HOLDFAST_TEST_TOKEN'] = 't0ken';
    const { port } = await web();
    const from = server(port, { headers: { authorization: { env: 'HOLDFAST_TEST_TOKEN', prefix: 'Bearer ' } } });
    expect(await call(from, 'json')).toBe('as json');
    expect(await call(from, 'stream')).toBe('as stream');
    expect(new Set((await counts(from)).auth)).toEqual(new Set(['Bearer t0ken']));
    delete process.env['HOLDFAST_TEST_TOKEN'];
    await from.close();
    expect((await counts(server(port))).ended).toBe(1);
  });

  it.each(['cut', 'end', 'cutResumable'])('that breaks the stream off (%s) loses the call instead of hanging it', async (name) => {
    const from = server((await web()).port);
    expect(await rejection(call(from, name))).toMatchObject({ code: 'MCP_CALL_LOST' });
    expect(await call(from, 'json')).toBe('as json');
    expect(await counts(from)).toMatchObject({ runs: 3 });
  });

  it('that lost the session gets a new one, and the call once', async () => {
    const from = server((await web()).port);
    await call(from, 'forget');
    const answers = await Promise.all([call(from, 'json'), call(from, 'stream'), call(from, 'json')]);
    expect(answers).toEqual(['as json', 'as stream', 'as json']);
    expect(await counts(from)).toMatchObject({ runs: 5 });
    expect(from.status()).toMatchObject({ restarts: 1 });
  });

  it('is notified of an aborted call, and its stream is closed', async () => {
    const from = server((await web()).port);
    const made = attempt();
    const pending = rejection(from.tool('never')({}, made.context));
    await until('it has the call', async () => (await counts(from)).runs > 1);
    made.abort(new Error('enough'));
    expect(await pending).toMatchObject({ message: 'enough' });
    await until('the stream is closed', async () => (await counts(from)).closedStreams === 1);
    expect(await counts(from)).toMatchObject({ cancelled: 1 });
    expect(from.status()).toMatchObject({ restarts: 0 });
  });

  it('that throttles or answers too much', async () => {
    const from = server((await web()).port, { maxMessageBytes: 50_000 });
    expect(await rejection(call(from, 'throttled'))).toMatchObject({ code: 'HTTP_STATUS', status: 429, headers: { 'retry-after': '3' } });
    expect(await rejection(call(from, 'big'))).toMatchObject({ code: 'MCP_MESSAGE_TOO_LARGE' });
    expect(await call(from, 'json')).toBe('as json');
  });

  it('that is not running fails fast, and works when it starts', async () => {
    const port = await freePort();
    const from = server(port, { restartDelayMs: 50 });
    const down = await rejection(call(from, 'json'));
    expect(down).toMatchObject({ code: 'MCP_SERVER_DOWN', retryAfterMs: 50, cause: { code: 'ECONNREFUSED' } });
    expect(await rejection(call(from, 'json'))).toMatchObject({ message: expect.stringContaining('next start in') as string });
    await web(port);
    await until('it is up', async () => {
      try {
        return (await call(from, 'json')) === 'as json';
      } catch {
        return false;
      }
    });
  });
});

async function startEverything(port: number): Promise<ChildProcess> {
  const child = spawn(process.execPath, [everything, 'streamableHttp'], {
    env: { ...process.env, PORT: String(port) },
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  webs.push({
    async stop() {
      if (child.exitCode !== null || child.signalCode !== null) return;
      child.kill('SIGKILL');
      await once(child, 'exit');
    },
  });
  for await (const chunk of child.stderr) if (String(chunk).includes('listening')) break;
  child.stderr.resume();
  return child;
}

async function freePort(): Promise<number> {
  const probe = createServer();
  await new Promise<void>((resolve) => probe.listen(0, '127.0.0.1', resolve));
  const address = probe.address();
  await new Promise((resolve) => probe.close(resolve));
  return typeof address === 'object' && address !== null ? address.port : 0;
}
