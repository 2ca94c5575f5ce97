/** What the hostile server does to a direct client: verifies that the fixture is hostile. */
import { mkdtemp } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { connectHttp } from '../fixtures/client/http-client.ts';
import { textOf, type Era } from '../fixtures/client/raw-client.ts';
import { openServerLog } from '../fixtures/hostile/server-log.ts';
import { startHostileServer } from '../fixtures/hostile/http.ts';
import { connectStdio, type StdioClient } from '../fixtures/client/stdio-client.ts';
import { hostileProgram } from '../fixtures/programs.ts';

const eras: readonly Era[] = ['legacy', 'modern'];

async function hostile(era: Era = 'legacy', environment: NodeJS.ProcessEnv = {}): Promise<{ client: StdioClient; logPath: string }> {
  const logPath = join(await mkdtemp(join(tmpdir(), 'holdfast-hostile-')), 'server.log');
  const client = await connectStdio(hostileProgram.command, hostileProgram.words, {
    era,
    environment: { HOSTILE_ERA: era, HOSTILE_LOG: logPath, ...environment },
  });
  return { client, logPath };
}

describe('over stdio', () => {
  test.for(eras)('connects, lists and answers, %s', async (era) => {
    const { client } = await hostile(era);
    await using connected = client;
    const { tools } = await connected.request('tools/list');
    expect(tools).toContainEqual(expect.objectContaining({ name: 'echo' }));
    expect(textOf(await connected.call('echo', { message: 'hi' }))).toBe('hi');
  });

  test('dies in mid-call, once or every time', async () => {
    const { client, logPath } = await hostile();
    await expect(client.call('die_once')).rejects.toThrow('SIGKILL');
    await expect(client.ended).resolves.toBe('SIGKILL');
    expect(openServerLog(logPath).times('die_once')).toBe(1);
    await using second = await connectStdio(hostileProgram.command, hostileProgram.words, { environment: { HOSTILE_LOG: logPath } });
    expect(textOf(await second.call('die_once'))).toBe('Alive.');
  });

  test.for(['hang', 'freeze', 'wrong_id'])('%s: no answer', async (tool) => {
    const { client } = await hostile();
    await expect(client.call(tool, {}, { limitMs: 300 })).rejects.toThrow('No answer');
    client.child.kill('SIGKILL');
  });

  test('does not start', async () => {
    await expect(hostile('legacy', { HOSTILE_START: 'never' })).rejects.toThrow('no cheese');
  });

  test('has huge answers', async () => {
    const { client } = await hostile();
    await using connected = client;
    expect(textOf(await connected.call('huge', { bytes: 12_000_000 }))).toHaveLength(12_000_000);
  });
});

describe('over HTTP', () => {
  test.for(eras)('connects, lists and answers, %s', async (era) => {
    await using server = await startHostileServer(era);
    await using client = await connectHttp(server.url, { era });
    expect((await client.request('tools/list'))['tools']).toContainEqual(expect.objectContaining({ name: 'cut' }));
    expect(textOf(await client.call('echo', { message: 'hi' }))).toBe('hi');
  });

  test.for(['cut', 'end_early', 'half_json'])('%s: a broken answer', async (tool) => {
    await using server = await startHostileServer('legacy', 'sse');
    await using client = await connectHttp(server.url);
    await expect(client.call(tool)).rejects.toThrow(/aborted|without an answer|terminated/);
  });

  test('junk and progress are sent on the stream of a call', async () => {
    await using server = await startHostileServer('legacy', 'sse');
    await using client = await connectHttp(server.url);
    const progress: unknown[] = [];
    expect(textOf(await client.call('slow', {}, { onNotification: (method) => progress.push(method) }))).toContain('done');
    expect(progress.length).toBeGreaterThan(1);
    expect(textOf(await client.call('junk'))).toBe('Amid junk.');
  });

  test('loses sessions, stops and starts', async () => {
    await using server = await startHostileServer();
    await using client = await connectHttp(server.url);
    server.forgetSessions(400);
    await expect(client.call('echo')).rejects.toThrow('No valid session ID');
    await server.stop();
    await expect(client.call('echo')).rejects.toThrow(/ECONNREFUSED|socket hang up/);
    await server.start();
    client.drop();
    server.forgetSessions(404);
    await expect(client.call('echo')).rejects.toThrow('Session not found');
  });
});
