import { connect } from 'node:http2';
import { once } from 'node:events';
import { createServer, type Server } from 'node:net';
import { networkInterfaces } from 'node:os';
import { defineTool, ref, ToolExecutionService, type TurnPlan } from '@holdfast/core';
import {
  createTurnClient,
  createTurnEndpoint,
  createTurnWorker,
  isEngineUnavailable,
  registerDeployment,
  type TurnClient,
  type TurnWorker,
  type WorkerLogEntry,
} from '@holdfast/durable';
import { startRestateServer, type RestateServer } from '@holdfast/durable/testing';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { until } from './support/observe.ts';

let server: RestateServer;
let worker: TurnWorker;
let client: TurnClient;
const service = new ToolExecutionService({ tools: createTools(), policy: { breaker: false } });
const logs: WorkerLogEntry[] = [];
let ran: string[] = [];
let begun = 0;

function createTools() {
  return [
    defineTool({
      name: 'echo',
      run: (args: unknown, { callId, turnId }) => {
        ran.push(`${turnId} ${callId}`);
        return { callId, args };
      },
    }),
    defineTool({
      name: 'hang',
      run: () => {
        begun += 1;
        return new Promise(() => undefined);
      },
    }),
    defineTool({
      name: 'throwing',
      run: () => {
        throw new Error('not today');
      },
    }),
    defineTool({ name: 'large', maxOutputChars: 20_000_000, run: ({ size }: { readonly size: number }) => 'x'.repeat(size) }),
    defineTool({ name: 'odd', run: () => ({ big: 10n, gone: undefined, when: new Date(0), by: new Map([[1, 2]]) }) }),
  ];
}

beforeAll(async () => {
  server = await startRestateServer();
  worker = await createTurnWorker({ service, register: { adminUrl: server.adminUrl }, onLog: (entry) => logs.push(entry) });
  client = createTurnClient(server);
});

afterAll(async () => {
  await worker.close();
  await service.close();
  await server.stop();
});

beforeEach(() => {
  ran = [];
  begun = 0;
});

const echo = (turnId: string): TurnPlan => ({ turnId, calls: [{ callId: 'A', toolName: 'echo', arguments: { x: 1 } }] });
const hanging = (turnId: string): TurnPlan => ({
  turnId,
  calls: [
    { callId: 'A', toolName: 'echo' },
    { callId: 'H', toolName: 'hang' },
  ],
});

describe('a durable turn', () => {
  test('ends as in process: outputs go on to the calls that refer to them', async () => {
    const plan: TurnPlan = {
      turnId: 'diamond',
      calls: [
        { callId: 'A', toolName: 'echo', arguments: { x: 1 } },
        { callId: 'B', toolName: 'echo', arguments: { of: ref('A', 'args.x') } },
        { callId: 'C', toolName: 'throwing', dependsOn: ['A'], optional: true },
        { callId: 'D', toolName: 'echo', arguments: { b: ref('B', 'args.of') } },
      ],
    };
    const result = await client.run(plan);
    expect(result).toMatchObject({ turnId: 'diamond', outcome: 'success', escalated: false });
    expect(result.results.map(({ callId, status }) => [callId, status])).toEqual([
      ['A', 'success'],
      ['B', 'success'],
      ['C', 'error'],
      ['D', 'success'],
    ]);
    expect(result.results[3]).toMatchObject({ output: { callId: 'D', args: { b: 1 } } });
    expect(result).not.toHaveProperty('trace');
  });

  test('brings its trace where it is asked for', async () => {
    const { trace } = await client.run(echo('traced'), { trace: true, executionId: 'run-1' });
    expect(trace?.map(({ event_type: type }) => type)).toEqual([
      'TurnStarted',
      'CallStarted',
      'AttemptStarted',
      'ToolSucceeded',
      'CallCompleted',
      'TurnCompleted',
    ]);
    expect(trace?.[0]).toMatchObject({ turn_id: 'traced', execution_id: 'run-1' });
  });

  test('without an id gets one of its own', async () => {
    const { turnId } = await client.run({ calls: [{ toolName: 'echo' }] });
    const other = await client.run({ calls: [{ toolName: 'echo' }] });
    expect(turnId).not.toBe(other.turnId);
    expect(ran).toEqual([`${turnId} call-1`, `${other.turnId} call-1`]);
  });

  test('has any text for an id', async () => {
    const turnId = "it's/a turn?#%😀";
    expect((await client.run(echo(turnId))).turnId).toBe(turnId);
    expect(await client.state(turnId)).toBe('completed');
  });

  test('that is handed in twice is run once', async () => {
    expect(await client.submit(echo('twice'))).toEqual({ turnId: 'twice', status: 'accepted' });
    expect(await client.submit(echo('twice'))).toEqual({ turnId: 'twice', status: 'known' });
    const results = await Promise.all([client.run(echo('twice')), client.result('twice')]);
    expect(results[0]).toEqual(results[1]);
    expect(ran).toEqual(['twice A']);
  });

  test('whose id belongs to another plan is refused', async () => {
    await client.run(echo('taken'));
    const other = client.run({ turnId: 'taken', calls: [{ callId: 'B', toolName: 'echo' }] });
    await expect(other).rejects.toMatchObject({ code: 'TURN_CONFLICT', turnId: 'taken' });
    expect(ran).toEqual(['taken A']);
  });

  test('that is no plan is refused once, with field, value and mend', async () => {
    const plan = { turnId: 'no-plan', calls: 3 } as unknown as TurnPlan;
    const refusal = 'plan = {"turnId":"no-plan","calls":3} cannot be used. Hand in a plan: { calls: [{ callId, toolName, arguments }] }.';
    await expect(client.run(plan)).rejects.toMatchObject({ code: 'TURN_REFUSED', message: refusal });
    await expect(client.peek('no-plan')).rejects.toMatchObject({ code: 'TURN_REFUSED' });
    expect(await client.state('no-plan')).toBe('failed');
    expect(logs.filter(({ turnId }) => turnId === 'no-plan').map(({ message }) => message)).toEqual([
      `The turn ended without a result: ${refusal}`,
    ]);
  });

  test.each([
    ['not JSON', 'A turn is handed in as JSON { plan }, not as "not JSON".'],
    ['[]', 'A turn is handed in as JSON { plan }, not as [].'],
    ['', 'A turn is handed in as JSON { plan }, not as "".'],
    ['{"plam":{}}', 'plam = {} is no field of a turn. Leave it out.'],
    ['{"plan":{"calls":[]},"trace":1}', 'trace = 1 cannot be used. Say true or false, or leave it out.'],
    ['{"plan":{"calls":[]},"executionId":""}', 'executionId = "" cannot be used. Name it with a text, or leave it out.'],
  ])('handed in as %s is refused', async (body, message) => {
    const url = `${server.ingressUrl}/holdfast_turn/${encodeURIComponent(`raw ${body}`)}/run`;
    const answer = await fetch(url, { method: 'POST', body, headers: { 'content-type': 'application/json' } });
    expect([answer.status, ((await answer.json()) as { readonly message: string }).message]).toEqual([400, message]);
  });

  test('with a plan that cannot be run says so in its result', async () => {
    const result = await client.run({ turnId: 'cycle', calls: [{ callId: 'A', toolName: 'echo', dependsOn: ['B'] }] });
    expect(result).toMatchObject({ outcome: 'failed', problems: ["Call 'A' depends on 'B', which is not in the plan."] });
  });

  test('ends at its deadline with what there is', async () => {
    const result = await client.run({ ...hanging('late'), timeoutMs: 300 });
    expect(result.outcome).toBe('deadline');
    expect(result.results.map(({ status }) => status)).toEqual(['success', 'timeout']);
    expect(result.executionTime).toBeGreaterThanOrEqual(300);
  });

  test('that is cancelled answers what was done by then', async () => {
    await client.submit(hanging('cancelled'));
    await until(() => begun === 1 && ran.length === 1, 'both calls run');
    expect(await client.state('cancelled')).toBe('running');
    expect(await client.peek('cancelled')).toBeUndefined();
    expect(await client.cancel('cancelled', 'the user went away')).toBe('cancelled');
    const result = await client.result('cancelled');
    expect(result.outcome).toBe('cancelled');
    expect(JSON.stringify(result.results[1])).toContain('the user went away');
    expect(await client.cancel('cancelled')).toBe('over');
    expect(await client.peek('cancelled')).toEqual(result);
  });

  test('that is cancelled in Restate itself answers, too', async () => {
    await client.submit(hanging('operator'));
    await until(() => begun === 1, 'the call hangs');
    const answer = await fetch(`${server.adminUrl}/query`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', accept: 'application/json' },
      body: JSON.stringify({ query: "SELECT id FROM sys_invocation WHERE target_service_key = 'operator'" }),
    });
    const { rows } = (await answer.json()) as { readonly rows: readonly { readonly id: string }[] };
    await fetch(`${server.adminUrl}/invocations/${rows[0]?.id ?? ''}/cancel`, { method: 'PATCH' });
    expect((await client.result('operator')).outcome).toBe('cancelled');
  });

  test('of 200 calls ends', async () => {
    const calls = Array.from({ length: 200 }, (_, index) => ({
      callId: `C${index}`,
      toolName: 'echo',
      dependsOn: index < 100 ? [] : [`C${index - 100}`],
    }));
    const result = await client.run({ turnId: 'wide', calls, concurrency: 64 });
    expect(result.outcome).toBe('success');
    expect(new Set(ran).size).toBe(200);
  });

  test('with outputs that are no JSON is as its journal has it', async () => {
    const result = await client.run({ turnId: 'odd', calls: [{ callId: 'A', toolName: 'odd' }] });
    expect(result.results[0]).toMatchObject({ status: 'success' });
  });

  test('with an output of 1 MB ends; with more than Restate takes it fails at once, and says what to lower', async () => {
    const large = (turnId: string, size: number): TurnPlan => ({ turnId, calls: [{ toolName: 'large', arguments: { size } }] });
    const result = await client.run(large('large', 1_000_000));
    expect(result.results[0]).toMatchObject({ status: 'success', output: 'x'.repeat(1_000_000) });
    const refusal = { code: 'TURN_REFUSED', message: expect.stringContaining('Lower maxOutputChars') as unknown };
    await expect(client.run(large('too large', 17_000_000))).rejects.toMatchObject(refusal);
  });
});

describe('a client', () => {
  test('knows nothing of a turn that nobody handed in', async () => {
    expect(await client.state('nobody')).toBe('unknown');
    expect(await client.peek('nobody')).toBeUndefined();
    expect(await client.cancel('nobody')).toBe('unknown');
    await expect(client.result('nobody')).rejects.toMatchObject({ code: 'TURN_UNKNOWN' });
    // Asking for its end did not end it beforehand.
    expect((await client.run(echo('nobody'))).outcome).toBe('success');
  });

  test('waits no longer than it was told to, and the turn goes on', async () => {
    await expect(client.run(hanging('pending'), { waitMs: 100 })).rejects.toMatchObject({ code: 'TURN_PENDING' });
    const reason = new Error('enough');
    await expect(client.result('pending', { signal: AbortSignal.abort(reason) })).rejects.toBe(reason);
    expect(await client.state('pending')).toBe('running');
    await client.cancel('pending');
    expect((await client.result('pending')).outcome).toBe('cancelled');
  });

  test('of an engine that is lost answers in time, with a code', async () => {
    const [port] = await closedPort();
    const lost = createTurnClient({ ingressUrl: `http://127.0.0.1:${String(port)}`, timeoutMs: 300 });
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

  test('of an engine that hangs answers in time, with a code', async () => {
    const silent = await listening(createServer());
    const lost = createTurnClient({ ingressUrl: `http://127.0.0.1:${portOf(silent)}`, timeoutMs: 200 });
    const failure: unknown = await lost.submit(echo('a')).catch((error: unknown) => error);
    expect(isEngineUnavailable(failure) && failure.trouble).toBe('timeout');
    silent.close();
  });

  test('says when no worker has made itself known', async () => {
    const nobody = createTurnClient({ ...server, serviceName: 'nobody_there' });
    await expect(nobody.submit(echo('a'))).rejects.toMatchObject({
      code: 'ENGINE_UNAVAILABLE',
      message: expect.stringContaining('No worker has made itself known') as unknown,
    });
  });
});

describe('a worker', () => {
  test('listens on loopback alone unless it is told otherwise', async () => {
    expect(worker.url).toBe(`http://127.0.0.1:${worker.port}`);
    const outside = Object.values(networkInterfaces()).flatMap((all) =>
      (all ?? []).filter(({ internal, family }) => !internal && family === 'IPv4'),
    );
    for (const { address } of outside) {
      const session = connect(`http://${address}:${worker.port}`);
      await expect(once(session, 'connect')).rejects.toThrow();
      session.destroy();
    }
  });

  test('that Restate cannot take does not start', async () => {
    const [port] = await closedPort();
    const lost = createTurnWorker({ service, register: { adminUrl: `http://127.0.0.1:${String(port)}` } });
    await expect(lost).rejects.toMatchObject({ code: 'ENGINE_UNAVAILABLE' });
    const nowhere = registerDeployment({ adminUrl: server.adminUrl, url: `http://127.0.0.1:${String(port)}` });
    await expect(nowhere).rejects.toMatchObject({ code: 'ENGINE_UNAVAILABLE', trouble: 'fault' });
  });

  test.each([
    [{ serviceName: 'no name' }, 'serviceName = "no name"'],
    [{ longestAttemptMs: 1.5 }, 'longestAttemptMs = 1.5'],
    [{ pauseAfterRetries: 0 }, 'pauseAfterRetries = 0'],
    [{ resultRetentionMs: -1 }, 'resultRetentionMs = -1'],
  ])('with %o does not start', (option, message) => {
    expect(() => createTurnEndpoint({ service, ...option })).toThrow(message);
  });

  test('has the turns under way end before it closes', async () => {
    const held = Promise.withResolvers<string>();
    const started = Promise.withResolvers<void>();
    const tool = defineTool({
      name: 'held',
      run: () => {
        started.resolve();
        return held.promise;
      },
    });
    const own = new ToolExecutionService({ tools: [tool] });
    const leaving = await createTurnWorker({ service: own, serviceName: 'leaving', register: { adminUrl: server.adminUrl } });
    const leavingClient = createTurnClient({ ...server, serviceName: 'leaving' });
    const turn = leavingClient.run({ calls: [{ toolName: 'held' }] });
    await started.promise;
    expect(leaving.underWay()).toBe(1);
    const closed = leaving.close();
    held.resolve('done');
    expect(await closed).toBe(true);
    expect((await turn).outcome).toBe('success');
    await own.close();
  });
});

const portOf = (listener: Server): number => {
  const address = listener.address();
  return typeof address === 'object' && address !== null ? address.port : 0;
};

async function listening(listener: Server): Promise<Server> {
  listener.listen(0, '127.0.0.1');
  await once(listener, 'listening');
  return listener;
}

/** A port on which nobody listens. */
async function closedPort(): Promise<readonly [number]> {
  const listener = await listening(createServer());
  const port = portOf(listener);
  listener.close();
  await once(listener, 'close');
  return [port];
}
