/** One probe for the fleet, asked for before the local one; and what becomes of it. */
import { describe, expect, test } from 'vitest';
import { down, world, type Worker, type World } from './fleet-world.ts';

/** Three workers whose circuits, and the fleet's, are open; the period is over. */
async function cooledDown(count = 3): Promise<World & { readonly fleet: readonly Worker[] }> {
  const place = world();
  const fleet = place.workers(count);
  for (const worker of fleet) await worker.fail();
  await place.system.advance(30_100);
  expect(fleet.map((worker) => worker.circuit())).toEqual(fleet.map(() => 'half_open'));
  return { ...place, fleet };
}

const runsOf = (fleet: readonly Worker[]): number => fleet.reduce((sum, worker) => sum + worker.runs(), 0);

describe('after the cool-down', () => {
  test.each([true, false])('of 200 calls over three workers one probes (it succeeds: %s)', async (succeeds) => {
    const { system, fleet, keeper } = await cooledDown();
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
    expect(keeper.asked.acquireProbe).toBe(3);
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

  test('who asks while another call of the same worker is asking is turned away at once', async () => {
    const { system, fleet, keeper } = await cooledDown(1);
    const [worker] = fleet as [Worker];
    keeper.mode = 'slow';
    const first = worker.call();
    expect(await worker.call()).toMatchObject({ status: 'error', error: { code: 'CIRCUIT_OPEN' } });
    expect(keeper.asked.acquireProbe).toBe(1);
    await system.until(first);
  });

  test('a probe whose worker vanished is given to another after its lease', async () => {
    const { system, fleet } = await cooledDown();
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

describe('a probe ends', () => {
  test('unused when the call that asked is cancelled meanwhile, and the next worker has it', async () => {
    const { system, fleet, keeper } = await cooledDown(2);
    const [one, two] = fleet as [Worker, Worker];
    two.behave(() => 'ok');
    const cancel = system.createCancelSource();
    const runs = one.runs();
    const call = one.service.executeTool({ toolName: 'search', arguments: {} }, { signal: cancel.signal });
    cancel.abort(() => new Error('enough'));
    expect(await call).toMatchObject({ status: 'error' });
    await system.settle();
    expect([one.runs() - runs, keeper.asked.probeEnded]).toEqual([0, 1]);
    await system.advance(1_100);
    expect(await two.call()).toMatchObject({ status: 'success' });
  });

  test('for the fleet only when the local circuit has had as many as it wants', async () => {
    const place = world();
    const worker = place.worker('alone', {}, { breaker: { successThreshold: 3 } });
    await worker.fail();
    await place.system.advance(30_100);
    for (const ends of [0, 0, 1]) {
      await worker.succeed();
      await place.system.settle();
      expect(place.keeper.asked.probeEnded).toBe(ends);
    }
    expect([worker.circuit(), place.keeper.asked.acquireProbe]).toEqual(['closed', 1]);
  });

  test('unused when its worker wants more probes and nobody calls', async () => {
    const place = world();
    const [one, two] = [place.worker('one', {}, { breaker: { successThreshold: 2 } }), place.worker('two')];
    for (const worker of [one, two]) await worker.fail();
    await place.system.advance(30_100);
    await one.succeed();
    await place.system.advance(2_100);
    two.behave(() => 'ok');
    expect(await two.call()).toMatchObject({ status: 'success' });
    await place.system.advance(1_100);
    expect(one.circuit()).toBe('closed');
  });

  test('and is told again when the keeper did not hear it', async () => {
    const { system, fleet, keeper } = await cooledDown(2);
    const [one, two] = fleet as [Worker, Worker];
    one.behave(() => {
      keeper.mode = 'rejects';
      return 'ok';
    });
    expect(await one.call()).toMatchObject({ status: 'success' });
    await system.advance(500);
    keeper.mode = 'answers';
    await system.advance(4_000);
    expect([one.circuit(), two.circuit()]).toEqual(['closed', 'closed']);
  });

  test('is given back when the service closes', async () => {
    const place = world();
    const [one, two] = [place.worker('one', {}, { breaker: { successThreshold: 2 } }), place.worker('two')];
    for (const worker of [one, two]) await worker.fail();
    await place.system.advance(30_100);
    await one.succeed();
    await one.service.close();
    two.behave(() => 'ok');
    expect(await two.call()).toMatchObject({ status: 'success' });
  });
});

test('calls that queue for a slot when the circuit turns half-open: one asks, the others are turned away, and a probe that finds no slot goes back', async () => {
  const { worker, keeper, system } = world();
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
  expect([keeper.asked.acquireProbe, keeper.asked.probeEnded, busy.runs()]).toEqual([1, 1, 2]);
  expect(busy.service.getToolHealth('search')).toMatchObject({ queued: 0, inFlight: 1 });
  finish();
  await running;
  expect(busy.service.getToolHealth('search')?.inFlight).toBe(0);
});

describe('a circuit that is closed', () => {
  test('asks nobody and waits for nobody', async () => {
    const { worker, keeper, system } = world();
    const one = worker('one');
    keeper.mode = 'hangs';
    for (let call = 0; call < 50; call += 1) await one.succeed();
    expect([keeper.asked, system.now()]).toEqual([{ report: 0, acquireProbe: 0, probeEnded: 0, reset: 0 }, 0]);
  });

  test('and idle reports nothing', async () => {
    const { worker, keeper, system } = world();
    const one = worker('one');
    await system.advance(10_000);
    expect(keeper.asked.report).toBe(0);
    await one.succeed();
    await system.advance(40_000);
    const { report } = keeper.asked;
    expect(report).toBeLessThanOrEqual(32);
    await system.advance(10_000);
    expect(keeper.asked.report).toBe(report);
  });

  test('in a fleet that nobody closed offers its calls as the probe', async () => {
    const { worker, keeper, system } = world();
    const [one, two] = [worker('one'), worker('two')];
    await one.fail();
    await two.fail();
    await system.advance(1_100);
    keeper.mode = 'rejects';
    await system.advance(40_000);
    await one.succeed();
    expect(one.circuit()).toBe('closed');
    keeper.mode = 'answers';
    await system.advance(40_000);
    await one.succeed();
    await system.advance(2_100);
    expect([one.circuit(), two.circuit()]).toEqual(['closed', 'closed']);
  });
});
