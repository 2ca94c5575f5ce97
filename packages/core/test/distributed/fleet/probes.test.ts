/** The fleet's one probe: requested before the local probe, and how it ends. */
import { describe, expect, test } from 'vitest';
import { down, world, type Worker, type World } from './fleet-world.ts';

/** Workers with open circuits, as is the fleet's; the open period is over. */
async function halfOpenFleet(count = 3): Promise<World & { readonly fleet: readonly Worker[] }> {
  const env = world();
  const fleet = env.workers(count);
  for (const worker of fleet) await worker.fail();
  await env.system.advance(30_100);
  expect(fleet.map((worker) => worker.circuit())).toEqual(fleet.map(() => 'half_open'));
  return { ...env, fleet };
}

const runsOf = (fleet: readonly Worker[]): number => fleet.reduce((sum, worker) => sum + worker.runs(), 0);

describe('after the cool-down', () => {
  test.each([true, false])('one of 200 calls at three workers is the probe (it succeeds: %s)', async (succeeds) => {
    const { system, fleet, coordinator } = await halfOpenFleet();
    const before = runsOf(fleet);
    let finish: () => void = () => undefined;
    const gate = new Promise<void>((resolve) => (finish = resolve));
    for (const worker of fleet)
      worker.behave(async () => {
        await gate;
        if (!succeeds) throw down;
      });
    const calls = Array.from({ length: 200 }, (_, index) => (fleet[index % 3] as Worker).call());
    await system.advance(500);
    expect(runsOf(fleet) - before).toBe(1);
    expect(coordinator.requests.acquireProbe).toBe(3);
    finish();
    const results = await Promise.all(calls);
    expect(results.filter(({ status }) => status === 'success').length).toBe(succeeds ? 1 : 0);
    expect(results.filter((result) => result.status !== 'success' && result.error.code === 'CIRCUIT_OPEN').length).toBe(199);
    await system.advance(1_500);
    const state = succeeds ? 'closed' : 'open';
    expect(fleet.map((worker) => worker.circuit())).toEqual([state, state, state]);
    await Promise.all(fleet.map((worker) => worker.call()));
    expect(runsOf(fleet) - before).toBe(succeeds ? 4 : 1);
  });

  test('a call is refused at once while another call of the same worker requests the probe', async () => {
    const { system, fleet, coordinator } = await halfOpenFleet(1);
    const [worker] = fleet as [Worker];
    coordinator.mode = 'slow';
    const first = worker.call();
    expect(await worker.call()).toMatchObject({ status: 'error', error: { code: 'CIRCUIT_OPEN' } });
    expect(coordinator.requests.acquireProbe).toBe(1);
    await system.until(first);
  });

  test('the probe of a worker that has crashed is granted to another one after its lease', async () => {
    const { system, fleet } = await halfOpenFleet();
    const [gone, other] = fleet as [Worker, Worker, Worker];
    gone.behave(() => new Promise(() => undefined));
    void gone.call();
    await system.settle();
    other.behave(() => 'ok');
    const runs = other.runs();
    await system.advance(20_000);
    expect(await other.call()).toMatchObject({ status: 'error' });
    expect(other.runs()).toBe(runs);
    await gone.service.close();
    await system.advance(45_000);
    expect(await other.call()).toMatchObject({ status: 'success' });
  });
});

describe('a probe', () => {
  test('is returned unused when the requesting call is cancelled meanwhile, and the next worker gets it', async () => {
    const { system, fleet, coordinator } = await halfOpenFleet(2);
    const [one, two] = fleet as [Worker, Worker];
    two.behave(() => 'ok');
    const cancel = system.createCancelSource();
    const runs = one.runs();
    const call = one.service.executeTool({ toolName: 'search', arguments: {} }, { signal: cancel.signal });
    cancel.abort(() => new Error('enough'));
    expect(await call).toMatchObject({ status: 'error' });
    await system.settle();
    expect([one.runs() - runs, coordinator.requests.probeEnded]).toEqual([0, 1]);
    await system.advance(1_100);
    expect(await two.call()).toMatchObject({ status: 'success' });
  });

  test('ends for the fleet only after as many local probes as the local circuit needs', async () => {
    const env = world();
    const worker = env.worker('alone', {}, { breaker: { successThreshold: 3 } });
    await worker.fail();
    await env.system.advance(30_100);
    for (const ends of [0, 0, 1]) {
      await worker.succeed();
      await env.system.settle();
      expect(env.coordinator.requests.probeEnded).toBe(ends);
    }
    expect([worker.circuit(), env.coordinator.requests.acquireProbe]).toEqual(['closed', 1]);
  });

  test('is returned unused when its worker needs more probes and there are no calls', async () => {
    const env = world();
    const [one, two] = [env.worker('one', {}, { breaker: { successThreshold: 2 } }), env.worker('two')];
    for (const worker of [one, two]) await worker.fail();
    await env.system.advance(30_100);
    await one.succeed();
    await env.system.advance(2_100);
    two.behave(() => 'ok');
    expect(await two.call()).toMatchObject({ status: 'success' });
    await env.system.advance(1_100);
    expect(one.circuit()).toBe('closed');
  });

  test('is reported as ended again when the coordinator has not received it', async () => {
    const { system, fleet, coordinator } = await halfOpenFleet(2);
    const [one, two] = fleet as [Worker, Worker];
    one.behave(() => {
      coordinator.mode = 'rejects';
      return 'ok';
    });
    expect(await one.call()).toMatchObject({ status: 'success' });
    await system.advance(500);
    coordinator.mode = 'answers';
    await system.advance(4_000);
    expect([one.circuit(), two.circuit()]).toEqual(['closed', 'closed']);
  });

  test('is returned when the service closes', async () => {
    const env = world();
    const [one, two] = [env.worker('one', {}, { breaker: { successThreshold: 2 } }), env.worker('two')];
    for (const worker of [one, two]) await worker.fail();
    await env.system.advance(30_100);
    await one.succeed();
    await one.service.close();
    two.behave(() => 'ok');
    expect(await two.call()).toMatchObject({ status: 'success' });
  });
});

test('of the calls that wait for a slot when the circuit turns half-open, one requests the probe and the others are refused; without a slot the probe is returned', async () => {
  const { worker, coordinator, system } = world();
  const [one, two] = [worker('one'), worker('two')];
  await one.fail();
  await two.fail();
  await system.advance(40_000);
  const busy = worker('busy', {}, { concurrency: { limit: 1, queue: 5 } });
  await busy.fail(1);
  let finish: () => void = () => undefined;
  busy.behave(() => new Promise<void>((resolve) => (finish = resolve)));
  const [running, ...queued] = [busy.call(), busy.call(), busy.call()];
  await system.settle();
  expect(busy.service.getToolHealth('search')?.queued).toBe(2);
  await system.advance(1_000);
  const codes = (await Promise.all(queued)).map((result) => (result.status === 'success' ? 'success' : result.error.code));
  expect(codes.toSorted()).toEqual(['BULKHEAD_FULL', 'CIRCUIT_OPEN']);
  expect([coordinator.requests.acquireProbe, coordinator.requests.probeEnded, busy.runs()]).toEqual([1, 1, 2]);
  expect(busy.service.getToolHealth('search')).toMatchObject({ queued: 0, inFlight: 1 });
  finish();
  await running;
  expect(busy.service.getToolHealth('search')?.inFlight).toBe(0);
});

describe('a closed circuit', () => {
  test('sends no requests and waits for none', async () => {
    const { worker, coordinator, system } = world();
    const one = worker('one');
    coordinator.mode = 'hangs';
    for (let call = 0; call < 50; call += 1) await one.succeed();
    expect([coordinator.requests, system.now()]).toEqual([{ report: 0, acquireProbe: 0, probeEnded: 0, reset: 0 }, 0]);
  });

  test('without traffic is not reported', async () => {
    const { worker, coordinator, system } = world();
    const one = worker('one');
    await system.advance(10_000);
    expect(coordinator.requests.report).toBe(0);
    await one.succeed();
    await system.advance(40_000);
    const { report } = coordinator.requests;
    expect(report).toBeLessThanOrEqual(32);
    await system.advance(10_000);
    expect(coordinator.requests.report).toBe(report);
  });

  test('in a fleet whose circuit is still open offers its calls as the probe', async () => {
    const { worker, coordinator, system } = world();
    const [one, two] = [worker('one'), worker('two')];
    await one.fail();
    await two.fail();
    await system.advance(1_100);
    coordinator.mode = 'rejects';
    await system.advance(40_000);
    await one.succeed();
    expect(one.circuit()).toBe('closed');
    coordinator.mode = 'answers';
    await system.advance(40_000);
    await one.succeed();
    await system.advance(2_100);
    expect([one.circuit(), two.circuit()]).toEqual(['closed', 'closed']);
  });
});
