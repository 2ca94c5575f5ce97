/** An HTTP server that cuts answers, loses sessions, throttles, or is down: what the client sees. */
import { describe, expect, test } from 'vitest';
import { textOf } from '../fixtures/client/raw-client.ts';
import { startHostileServer, type HostileHttpServer } from '../fixtures/hostile/http.ts';
import { attempts, deadlineMs, failed, openScene, type Scene, type SceneOptions } from './scene.ts';

async function openHttpScene(server: HostileHttpServer, options: SceneOptions = {}): Promise<Scene> {
  // The settings of the program do not apply to its replacement.
  const nothing = { command: undefined, args: undefined, env: undefined };
  return { ...(await openScene({ ...options, bad: { ...nothing, url: server.url, ...options.bad } })), serverLog: server.serverLog };
}

const eras = ['legacy', 'modern'] as const;

describe.concurrent.for(eras)('a cut answer, %s', (era) => {
  test('of a read: the call is retried', async () => {
    await using server = await startHostileServer(era, 'sse');
    await using scene = await openHttpScene(server);
    expect(textOf(await scene.client.call('bad__cut_once', {}, { limitMs: deadlineMs }))).toBe('Whole this time.');
    expect(await failed(scene.client, 'bad__cut_read')).toMatchObject({ attempts });
  });

  test('of a call that may have had an effect: it is not retried', async () => {
    await using server = await startHostileServer(era, 'sse');
    await using scene = await openHttpScene(server);
    expect(await failed(scene.client, 'bad__cut')).toMatchObject({ attempts: 1, ambiguous: true });
    expect(server.serverLog.times('cut')).toBe(1);
  });

  test.for(['end_early', 'half_json', 'html', 'empty', 'drip', 'hang'])('%s: the client has an answer in time', async (tool) => {
    await using server = await startHostileServer(era, 'sse');
    await using scene = await openHttpScene(server);
    expect((await failed(scene.client, `bad__${tool}`)).text.length).toBeGreaterThan(0);
    expect(textOf(await scene.client.call('bad__echo', { message: 'next' }))).toBe('next');
  });
});

/** No server hangs in these tests, so no attempt may time out on a busy machine. */
const patient: SceneOptions = { defaults: { timeout_ms: 15_000 } };

describe.concurrent('a session that is lost', () => {
  test.for([404, 400] as const)('HTTP %i: the call is sent once in a new one', async (status) => {
    await using server = await startHostileServer('legacy');
    await using scene = await openHttpScene(server, patient);
    await scene.client.call('bad__echo');
    server.forgetSessions(status);
    expect(textOf(await scene.client.call('bad__write'))).toBe('Written 1 times.');
    expect(server.serverLog.times('write')).toBe(1);
  });

  test('by many calls at once', async () => {
    await using server = await startHostileServer('legacy');
    await using scene = await openHttpScene(server, patient);
    await scene.client.call('bad__echo');
    server.forgetSessions(404);
    const answers = await Promise.all(
      Array.from({ length: 20 }, async (_, index) => await scene.client.call('bad__echo', { message: String(index) })),
    );
    expect(answers.map(textOf)).toEqual(Array.from({ length: 20 }, (_, index) => String(index)));
  });
});

describe.concurrent('throttled', () => {
  test("the server's Retry-After is respected", { timeout: 30_000 }, async () => {
    await using server = await startHostileServer();
    await using scene = await openHttpScene(server);
    const before = performance.now();
    expect(textOf(await scene.client.call('bad__throttle_twice', {}, { limitMs: 20_000 }))).toBe('No longer too many.');
    expect(performance.now() - before).toBeGreaterThan(1_900);
    expect(server.serverLog.times('throttle_twice')).toBe(3);
  });

  test('a Retry-After that is too long fails the call at once, with its value', async () => {
    await using server = await startHostileServer();
    await using scene = await openHttpScene(server);
    const failure = await failed(scene.client, 'bad__throttle');
    expect(failure.attempts).toBe(1);
    expect(failure.retryAfterMs).toBeGreaterThan(100_000);
  });
});

describe.concurrent('away', () => {
  test('calls fail at once, without effect, and succeed again when it is back', async () => {
    await using server = await startHostileServer();
    await using scene = await openHttpScene(server);
    await scene.client.call('bad__echo');
    await server.stop();
    const failure = await failed(scene.client, 'bad__write');
    expect(failure.ambiguous ?? false).toBe(false);
    await server.start();
    expect(textOf(await scene.client.call('bad__write', {}, { limitMs: deadlineMs }))).toBe('Written 1 times.');
  });

  test('it comes back during the retries of a call', async () => {
    await using server = await startHostileServer();
    await using scene = await openHttpScene(server, {
      defaults: {
        // Only the retries are under test: a busy machine must not reach the time limit.
        timeout_ms: 10_000,
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

  test('mute: the client has an answer in time, another server is not blocked', async () => {
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

  test('503: retried if that is safe', async () => {
    await using server = await startHostileServer();
    await using scene = await openHttpScene(server);
    expect(await failed(scene.client, 'bad__unavailable')).toMatchObject({ attempts, classification: 'transient' });
  });
});

describe.concurrent('credentials', () => {
  test("the client's are not forwarded, and the server's errors about them are redacted", async () => {
    await using server = await startHostileServer();
    await using scene = await openHttpScene(server, { client: { headers: { authorization: 'Bearer of-the-client' } } });
    await scene.client.call('bad__echo');
    expect(server.serverLog.lines().filter((line) => line.endsWith(' authorized'))).toEqual([]);
    const answerText = JSON.stringify(await scene.client.call('bad__unauthorized', {}, { limitMs: deadlineMs }));
    expect(answerText).not.toContain('sk-live-');
  });

  test("the manifest's are sent, and a redirect to another host is not followed", async () => {
    process.env['FAULTS_TOKEN'] = 'token-of-the-upstream';
    await using server = await startHostileServer();
    await using scene = await openHttpScene(server, { bad: { headers: { authorization: { env: 'FAULTS_TOKEN', prefix: 'Bearer ' } } } });
    await scene.client.call('bad__echo');
    expect(server.serverLog.lines()).toContain('http tools/call authorized');
    expect(await failed(scene.client, 'bad__redirect')).toBeDefined();
  });
});

test.concurrent('a client that disconnects: the request to the server is cancelled', async ({ expect }) => {
  await using server = await startHostileServer('modern');
  await using scene = await openHttpScene(server, { defaults: { timeout_ms: 20_000 } });
  const other = await scene.connect({ era: 'modern' });
  const called = other.call('bad__hang', {}, { limitMs: 20_000 });
  called.catch(() => undefined);
  await expect.poll(() => server.serverLog.times('hang'), { timeout: 10_000 }).toBe(1);
  other.drop();
  await expect.poll(() => server.serverLog.lines(), { timeout: 5_000 }).toContain('gone');
});
