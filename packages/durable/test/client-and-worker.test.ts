import { once } from 'node:events';
import { createServer as createHttpServer } from 'node:http';
import { connect } from 'node:http2';
import { createServer, type Server } from 'node:net';
import { networkInterfaces } from 'node:os';
import { inspect } from 'node:util';
import { defineTool, ToolExecutionService, type TurnPlan } from '@holdfast/core';
import { createTurnClient, createTurnEndpoint, createTurnWorker, isEngineUnavailable, registerDeployment } from '@holdfast/durable';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { until } from './support/observe.ts';
import { echo, echoAndHang, startScene, type Scene } from './support/scene.ts';
import { addressesOf } from './support/addresses.ts';

let scene: Scene;

beforeAll(async () => {
  scene = await startScene();
});

afterAll(() => scene.stop());

describe('a client', () => {
  test('does not know a turn that was never submitted', async () => {
    expect(await scene.client.state('nobody')).toBe('unknown');
    expect(await scene.client.peek('nobody')).toBeUndefined();
    expect(await scene.client.cancel('nobody')).toBe('unknown');
    await expect(scene.client.result('nobody')).rejects.toMatchObject({ code: 'TURN_UNKNOWN' });
    // Waiting for its end has not created it.
    expect((await scene.client.run(echo('nobody'))).outcome).toBe('success');
  });

  test('waits no longer than its limit, and the turn continues', async () => {
    await expect(scene.client.run(echoAndHang('pending'), { waitMs: 100 })).rejects.toMatchObject({ code: 'TURN_PENDING' });
    const reason = new Error('enough');
    await expect(scene.client.result('pending', { signal: AbortSignal.abort(reason) })).rejects.toBe(reason);
    expect(await scene.client.state('pending')).toBe('running');
    await scene.client.cancel('pending');
    expect((await scene.client.result('pending')).outcome).toBe('cancelled');
  });

  test.each(['.', '..', 'a\u0000b', 'half \uD83D', '\uDE00 half'])('refuses the turn id %j, which cannot be in a URL', async (turnId) => {
    const asked = [
      scene.client.run(echo(turnId)),
      scene.client.submit(echo(turnId)),
      scene.client.result(turnId),
      scene.client.peek(turnId),
      scene.client.state(turnId),
      scene.client.cancel(turnId),
      scene.client.resume(turnId),
    ];
    const message = expect.stringMatching(/^turnId = ".*" is invalid: it .*\. Give the turn another id/) as unknown;
    for (const outcome of await Promise.allSettled(asked)) {
      expect(outcome).toMatchObject({ status: 'rejected', reason: { code: 'TURN_REFUSED', turnId, message } });
    }
    await expect(scene.client.result('')).rejects.toMatchObject({ code: 'TURN_REFUSED' });
  });

  test('that does not check ids is refused by the worker with the reason', async () => {
    const handIn = async (turnId: string, plan: object): Promise<string> => {
      const place = `${scene.server.ingressUrl}/holdfast_turn/${encodeURIComponent(turnId)}/run`;
      return (await fetch(place, { method: 'POST', body: JSON.stringify({ plan }) })).text();
    };
    expect(await handIn('nul \u0000', { calls: [] })).toContain('is invalid: it contains the character NUL');
    expect(await handIn('other', { turnId: '..', calls: [] })).toContain('plan.turnId = \\"..\\" is invalid');
  });

  test('ignores the order of the fields of a plan', async () => {
    const first: TurnPlan = { turnId: 'order', calls: [{ callId: 'A', toolName: 'echo', arguments: { x: 1, y: { a: 1, b: [1, 2] } } }] };
    const same: TurnPlan = { calls: [{ arguments: { y: { b: [1, 2], a: 1 }, x: 1 }, toolName: 'echo', callId: 'A' }], turnId: 'order' };
    const other: TurnPlan = { turnId: 'order', calls: [{ callId: 'A', toolName: 'echo', arguments: { x: 1, y: { a: 1, b: [2, 1] } } }] };
    const result = await scene.client.run(first);
    expect(await scene.client.run(same)).toEqual(result);
    await expect(scene.client.run(other)).rejects.toMatchObject({ code: 'TURN_CONFLICT' });
  });

  test('rejects in time with a code if the engine is lost', async () => {
    const [port] = await closedPort();
    const lost = createTurnClient({ ingressUrl: `http://127.0.0.1:${String(port)}`, timeoutMs: 2_000 });
    const asked = [
      lost.run(echo('a')),
      lost.submit(echo('a')),
      lost.result('a'),
      lost.peek('a'),
      lost.state('a'),
      lost.cancel('a'),
      lost.health(),
    ];
    for (const outcome of await Promise.allSettled(asked)) {
      expect(outcome).toMatchObject({ status: 'rejected', reason: { code: 'ENGINE_UNAVAILABLE', trouble: 'unreachable' } });
    }
  });

  test('rejects in time with a code if the engine hangs', async () => {
    const silent = await listening(createServer());
    const lost = createTurnClient({ ingressUrl: `http://127.0.0.1:${portOf(silent)}`, timeoutMs: 200 });
    const failure: unknown = await lost.submit(echo('a')).catch((error: unknown) => error);
    expect(isEngineUnavailable(failure) && failure.trouble).toBe('timeout');
    silent.close();
  });

  test('reports that no worker is registered', async () => {
    const unregistered = createTurnClient({ ...addressesOf(scene.server), serviceName: 'not_registered' });
    await expect(unregistered.submit(echo('a'))).rejects.toMatchObject({
      code: 'ENGINE_UNAVAILABLE',
      message: expect.stringContaining('No worker is registered') as unknown,
    });
  });
});

describe('a worker', () => {
  test('listens on loopback by default', async () => {
    expect(scene.worker.url).toBe(`http://127.0.0.1:${scene.worker.port}`);
    const outside = Object.values(networkInterfaces()).flatMap((all) =>
      (all ?? []).filter(({ internal, family }) => !internal && family === 'IPv4'),
    );
    for (const { address } of outside) {
      const session = connect(`http://${address}:${scene.worker.port}`);
      await expect(once(session, 'connect')).rejects.toThrow('connect');
      session.destroy();
    }
  });

  test('that Restate does not accept does not start', async () => {
    const [port] = await closedPort();
    const lost = createTurnWorker({ service: scene.service, register: { adminUrl: `http://127.0.0.1:${String(port)}` } });
    await expect(lost).rejects.toMatchObject({ code: 'ENGINE_UNAVAILABLE' });
    const nowhere = registerDeployment({ adminUrl: scene.server.adminUrl, url: `http://127.0.0.1:${String(port)}` });
    await expect(nowhere).rejects.toMatchObject({ code: 'ENGINE_UNAVAILABLE', trouble: 'fault' });
  });

  test('that is not accepted is reported without its password', async () => {
    const [port] = await closedPort();
    const failure = await failureOf(
      registerDeployment({ adminUrl: scene.server.adminUrl, url: `http://user:pass@word@127.0.0.1:${String(port)}/` }),
    );
    expect(failure).toMatchObject({ code: 'ENGINE_UNAVAILABLE', trouble: 'fault' });
    expect(inspect(failure)).toContain(`http://127.0.0.1:${String(port)}`);
    expect(inspect(failure)).not.toMatch(/user|pass|word/);
    const lost = await failureOf(registerDeployment({ adminUrl: `http://user:pass@127.0.0.1:${String(port)}`, url: scene.worker.url }));
    expect(lost).toMatchObject({ code: 'ENGINE_UNAVAILABLE' });
    expect(inspect(lost)).not.toMatch(/user:|pass/);
  });

  test.each(['<html>sign in</html>', '{}', '[]', ''])('does not start with a server that answers %j: it is not Restate', async (text) => {
    const stranger = createHttpServer((_request, response) => response.end(text)).listen(0, '127.0.0.1');
    await once(stranger, 'listening');
    const adminUrl = `http://127.0.0.1:${portOf(stranger)}`;
    const failure = await failureOf(registerDeployment({ adminUrl, url: scene.worker.url }));
    expect(failure).toMatchObject({ code: 'ENGINE_UNAVAILABLE', trouble: 'fault' });
    expect(failure.message).toBe(`The server at adminUrl = ${adminUrl} is not Restate (HTTP 200): ${text}`);
    await expect(createTurnClient({ ingressUrl: adminUrl }).peek('a')).rejects.toMatchObject({
      code: 'ENGINE_UNAVAILABLE',
      trouble: 'fault',
    });
    await expect(createTurnClient({ ingressUrl: adminUrl, adminUrl }).paused()).rejects.toMatchObject({
      code: 'ENGINE_UNAVAILABLE',
      trouble: 'fault',
    });
    stranger.close();
  });

  test.each([
    [
      { serviceName: 'no name' },
      "createTurnEndpoint.serviceName must be a service name for Restate: a letter, then letters, digits, _, . and -, got 'no name'.",
    ],
    [{ maxAttemptMs: 1.5 }, 'createTurnEndpoint.maxAttemptMs must be whole milliseconds, 1000 or more, got 1.5.'],
    [{ pauseAfterRetries: 0 }, 'createTurnEndpoint.pauseAfterRetries must be a whole number, 1 or more, got 0.'],
    [{ resultRetentionMs: -1 }, 'createTurnEndpoint.resultRetentionMs must be whole milliseconds, 0 or more, got -1.'],
    [{ identityKeys: ['secret'] }, 'createTurnEndpoint.identityKeys[0] must be a public key of Restate'],
    [{ identityKey: [] }, "createTurnEndpoint has no setting 'identityKey'. Did you mean 'identityKeys'?"],
  ])('with %o does not start', (option, message) => {
    expect(() => createTurnEndpoint({ service: scene.service, ...option })).toThrow(message);
  });

  test('with identity keys refuses unsigned requests', async () => {
    const identityKeys = ['publickeyv1_w7YHemBctH5Ck2nQRQ47iBBqhNHy4FV7t2Usbye2A6f'];
    const strict = createTurnWorker({ service: scene.service, identityKeys, register: { adminUrl: scene.server.adminUrl } });
    await expect(strict).rejects.toMatchObject({ code: 'ENGINE_UNAVAILABLE', message: expect.stringContaining('401') as unknown });
  });

  test('lets running turns end before it closes', async () => {
    const held: ((output: string) => void)[] = [];
    const tool = defineTool({ name: 'held', run: () => new Promise<string>((resolve) => held.push(resolve)) });
    const own = new ToolExecutionService({ tools: [tool] });
    const leaving = await createTurnWorker({ service: own, serviceName: 'leaving', register: { adminUrl: scene.server.adminUrl } });
    const leavingClient = createTurnClient({ ...addressesOf(scene.server), serviceName: 'leaving' });
    const turn = leavingClient.run({ calls: [{ toolName: 'held' }] });
    const release = await until(() => held[0], 'the call is held');
    expect(leaving.underWay()).toBe(1);
    const closed = leaving.close();
    release('done');
    expect(await closed).toBe(true);
    expect((await turn).outcome).toBe('success');
    await own.close();
  });
});

const failureOf = async (promise: Promise<unknown>): Promise<Error> => {
  const failure: unknown = await promise.catch((error: unknown) => error);
  if (!(failure instanceof Error)) throw new Error('It did not fail');
  return failure;
};

const portOf = (listener: Server): number => {
  const address = listener.address();
  return typeof address === 'object' && address !== null ? address.port : 0;
};

async function listening(listener: Server): Promise<Server> {
  listener.listen(0, '127.0.0.1');
  await once(listener, 'listening');
  return listener;
}

/** A port without a listener. */
async function closedPort(): Promise<readonly [number]> {
  const listener = await listening(createServer());
  const port = portOf(listener);
  listener.close();
  await once(listener, 'close');
  return [port];
}
