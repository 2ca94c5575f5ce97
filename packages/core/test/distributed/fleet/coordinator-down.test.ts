/** The coordinator is killed, hangs, is slow or recovers: local circuits continue, and no call waits longer than the time limit. */
import { describe, expect, test } from 'vitest';
import { shareCircuits } from '../../../src/distributed/fleet/index.ts';
import { ToolExecutionService } from '../../../src/runtime/service/tool-execution-service.ts';
import { defineTool } from '../../../src/engine/tool/tool.ts';
import type { CircuitSharingOptions } from '../../../src/distributed/fleet/index.ts';
import { world, type Worker, type World } from './fleet-world.ts';

async function openFleet(options: CircuitSharingOptions = {}): Promise<World & { readonly one: Worker; readonly two: Worker }> {
  const env = world();
  const [one, two] = env.workers(2, options) as [Worker, Worker];
  await one.fail();
  await two.fail();
  await env.system.advance(100);
  return { ...env, one, two };
}

describe.each(['rejects', 'hangs'] as const)('a coordinator that %s', (mode) => {
  test('leaves every decision to the local circuit within the time limit, and is reported once', async () => {
    const { system, coordinator, one, two } = await openFleet();
    await system.advance(29_900);
    coordinator.mode = mode;
    for (const worker of [one, two]) worker.behave(() => 'ok');
    const before = system.now();
    expect(await system.until(one.call())).toMatchObject({ status: 'success' });
    expect(system.now() - before).toBeLessThanOrEqual(mode === 'hangs' ? 1_000 : 0);
    expect(one.circuit()).toBe('closed');
    await system.advance(60_000);
    expect(one.faults).toMatchObject([{ component: 'circuits' }]);
    expect(one.events.filter((event) => event.event_type === 'ComponentFailed')).toMatchObject([{ component: 'circuits' }]);
    expect(await two.call()).toMatchObject({ status: 'success' });
  });

  test('does not delay a probe once it is known to be down', async () => {
    const { system, coordinator, one } = await openFleet();
    coordinator.mode = mode;
    await system.advance(32_000);
    const [before, { acquireProbe }] = [system.now(), { ...coordinator.requests }];
    one.behave(() => 'ok');
    expect(await one.call()).toMatchObject({ status: 'success' });
    expect([system.now() - before, coordinator.requests.acquireProbe - acquireProbe]).toEqual([0, 0]);
  });

  test('is retried after growing pauses, and used again when it answers', async () => {
    const { system, coordinator, one, two } = await openFleet();
    coordinator.mode = mode;
    await system.advance(10_000);
    const { report } = coordinator.requests;
    await system.advance(120_000);
    expect(coordinator.requests.report - report).toBeLessThan(14);
    await one.succeed();
    await two.succeed();
    coordinator.mode = 'answers';
    await system.advance(36_000);
    await one.fail();
    await two.fail();
    await system.advance(100);
    expect(one.faults.length).toBe(1);
    coordinator.mode = mode;
    await system.advance(7_000);
    expect(one.faults.length).toBe(2);
  });
});

describe('a slow coordinator', () => {
  test('answers too late for the call, and its late grant is still ended', async () => {
    const { system, coordinator, one, two } = await openFleet({ probeTimeoutMs: 50 });
    await system.advance(29_950);
    coordinator.mode = 'slow';
    one.behave(() => 'ok');
    const before = system.now();
    expect(await system.until(one.call())).toMatchObject({ status: 'success' });
    expect(system.now() - before).toBe(50);
    await system.advance(400);
    expect(coordinator.requests.probeEnded).toBe(1);
    coordinator.mode = 'answers';
    await system.advance(2_200);
    expect([one.circuit(), two.circuit()]).toEqual(['closed', 'closed']);
  });

  test('grants late a probe that is still running, and the grant is used for it', async () => {
    const { system, coordinator, one, two } = await openFleet({ probeTimeoutMs: 50 });
    await system.advance(29_950);
    coordinator.mode = 'slow';
    let finish: () => void = () => undefined;
    one.behave(() => new Promise<void>((resolve) => (finish = resolve)));
    const call = one.call();
    await system.advance(1_000);
    expect([one.circuit(), coordinator.requests.probeEnded]).toEqual(['half_open', 0]);
    const runs = two.runs();
    coordinator.mode = 'answers';
    expect(await system.until(two.call())).toMatchObject({ status: 'error', error: { code: 'CIRCUIT_OPEN' } });
    expect(two.runs()).toBe(runs);
    finish();
    await system.until(call);
    await system.advance(2_200);
    expect([one.circuit(), two.circuit()]).toEqual(['closed', 'closed']);
  });
});

test('the state of a probe that may be its own is not adopted while the request for it is pending', async () => {
  const { worker, system, coordinator } = world();
  const one = worker('one', { reportEveryMs: 20 });
  await one.fail();
  await system.advance(30_010);
  coordinator.mode = 'slow';
  let finish: () => void = () => undefined;
  one.behave(() => new Promise<void>((resolve) => (finish = resolve)));
  const call = one.call();
  await system.settle();
  coordinator.mode = 'answers';
  await system.advance(110);
  expect(one.circuit()).toBe('half_open');
  await system.advance(200);
  finish();
  expect(await call).toMatchObject({ status: 'success' });
  await system.settle();
  expect([one.circuit(), coordinator.requests.probeEnded]).toEqual(['closed', 1]);
});

test('a coordinator that throws is handled like one that rejects', async () => {
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
    [() => shareCircuits({} as never), /coordinator/],
    [() => shareCircuits(world().coordinator, { reportEveryMs: 0 }), /reportEveryMs/],
    [() => shareCircuits(world().coordinator, { probeTimeoutMs: '50' as never }), /probeTimeoutMs/],
    [() => shareCircuits(world().coordinator, { wroker: 'x' } as never), /wroker/],
    [() => new ToolExecutionService({ tools: [], sharedCircuits: world().coordinator as never }), /sharedCircuits/],
  ])('is rejected: %#', (make, message) => {
    expect(make).toThrow(message);
  });
});
