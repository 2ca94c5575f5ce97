import { mkdtempSync, readFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { getEventListeners } from 'node:events';
import type { AttemptContext } from '@holdfast/core';
import { afterEach, describe, expect, it } from 'vitest';
import { type McpServer, type McpServerOptions, mcpServer } from '../../src/index.ts';
import { attempt, rejection } from '../support/attempt.ts';
import { childrenNamed, expectNoChildren, isAlive, until } from '../support/processes.ts';

const faulty = fileURLToPath(new URL('../fixtures/mcp-faulty.mjs', import.meta.url));
const open: McpServer[] = [];
const limit = { timeout: 30_000 };

function server(mode = '', options: Partial<McpServerOptions> = {}, file = ''): McpServer {
  const made = mcpServer({ command: process.execPath, args: [faulty, mode, file], name: 'faulty', graceMs: 300, ...options });
  open.push(made);
  return made;
}
const temporary = (): string => join(mkdtempSync(join(tmpdir(), 'holdfast-')), 'file');
const call = (from: McpServer, name: string, args: unknown = {}): Promise<unknown> =>
  Promise.resolve(from.tool(name)(args, attempt().context));

afterEach(async () => {
  await Promise.all(open.splice(0).map((each) => each.close()));
  expectNoChildren('fixtures/');
}, 30_000);

describe('a server that does not start', limit, () => {
  it('fails fast between starts, with the reason and the time of the next start', async () => {
    const from = server('exit', { restartDelayMs: 200 });
    const first = await rejection(call(from, 'echo'));
    expect(first).toMatchObject({ code: 'MCP_SERVER_DOWN', retryAfterMs: 200, stderr: 'fatal: no licence found\n' });
    expect(first.message).toBe('MCP server faulty is down: it exited with code 4; it wrote: fatal: no licence found');
    const second = await rejection(call(from, 'echo'));
    expect(second).toMatchObject({ code: 'MCP_SERVER_DOWN', message: expect.stringContaining('next start in') as string });
    expect(second['retryAfterMs']).toBeLessThanOrEqual(200);
    expect(from.status()).toMatchObject({ state: 'down', failures: 1, lastError: first.message });
    await wait(Number(second['retryAfterMs']) + 5);
    expect(from.status().state).toBe('idle');
    expect(await rejection(call(from, 'echo'))).toMatchObject({ retryAfterMs: 400 });
  });

  it('is started again and works when it has recovered', async () => {
    const from = server('exit-once', { restartDelayMs: 20 }, temporary());
    const { retryAfterMs } = await rejection(call(from, 'echo'));
    await wait(Number(retryAfterMs) + 5);
    expect(await call(from, 'echo', { value: 'up' })).toBe('up');
    expect(from.status()).toMatchObject({ state: 'up', failures: 0 });
  });

  it('reports a missing program', async () => {
    const from = server('', { command: '/no/such/server' });
    expect(await rejection(call(from, 'echo'))).toMatchObject({ code: 'MCP_SERVER_DOWN', cause: { code: 'ENOENT' } });
  });

  it('is ended after the startup time, and one start serves all callers', async () => {
    const from = server('silent', { startupTimeoutMs: 300 });
    const errors = await Promise.all([1, 2, 3].map(() => rejection(call(from, 'echo'))));
    expect(errors.map(({ code }) => code)).toEqual(Array(3).fill('MCP_SERVER_DOWN'));
    expect(from.status().failures).toBe(1);
    expect(childrenNamed('mcp-faulty')).toEqual([]);
  });

  it('removes aborted calls from waiting', async () => {
    const from = server('silent', { startupTimeoutMs: 20_000 });
    const made = attempt();
    const pending = from.tool('echo')({}, made.context);
    made.abort(new Error('time is up'));
    expect(await rejection(pending)).toMatchObject({ message: 'time is up' });
    expect(getEventListeners(made.signal, 'abort')).toEqual([]);
  });
});

describe('a server that fails', limit, () => {
  it('in the middle of a call: the call is lost, the first restart is immediate, further ones wait', async () => {
    const from = server('', { restartDelayMs: 5000 });
    const lost = await rejection(call(from, 'die'));
    expect(lost).toMatchObject({ code: 'MCP_CALL_LOST', stderr: 'dying of password=[redacted]\n' });
    expect(lost.message).not.toContain('hunter2');
    expect(lost.message).toContain('exited with code 3');
    expect(await rejection(call(from, 'die'))).toMatchObject({ code: 'MCP_CALL_LOST' });
    expect(await rejection(call(from, 'die'))).toMatchObject({ code: 'MCP_SERVER_DOWN' });
  });

  it('loses only its own calls', async () => {
    const from = server();
    const never = rejection(call(from, 'never'));
    await call(from, 'echo', { value: 'x' });
    expect(await rejection(call(from, 'die'))).toMatchObject({ code: 'MCP_CALL_LOST' });
    expect(await never).toMatchObject({ code: 'MCP_CALL_LOST' });
    expect(await call(from, 'echo', { value: 'back' })).toBe('back');
  });

  it('with an endless loop: it is killed after the abort', async () => {
    const from = server('', { healthTimeoutMs: 200 });
    const pid = Number(await call(from, 'pid'));
    const made = attempt();
    const pending = from.tool('spin')({}, made.context);
    setTimeout(() => made.abort(new Error('time is up')), 50);
    expect(await rejection(pending)).toMatchObject({ message: 'time is up' });
    expect(isAlive(pid)).toBe(false);
    expect(Number(await call(from, 'pid'))).not.toBe(pid);
  });

  it('with junk on its output, protocol errors and tool errors', async () => {
    const from = server();
    expect(await call(from, 'junk')).toBe('after junk');
    expect(await rejection(call(from, 'rpcerror'))).toMatchObject({
      code: -32_603,
      message: expect.stringContaining('handler failed') as string,
    });
    expect(await rejection(call(from, 'failure'))).toMatchObject({ code: 'MCP_TOOL_ERROR', mcpCode: -32_602 });
    expect(await rejection(call(from, 'echo', ['no object']))).toMatchObject({ code: 'INVALID_ARGUMENT' });
  });

  it('with a message of 30 MB: it is received', async () => {
    expect(String(await call(server(), 'big', { size: 30_000_000 })).length).toBe(30_000_000);
  });
});

describe('a call', limit, () => {
  it('has the fields of `meta`, which override nothing', async () => {
    const meta = ({ callId }: AttemptContext): Record<string, string> => ({
      traceparent: `00-${callId}`,
      'holdfast/idempotency-key': 'mine',
    });
    expect(await call(server('', { meta }), 'meta')).toMatchObject({ traceparent: '00-call-1', 'holdfast/idempotency-key': 'key-1' });
    const failing = (): never => {
      throw new Error('no trace');
    };
    expect(await call(server('', { meta: failing }), 'meta')).toMatchObject({ 'holdfast/idempotency-key': 'key-1' });
  });

  it('has the idempotency key, and its cancellation reaches the server', async () => {
    const file = temporary();
    const from = server('log', {}, file);
    expect(await call(from, 'meta')).toMatchObject({ 'holdfast/idempotency-key': 'key-1' });
    const made = attempt();
    const pending = from.tool('never')({}, made.context);
    await until('the server has it', () => readFileSync(file, 'utf8').includes('"never"'));
    made.abort(new Error('enough'));
    await rejection(pending);
    expect(readFileSync(file, 'utf8')).toContain('"method":"notifications/cancelled"');
    expect(getEventListeners(made.signal, 'abort')).toEqual([]);
  });

  it('uses the modern protocol if the server refuses the legacy one', async () => {
    const from = server('modern');
    expect(await call(from, 'echo', { value: 'hello' })).toBe('hello');
    expect(from.status()).toMatchObject({ state: 'up', protocolVersion: '2026-07-28' });
  });
});

describe('close', limit, () => {
  it('ends a server that ignores everything, and its detached children', async () => {
    const from = server('deaf');
    const child = Number(await call(from, 'family'));
    const pid = Number(await call(from, 'pid'));
    const pending = rejection(call(from, 'never'));
    await from.close();
    expect(await pending).toMatchObject({ code: 'RUNNER_CLOSED' });
    expect([pid, child].filter(isAlive)).toEqual([]);
    expect(from.status()).toMatchObject({ state: 'closed' });
    expect(await rejection(call(from, 'echo'))).toMatchObject({ code: 'RUNNER_CLOSED' });
  });

  it('ends the server behind a wrapper', async () => {
    const from = mcpServer({ command: '/bin/sh', args: ['-c', `"$0" "$1"; true`, process.execPath, faulty], graceMs: 300 });
    const pid = Number(await call(from, 'pid'));
    await from.close();
    expect(isAlive(pid)).toBe(false);
  });

  it('of the last runner closes the server', async () => {
    const from = server();
    const first = from.tool('echo');
    const second = from.tool('pid');
    const pid = Number(await second({}, attempt().context));
    await first.close?.();
    expect(from.status().state).toBe('up');
    await second.close?.();
    expect(from.status().state).toBe('closed');
    expect(isAlive(pid)).toBe(false);
  });

  it('in the middle of a start leaves nothing', async () => {
    const from = server('silent');
    const pending = rejection(call(from, 'echo'));
    await until('it has started', () => childrenNamed('mcp-faulty').length > 0);
    await from.close();
    expect(await pending).toMatchObject({ code: 'RUNNER_CLOSED' });
    expect(childrenNamed('mcp-faulty')).toEqual([]);
  });
});
