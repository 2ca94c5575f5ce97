/** A server over HTTP that breaks off, forgets, throttles, is away: what the client sees of it. */
import { describe, expect, test } from 'vitest';
import { textOf } from '../fixtures/client/raw-client.ts';
import { startHostileServer, type HostileHttpServer } from '../fixtures/hostile/http.ts';
import { attempts, deadlineMs, failed, openScene, type Scene, type SceneOptions } from './scene.ts';

async function openHttpScene(server: HostileHttpServer, options: SceneOptions = {}): Promise<Scene> {
  // What replaces the program takes nothing from it.
  const nothing = { command: undefined, args: undefined, env: undefined };
  return { ...(await openScene({ ...options, bad: { ...nothing, url: server.url, ...options.bad } })), diary: server.diary };
}

const eras = ['legacy', 'modern'] as const;

describe.concurrent.for(eras)('an answer that breaks off, %s', (era) => {
  test('of a call that only reads: it is made again', async () => {
    await using server = await startHostileServer(era, 'sse');
    await using scene = await openHttpScene(server);
    expect(textOf(await scene.client.call('bad__cut_once', {}, { limitMs: deadlineMs }))).toBe('Whole this time.');
    expect(await failed(scene.client, 'bad__cut_read')).toMatchObject({ attempts });
  });

  test('of a call that may have done something: it is not made again', async () => {
    await using server = await startHostileServer(era, 'sse');
    await using scene = await openHttpScene(server);
    expect(await failed(scene.client, 'bad__cut')).toMatchObject({ attempts: 1, ambiguous: true });
    expect(server.diary.times('cut')).toBe(1);
  });

  test.for(['end_early', 'half_json', 'html', 'empty', 'drip', 'hang'])('%s: the client has an answer in time', async (tool) => {
    await using server = await startHostileServer(era, 'sse');
    await using scene = await openHttpScene(server);
    expect((await failed(scene.client, `bad__${tool}`)).text.length).toBeGreaterThan(0);
    expect(textOf(await scene.client.call('bad__echo', { message: 'next' }))).toBe('next');
  });
});

describe.concurrent('a session that is lost', () => {
  test.for([404, 400] as const)('HTTP %i: a new one, and the call is made there, once', async (status) => {
    await using server = await startHostileServer('legacy');
    await using scene = await openHttpScene(server);
    await scene.client.call('bad__echo');
    server.forgetSessions(status);
    expect(textOf(await scene.client.call('bad__write'))).toBe('Written 1 times.');
    expect(server.diary.times('write')).toBe(1);
  });

  test('by many calls at once', async () => {
    await using server = await startHostileServer('legacy');
    await using scene = await openHttpScene(server);
    await scene.client.call('bad__echo');
    server.forgetSessions(404);
    const answers = await Promise.all(
      Array.from({ length: 20 }, async (_, index) => await scene.client.call('bad__echo', { message: String(index) })),
    );
    expect(answers.map(textOf)).toEqual(Array.from({ length: 20 }, (_, index) => String(index)));
  });
});

describe.concurrent('throttled', () => {
  test('the wait that the server asks for is kept', { timeout: 30_000 }, async () => {
    await using server = await startHostileServer();
    await using scene = await openHttpScene(server);
    const before = performance.now();
    expect(textOf(await scene.client.call('bad__throttle_twice', {}, { limitMs: 20_000 }))).toBe('Not too many any more.');
    expect(performance.now() - before).toBeGreaterThan(1_900);
    expect(server.diary.times('throttle_twice')).toBe(3);
  });

  test('a wait that is too long ends the call at once, with the wait', async () => {
    await using server = await startHostileServer();
    await using scene = await openHttpScene(server);
    const failure = await failed(scene.client, 'bad__throttle');
    expect(failure.attempts).toBe(1);
    expect(failure.retryAfterMs).toBeGreaterThan(100_000);
  });
});

describe.concurrent('away', () => {
  test('calls fail at once, did nothing, and go through again when it is back', async () => {
    await using server = await startHostileServer();
    await using scene = await openHttpScene(server);
    await scene.client.call('bad__echo');
    await server.stop();
    const failure = await failed(scene.client, 'bad__write');
    expect(failure.ambiguous ?? false).toBe(false);
    await server.start();
    expect(textOf(await scene.client.call('bad__write', {}, { limitMs: deadlineMs }))).toBe('Written 1 times.');
  });

  test('it comes back while a call is tried again', async () => {
    await using server = await startHostileServer();
    await using scene = await openHttpScene(server, {
      defaults: {
        retry_policy: { strategy: 'constant_backoff', initial_delay_ms: 200, max_attempts: 20, max_total_time_ms: 20_000 },
        circuit_breaker: false,
      },
    });
    await scene.client.call('bad__echo');
    await server.stop();
    const called = scene.client.call('bad__write', {}, { limitMs: 20_000 });
    setTimeout(() => void server.start(), 700);
    expect(textOf(await called)).toBe('Written 1 times.');
  });

  test('mute: the client has an answer in time, another server is not held up', async () => {
    await using server = await startHostileServer();
    await using scene = await openHttpScene(server);
    await scene.client.call('bad__echo');
    server.mute(true);
    const order: string[] = [];
    const muted = failed(scene.client, 'bad__echo').then(() => order.push('bad'));
    await scene.client.call('good__echo');
    order.push('good');
    await muted;
    expect(order).toEqual(['good', 'bad']);
    server.mute(false);
    expect(textOf(await scene.client.call('bad__echo', { message: 'speaks' }, { limitMs: deadlineMs }))).toBe('speaks');
  });

  test('503: tried again where that cannot hurt', async () => {
    await using server = await startHostileServer();
    await using scene = await openHttpScene(server);
    expect(await failed(scene.client, 'bad__unavailable')).toMatchObject({ attempts, classification: 'transient' });
  });
});

describe.concurrent('credentials', () => {
  test("the client's own are not handed on, the server's own words about them are not either", async () => {
    await using server = await startHostileServer();
    await using scene = await openHttpScene(server, { client: { headers: { authorization: 'Bearer of-the-client' } } });
    await scene.client.call('bad__echo');
    expect(server.diary.lines().filter((line) => line.endsWith(' authorized'))).toEqual([]);
    const said = JSON.stringify(await scene.client.call('bad__unauthorized', {}, { limitMs: deadlineMs }));
    expect(said).not.toContain('sk-live-');
  });

  test("what the manifest gives is sent, and a redirect is not followed to somebody else's address", async () => {
    process.env['FAULTS_TOKEN'] = 'token-of-the-upstream';
    await using server = await startHostileServer();
    await using scene = await openHttpScene(server, { bad: { headers: { authorization: { env: 'FAULTS_TOKEN', prefix: 'Bearer ' } } } });
    await scene.client.call('bad__echo');
    expect(server.diary.lines()).toContain('http tools/call authorized');
    expect(await failed(scene.client, 'bad__redirect')).toBeDefined();
  });
});

test.concurrent('a client that is gone: the request to the server is given up', async ({ expect }) => {
  await using server = await startHostileServer('modern');
  await using scene = await openHttpScene(server, { defaults: { timeout_ms: 20_000 } });
  const other = await scene.connect({ era: 'modern' });
  const called = other.call('bad__hang', {}, { limitMs: 20_000 });
  called.catch(() => undefined);
  await expect.poll(() => server.diary.times('hang'), { timeout: 10_000 }).toBe(1);
  other.drop();
  await expect.poll(() => server.diary.lines(), { timeout: 5_000 }).toContain('gone');
});
