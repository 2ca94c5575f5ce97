/** Beyond tools: raw requests, notifications of the server, and what is kept when it exits. */
import { mkdtempSync, readFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterEach, describe, expect, it } from 'vitest';
import { type JsonObject, type McpServer, type McpServerEvent, type McpServerOptions, mcpServer } from '../../src/index.ts';
import { attempt, rejection } from '../support/attempt.ts';
import { expectNoChildren, isAlive, until } from '../support/processes.ts';

const faulty = fileURLToPath(new URL('../fixtures/mcp-faulty.mjs', import.meta.url));
const open: McpServer[] = [];
const limit = { timeout: 30_000 };

function server(mode = '', options: Partial<McpServerOptions> = {}, file = ''): McpServer {
  const made = mcpServer({ command: process.execPath, args: [faulty, mode, file], name: 'faulty', graceMs: 300, ...options });
  open.push(made);
  return made;
}

const call = (to: McpServer, name: string, args: JsonObject = {}, options = {}): Promise<JsonObject> =>
  to.request('tools/call', { name, arguments: args }, options);
const textOf = (result: JsonObject): string => (result['content'] as readonly { readonly text: string }[])[0]?.text ?? '';

function heardFrom(from: McpServer): McpServerEvent[] {
  const heard: McpServerEvent[] = [];
  from.subscribe((event) => heard.push(event));
  return heard;
}
const methods = (heard: readonly McpServerEvent[]): readonly string[] =>
  heard.flatMap((event) => (event.type === 'notification' ? [event.method] : []));
const states = (heard: readonly McpServerEvent[]): readonly string[] =>
  heard.flatMap((event) => (event.type === 'status' ? [event.status.state] : []));

afterEach(async () => {
  await Promise.all(open.splice(0).map((each) => each.close()));
  expectNoChildren('fixtures/');
}, 30_000);

describe('a request', limit, () => {
  it('is relayed unchanged, and so are its answer and its error', async () => {
    const from = server();
    expect(await from.handshake()).toMatchObject({ era: 'legacy', protocolVersion: '2025-11-25', serverInfo: { name: 'faulty' } });
    const result = await from.request('tools/call', { name: 'meta', arguments: {}, _meta: { traceparent: 'x' }, unknown: 1 });
    expect(JSON.parse(textOf(result))).toEqual({ traceparent: 'x' });
    expect(await rejection(call(from, 'rpcerror'))).toMatchObject({ name: 'RpcError', code: -32_603, message: 'handler failed' });
    expect(await rejection(call(from, 'failure').then((failed) => Promise.reject(failed as unknown as Error)))).toMatchObject({
      isError: true,
    });
  });

  it('that is aborted is cancelled, and a healthy server is kept', async () => {
    const from = server();
    await from.connect();
    const { pid } = from.status();
    expect(await rejection(call(from, 'never', {}, { signal: AbortSignal.timeout(30) }))).toMatchObject({ name: 'TimeoutError' });
    expect(from.status()).toMatchObject({ pid, restarts: 0 });
  });

  it('with an answer over the limit fails alone', async () => {
    const from = server('', { maxMessageBytes: 100_000 });
    const beside = rejection(call(from, 'never', {}, { signal: AbortSignal.timeout(1500) }));
    expect(await rejection(call(from, 'big', { size: 1_000_000 }))).toMatchObject({
      code: 'MCP_MESSAGE_TOO_LARGE',
      message: 'MCP server faulty: a message was longer than 100000 bytes; the limit is maxMessageBytes, in a manifest max_message_bytes',
    });
    expect(textOf(await call(from, 'echo', { value: 'still here' }))).toBe('still here');
    expect(await beside).toMatchObject({ name: 'TimeoutError' });
    expect(from.status()).toMatchObject({ state: 'up', restarts: 0 });
  });

  it('at a server that closed its output is lost after the grace period', async () => {
    const from = server();
    await from.connect();
    const { pid = 0 } = from.status();
    expect(await rejection(call(from, 'mute'))).toMatchObject({
      code: 'MCP_CALL_LOST',
      message: expect.stringContaining('it closed its output') as string,
    });
    expect(isAlive(pid)).toBe(false);
    expect(textOf(await call(from, 'echo', { value: 'back' }))).toBe('back');
  });
});

describe('a modern server', limit, () => {
  const starts = (file: string): number => readFileSync(file, 'utf8').split('"initialize"').length - 1;
  const temporary = (): string => join(mkdtempSync(join(tmpdir(), 'holdfast-')), 'file');

  it('is started once, although it refuses the legacy handshake', async () => {
    const from = server('modern');
    await from.connect();
    expect(from.status()).toMatchObject({ protocolVersion: '2026-07-28', restarts: 0, failures: 0 });
    const { pid } = from.status();
    expect(textOf(await call(from, 'pid'))).toBe(String(pid));
  });

  it('that exits during the legacy handshake is started again, and then gets the modern one', async () => {
    const from = server('leaves');
    const heard = heardFrom(from);
    expect(textOf(await call(from, 'echo', { value: 'x' }))).toBe('x');
    expect(from.status()).toMatchObject({ protocolVersion: '2026-07-28', restarts: 0, failures: 0 });
    await rejection(call(from, 'die'));
    expect(textOf(await call(from, 'echo', { value: 'y' }))).toBe('y');
    expect(states(heard)).toEqual(['connecting', 'up', 'idle', 'connecting', 'up']);
  });

  it('gets only the modern handshake with the option', async () => {
    const file = temporary();
    const from = server('log', { protocol: 'legacy' }, file);
    await from.connect();
    expect(starts(file)).toBe(1);
  });
});

describe('unsolicited messages of a server', limit, () => {
  it('notifications arrive until the listener is removed, whatever others do', async () => {
    const from = server();
    from.subscribe(() => {
      throw new Error('listener');
    });
    const heard = heardFrom(from);
    const all: McpServerEvent[] = [];
    const stop = from.subscribe((event) => all.push(event));
    await call(from, 'tell', { method: 'notifications/message', params: { level: 'info', data: 'hello' } });
    stop();
    await call(from, 'tell', { method: 'notifications/x', params: {} });
    expect(methods(heard)).toEqual(['notifications/message', 'notifications/x']);
    expect(methods(all)).toEqual(['notifications/message']);
    expect(heard).toContainEqual({ type: 'notification', method: 'notifications/message', params: { level: 'info', data: 'hello' } });
  });

  it('requests belong to a call, or to none', async () => {
    const accept = (name: string) => async (): Promise<JsonObject> => ({ action: 'accept', content: { name } });
    const from = server('', { answer: accept('nobody'), clientCapabilities: { elicitation: {} } });
    expect(textOf(await call(from, 'ask', {}, { onRequest: accept('Ada') }))).toBe('hello Ada');
    expect(textOf(await call(from, 'ask'))).toBe('hello nobody');
  });

  it('standard error is in the status', async () => {
    const from = server('', { restartDelayMs: 5000 });
    await rejection(call(from, 'die'));
    expect(from.status()).toMatchObject({ stderrTail: 'dying of password=[redacted]\n' });
  });
});

describe.each(['', 'modern'])('a watched resource (%j)', limit, (mode) => {
  const updates = (heard: readonly McpServerEvent[]): number => methods(heard).filter((method) => method.endsWith('updated')).length;

  it('has one subscription for all watchers, until the last one stops', async () => {
    const from = server(mode);
    const heard = heardFrom(from);
    const stops = [await from.watchResource('file:///a'), await from.watchResource('file:///a'), await from.watchResource('file:///b')];
    await call(from, 'touch', { uri: 'file:///a' });
    await until('an update arrives', () => updates(heard) === 1);
    stops[0]?.();
    stops[0]?.();
    await call(from, 'touch', { uri: 'file:///a' });
    await until('a second update arrives', () => updates(heard) === 2);
    stops[1]?.();
    await until('it is no longer watched', async () => !textOf(await call(from, 'touch', { uri: 'file:///c' })).includes('file:///a'));
    expect(textOf(await call(from, 'touch', { uri: 'file:///c' }))).toContain('file:///b');
    expect(updates(heard)).toBe(2);
  });

  it('is subscribed again over a new connection', async () => {
    const from = server(mode);
    const heard = heardFrom(from);
    await from.watchResource('file:///a');
    await rejection(call(from, 'die'));
    await until('an update arrives', async () => {
      await call(from, 'touch', { uri: 'file:///a' });
      return updates(heard) > 0;
    });
  });
});

it.each(['', 'modern'])(
  "a resource that cannot be watched is refused with the server's error, and does not affect others (%j)",
  limit,
  async (mode) => {
    const from = server(mode, { listen: true });
    const heard = heardFrom(from);
    const [first, refused, second] = await Promise.allSettled(['file:///a', 'none:', 'file:///b'].map((uri) => from.watchResource(uri)));
    expect([first?.status, second?.status]).toEqual(['fulfilled', 'fulfilled']);
    expect(refused).toMatchObject({ status: 'rejected', reason: { code: -32_002, message: 'no such resource' } });
    await until('updates of the others arrive', async () => {
      for (const uri of ['file:///a', 'file:///b']) await call(from, 'touch', { uri });
      return new Set(heard.flatMap((event) => (event.type === 'notification' ? [event.params['uri']] : []))).size >= 2;
    });
  },
);

it('a modern server sends changes of its lists with listen, also after it ended the stream', limit, async () => {
  const from = server('modern', { listen: true });
  const heard = heardFrom(from);
  const announcements = (): number => methods(heard).filter((method) => method === 'notifications/tools/list_changed').length;
  const touched = async (count: number): Promise<void> =>
    until('the change is announced', async () => {
      await call(from, 'touch', {});
      return announcements() >= count;
    });
  await touched(1);
  await call(from, 'endListening');
  await touched(announcements() + 1);
  expect(methods(heard)).not.toContain('notifications/subscriptions/acknowledged');
});

describe('notify', limit, () => {
  it('sends to a running server, and starts none', async () => {
    const file = join(mkdtempSync(join(tmpdir(), 'holdfast-')), 'file');
    const from = server('log', {}, file);
    expect(await rejection(from.notify('notifications/roots/list_changed'))).toMatchObject({ code: 'MCP_SERVER_DOWN' });
    expect(from.status().state).toBe('idle');
    await from.connect();
    await from.notify('notifications/roots/list_changed', { x: 1 });
    await call(from, 'echo', { value: 'after it' });
    expect(readFileSync(file, 'utf8')).toContain('{"jsonrpc":"2.0","method":"notifications/roots/list_changed","params":{"x":1}}');
  });
});

describe('retire', limit, () => {
  it('waits for running calls, and closes', async () => {
    const from = server('', { answer: async () => ({ content: { name: 'Ada' } }) });
    const pending = call(from, 'ask');
    await from.retire(20_000);
    expect(textOf(await pending)).toBe('hello Ada');
    expect(from.status().state).toBe('closed');
  });

  it('waits no longer than its limit', async () => {
    const from = server();
    const pending = rejection(from.tool('never')({}, attempt().context));
    await until('it is up', () => from.status().state === 'up');
    await from.retire(50);
    expect(await pending).toMatchObject({ code: 'RUNNER_CLOSED' });
    expect(await rejection(call(from, 'echo'))).toMatchObject({ code: 'RUNNER_CLOSED' });
  });
});
