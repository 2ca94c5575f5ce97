/** A stdio server that dies, hangs or sends junk: what the client sees. */
import { describe, expect, test } from 'vitest';
import { textOf } from '../fixtures/client/raw-client.ts';
import { attempts, attemptMs, deadlineMs, failed, failureOf, openScene } from './scene.ts';

describe.concurrent('killed in mid-call', () => {
  test('a read is retried, at a new process', async () => {
    await using scene = await openScene();
    expect(textOf(await scene.client.call('bad__die_once', {}, { limitMs: deadlineMs }))).toBe('Alive.');
    expect(scene.serverLog.times('die_once')).toBe(2);
    expect(scene.serverLog.lines().filter((line) => line.startsWith('start '))).toHaveLength(2);
  });

  test('a call that may have had an effect is not retried, and the result states it', async () => {
    await using scene = await openScene();
    expect(await failed(scene.client, 'bad__die')).toMatchObject({ ambiguous: true, attempts: 1 });
    expect(scene.serverLog.times('die')).toBe(1);
    expect(textOf(await scene.client.call('bad__echo', { message: 'back' }))).toBe('back');
  });

  test('every time: it ends after its attempts, with the last output of the server', async () => {
    await using scene = await openScene();
    expect(await failed(scene.client, 'bad__die_read')).toMatchObject({ attempts, classification: 'transient' });
    expect(scene.serverLog.times('die_read')).toBe(attempts);
    expect((await failed(scene.client, 'bad__mutter')).text).toContain('out of cheese');
  });

  test('other calls of the same server: reads are retried', async ({ expect }) => {
    await using scene = await openScene({ defaults: { timeout_ms: 5_000 } });
    const slow = scene.client.call('bad__slow', { milliseconds: 400 }, { limitMs: deadlineMs });
    await expect.poll(() => scene.serverLog.times('slow'), { timeout: 10_000 }).toBe(1);
    await failed(scene.client, 'bad__die');
    expect(textOf(await slow)).toBe('Slow, but done.');
    expect(scene.serverLog.times('slow')).toBe(2);
  });
});

describe.concurrent('no answer', () => {
  test('a call that hangs ends with its attempts, is cancelled at the server, and the server keeps running', async ({ expect }) => {
    await using scene = await openScene();
    const before = textOf(await scene.client.call('bad__pid'));
    expect(await failed(scene.client, 'bad__hang')).toMatchObject({ attempts, code: 'TOOL_TIMEOUT' });
    await expect.poll(() => scene.serverLog.lines().filter((line) => line === 'cancelled').length, { timeout: 10_000 }).toBe(attempts);
    expect(textOf(await scene.client.call('bad__pid'))).toBe(before);
  });

  test('a call that hangs and may have had an effect is not retried', async () => {
    await using scene = await openScene();
    expect(await failed(scene.client, 'bad__hang_write')).toMatchObject({ attempts: 1, ambiguous: true });
    expect(scene.serverLog.times('hang_write')).toBe(1);
  });

  test('a frozen process is replaced', async () => {
    await using scene = await openScene({ bad: { health_timeout_ms: 200 } });
    await failed(scene.client, 'bad__freeze');
    expect(textOf(await scene.client.call('bad__echo', { message: 'thawed' }, { limitMs: deadlineMs }))).toBe('thawed');
  });

  test('an answer to an unknown request is ignored', async () => {
    await using scene = await openScene();
    expect(await failed(scene.client, 'bad__wrong_id')).toMatchObject({ code: 'TOOL_TIMEOUT' });
  });

  test('progress without an answer: the idle limit counts from the last progress', async () => {
    await using scene = await openScene({ defaults: { timeout_ms: 5_000 }, bad: { idle_timeout_ms: 300 } });
    expect(textOf(await scene.client.call('bad__slow', { milliseconds: 1_000 }))).toBe('Slow, but done.');
    expect(await failed(scene.client, 'bad__hang_write')).toMatchObject({ attempts: 1 });
  });
});

describe.concurrent('strange answers', () => {
  test('junk between messages is ignored', async () => {
    await using scene = await openScene();
    expect(textOf(await scene.client.call('bad__junk'))).toBe('Amid junk.');
    expect(textOf(await scene.client.call('bad__echo', { message: 'still' }))).toBe('still');
  });

  test('a second answer is ignored', async () => {
    await using scene = await openScene();
    expect(textOf(await scene.client.call('bad__double'))).toBe('first');
    expect(textOf(await scene.client.call('bad__echo', { message: 'next' }))).toBe('next');
  });

  test.for(['malformed', 'no_content'])('%s: an invalid result is answered', async (tool) => {
    await using scene = await openScene();
    expect(await scene.client.call(`bad__${tool}`, {}, { limitMs: deadlineMs })).toBeDefined();
    expect(textOf(await scene.client.call('bad__echo', { message: 'next' }))).toBe('next');
  });

  test('unknown fields are passed on unchanged', async () => {
    await using scene = await openScene();
    expect(await scene.client.call('bad__strange')).toMatchObject({
      content: [{ type: 'hologram', data: { x: 1 } }],
      'x-unknown': { kept: true },
      _meta: { 'example.org/kept': 1 },
    });
  });

  test('a protocol error stays one', async () => {
    await using scene = await openScene();
    await expect(scene.client.call('bad__invalid_params')).rejects.toMatchObject({
      code: -32602,
      message: 'city is unknown',
      data: { field: 'city' },
    });
  });
});

describe.concurrent('large answers', () => {
  test('12 MB are kept as a resource, which can be read completely', async () => {
    await using scene = await openScene({ defaults: { timeout_ms: 20_000 } });
    const answer = await scene.client.call('bad__huge', { bytes: 12_000_000 });
    expect(JSON.stringify(answer).length).toBeLessThan(1_100_000);
    const uri = /holdfast:\/\/results\/[\w-]+/.exec(JSON.stringify(answer))?.[0];
    expect(uri).toBeDefined();
    const { contents } = await scene.client.request('resources/read', { uri });
    expect(JSON.stringify(contents)).toContain('x'.repeat(12_000_000));
  });

  test('100 MB fail only their own call', { timeout: 60_000 }, async () => {
    await using scene = await openScene({ defaults: { timeout_ms: 20_000 } });
    const before = textOf(await scene.client.call('bad__pid'));
    const slow = scene.client.call('bad__slow', { milliseconds: 300 });
    const failure = failureOf(await scene.client.call('bad__huge', { bytes: 100_000_000 }, { limitMs: 40_000 }));
    expect(failure.classification).toBe('permanent');
    expect(textOf(await slow)).toBe('Slow, but done.');
    expect(textOf(await scene.client.call('bad__pid'))).toBe(before);
  });
});

describe.concurrent('starting', () => {
  test('a server that starts slowly does not block others, and answers when it is up', { timeout: 60_000 }, async ({ expect }) => {
    await using scene = await openScene({ environment: { HOSTILE_START: '5000' }, defaults: { timeout_ms: 10_000 } });
    const stateOfBad = (): string | undefined => scene.gateway.gateway.upstreams().find(({ name }) => name === 'bad')?.state;
    expect(textOf(await scene.client.call('good__echo', { message: 'first' }))).toBe('first');
    expect(stateOfBad()).toBe('connecting');
    await expect.poll(stateOfBad, { timeout: 30_000 }).toBe('up');
    const offered = async (): Promise<string> => JSON.stringify(await scene.client.request('tools/list'));
    await expect.poll(offered, { timeout: 10_000 }).toContain('"bad__echo"');
    expect(textOf(await scene.client.call('bad__echo', { message: 'late' }))).toBe('late');
  });

  test.for(['never', 'mute'])('a server that does not start (%s) does not affect the others, and its error is reported', async (start) => {
    await using scene = await openScene({ environment: { HOSTILE_START: start }, bad: { startup_timeout_ms: 600 } });
    expect(textOf(await scene.client.call('good__echo', { message: 'here' }))).toBe('here');
    const listed = (await scene.client.request('tools/list'))['tools'] as readonly { readonly name: string }[];
    expect(listed.map(({ name }) => name)).toContain('good__echo');
  });

  test('a server that cannot be restarted: its tools stay listed, their calls fail at once with its last output', async () => {
    await using scene = await openScene({ environment: { HOSTILE_START: 'once' } });
    await scene.client.call('bad__echo');
    await failed(scene.client, 'bad__die');
    const failure = await failed(scene.client, 'bad__echo');
    expect(failure.text).toContain('no cheese');
    const listed = (await scene.client.request('tools/list'))['tools'] as readonly { readonly name: string }[];
    expect(listed.map(({ name }) => name)).toContain('bad__echo');
    expect(textOf(await scene.client.call('good__echo', { message: 'here' }))).toBe('here');
  });
});

describe.concurrent('several servers', () => {
  test('many calls that hang at one server do not block another', async ({ expect }) => {
    await using scene = await openScene({ defaults: { timeout_ms: 60_000 } });
    let ended = 0;
    const hanging = Array.from({ length: 30 }, async () => {
      await scene.client.call('bad__hang', {}, { limitMs: 60_000 }).catch(() => undefined);
      ended += 1;
    });
    await expect.poll(() => scene.serverLog.times('hang'), { timeout: 10_000 }).toBe(30);
    for (let calls = 0; calls < 100; calls += 1)
      expect(textOf(await scene.client.call('good__echo', { message: String(calls) }))).toBe(String(calls));
    expect(ended).toBe(0);
    scene.client.drop();
    await Promise.all(hanging);
  });

  test('an open circuit refuses without a request to the server, and only for its own tool', async () => {
    await using scene = await openScene({ defaults: { circuit_breaker: { failure_threshold: 3, open_ms: 60_000 } } });
    expect(await failed(scene.client, 'bad__fail')).toMatchObject({ attempts: 3 });
    const asked = scene.serverLog.times('fail');
    const refused = await failed(scene.client, 'bad__fail');
    expect(refused).toMatchObject({ attempts: 0, circuit: 'open' });
    expect(refused.retryAfterMs).toBeGreaterThan(0);
    expect(scene.serverLog.times('fail')).toBe(asked);
    expect(textOf(await scene.client.call('bad__echo', { message: 'open' }))).toBe('open');
  });
});

describe.concurrent('secrets', () => {
  test.for(['secret', 'secret_error'])('%s: a detected one does not reach the client', async (tool) => {
    await using scene = await openScene();
    const answer = await scene.client.call(`bad__${tool}`).catch((error: unknown) => ({ message: String(error), ...(error as object) }));
    const answerText = JSON.stringify(answer);
    expect(answerText).not.toContain('hunter2');
    expect(answerText).not.toContain('sk-live-');
    expect(answerText).not.toContain('/srv/secret/place.js');
  });

  test('one from the manifest is never sent to the client', async () => {
    process.env['FAULTS_UPSTREAM_KEY'] = 'plain words that look like nothing';
    await using scene = await openScene({ environment: { UPSTREAM_KEY: { env: 'FAULTS_UPSTREAM_KEY' } } });
    const answer = await scene.client.call('bad__configured_secret');
    expect(textOf(answer)).toContain('refused the key');
    expect(JSON.stringify(answer)).not.toContain('plain words that look like nothing');
  });
});

describe.concurrent('the client', () => {
  test('disconnects: its call is cancelled at the server', async ({ expect }) => {
    await using scene = await openScene({ defaults: { timeout_ms: 20_000 } });
    const other = await scene.connect({ era: 'modern' });
    const called = other.call('bad__hang', {}, { limitMs: 20_000 });
    called.catch(() => undefined);
    await expect.poll(() => scene.serverLog.times('hang'), { timeout: 10_000 }).toBe(1);
    other.drop();
    await expect(called).rejects.toThrow(/socket|hang up|abort|destroy/i);
    await expect.poll(() => scene.serverLog.lines(), { timeout: 5_000 }).toContain('cancelled');
    expect(scene.serverLog.times('hang')).toBe(1);
  });

  test('has its answer in time even if it is queued', async () => {
    await using scene = await openScene({ bad: { defaults: { concurrency: { limit: 1 } } } });
    const answers = await Promise.all(Array.from({ length: 2 }, async () => await failed(scene.client, 'bad__hang_write')));
    expect(answers.map(({ attempts: made }) => made)).toEqual([1, 1]);
    expect(attemptMs).toBeLessThan(deadlineMs);
  });
});
