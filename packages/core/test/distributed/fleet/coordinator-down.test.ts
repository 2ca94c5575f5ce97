/** The keeper is killed, hangs, is slow or comes back: local circuits continue, nobody waits for longer than the bound. */
import { describe, expect, test } from 'vitest';
import { shareCircuits } from '../../../src/distributed/fleet/index.ts';
import { ToolExecutionService } from '../../../src/runtime/service/tool-execution-service.ts';
import { defineTool } from '../../../src/engine/tool/tool.ts';
import { world, type Worker, type World } from './fleet-world.ts';

async function opened(): Promise<World & { readonly one: Worker; readonly two: Worker }> {
  const place = world();
  const [one, two] = place.workers(2) as [Worker, Worker];
  await one.fail();
  await two.fail();
  await place.system.advance(100);
  return { ...place, one, two };
}

describe.each(['rejects', 'hangs'] as const)('a keeper that %s', (mode) => {
  test('leaves every decision to the local circuit, within its bound, and is notified of once', async () => {
    const { system, keeper, one, two } = await opened();
    await system.advance(29_900);
    keeper.mode = mode;
    for (const worker of [one, two]) worker.behave(() => 'ok');
    const before = system.now();
    expect(await system.until(one.call())).toMatchObject({ status: 'success' });
    expect(system.now() - before).toBeLessThanOrEqual(mode === 'hangs' ? 50 : 0);
    expect(one.circuit()).toBe('closed');
    await system.advance(60_000);
    expect(one.faults).toMatchObject([{ component: 'circuits' }]);
    expect(one.events.filter((event) => event.event_type === 'ComponentFailed')).toMatchObject([{ component: 'circuits' }]);
    expect(await two.call()).toMatchObject({ status: 'success' });
  });

  test('costs a probe nothing once it is known to be away', async () => {
    const { system, keeper, one } = await opened();
    keeper.mode = mode;
    await system.advance(32_000);
    const [before, { acquireProbe }] = [system.now(), { ...keeper.asked }];
    one.behave(() => 'ok');
    expect(await one.call()).toMatchObject({ status: 'success' });
    expect([system.now() - before, keeper.asked.acquireProbe - acquireProbe]).toEqual([0, 0]);
  });

  test('is asked less and less, and taken up again when it answers', async () => {
    const { system, keeper, one, two } = await opened();
    keeper.mode = mode;
    await system.advance(10_000);
    const { report } = keeper.asked;
    await system.advance(120_000);
    expect(keeper.asked.report - report).toBeLessThan(14);
    await one.succeed();
    await two.succeed();
    keeper.mode = 'answers';
    await system.advance(31_000);
    await one.fail();
    await two.fail();
    await system.advance(100);
    expect(one.faults.length).toBe(1);
    keeper.mode = mode;
    await system.advance(5_000);
    expect(one.faults.length).toBe(2);
  });
});

describe('a keeper that is slow', () => {
  test('decides too late for the call, and its grant is notified of all the same', async () => {
    const { system, keeper, one, two } = await opened();
    await system.advance(29_950);
    keeper.mode = 'slow';
    one.behave(() => 'ok');
    const before = system.now();
    expect(await system.until(one.call())).toMatchObject({ status: 'success' });
    expect(system.now() - before).toBe(50);
    await system.advance(400);
    expect(keeper.asked.probeEnded).toBe(1);
    keeper.mode = 'answers';
    await system.advance(2_200);
    expect([one.circuit(), two.circuit()]).toEqual(['closed', 'closed']);
  });

  test('has its late grant used by the probe that is still out', async () => {
    const { system, keeper, one, two } = await opened();
    await system.advance(29_950);
    keeper.mode = 'slow';
    let finish: () => void = () => undefined;
    one.behave(() => new Promise<void>((resolve) => (finish = resolve)));
    const call = one.call();
    await system.advance(1_000);
    expect([one.circuit(), keeper.asked.probeEnded]).toEqual(['half_open', 0]);
    const runs = two.runs();
    keeper.mode = 'answers';
    expect(await system.until(two.call())).toMatchObject({ status: 'error', error: { code: 'CIRCUIT_OPEN' } });
    expect(two.runs()).toBe(runs);
    finish();
    await system.until(call);
    await system.advance(2_200);
    expect([one.circuit(), two.circuit()]).toEqual(['closed', 'closed']);
  });
});

test('news of a probe that may be its own is not adopted while the answer is on its way', async () => {
  const { worker, system, keeper } = world();
  const one = worker('one', { reportEveryMs: 20 });
  await one.fail();
  await system.advance(30_010);
  keeper.mode = 'slow';
  let finish: () => void = () => undefined;
  one.behave(() => new Promise<void>((resolve) => (finish = resolve)));
  const call = one.call();
  await system.settle();
  keeper.mode = 'answers';
  await system.advance(110);
  expect(one.circuit()).toBe('half_open');
  await system.advance(200);
  finish();
  expect(await call).toMatchObject({ status: 'success' });
  await system.settle();
  expect([one.circuit(), keeper.asked.probeEnded]).toEqual(['closed', 1]);
});

test('a keeper that throws is one that rejects', async () => {
  const { system } = world();
  const thrower = (): never => {
    throw new Error('no pool');
  };
  const faults: unknown[] = [];
  const service = new ToolExecutionService({
    system,
    tools: [defineTool({ name: 'search', run: () => 'ok' })],
    onFault: (fault) => void faults.push(fault),
    sharedCircuits: shareCircuits({ report: thrower, acquireProbe: thrower, probeEnded: thrower, reset: thrower }),
  });
  expect(await service.executeTool({ toolName: 'search' })).toMatchObject({ status: 'success' });
  await system.advance(5_000);
  expect(faults).toEqual([{ component: 'circuits', name: 'report', error: 'no pool' }]);
});

describe('misuse', () => {
  test.each([
    [() => shareCircuits({} as never), /keeper/],
    [() => shareCircuits(world().keeper, { reportEveryMs: 0 }), /reportEveryMs/],
    [() => shareCircuits(world().keeper, { probeTimeoutMs: '50' as never }), /probeTimeoutMs/],
    [() => shareCircuits(world().keeper, { wroker: 'x' } as never), /wroker/],
    [() => new ToolExecutionService({ tools: [], sharedCircuits: world().keeper as never }), /shareCircuits\(keeper\)/],
  ])('is refused: %#', (make, message) => {
    expect(make).toThrow(message);
  });
});
