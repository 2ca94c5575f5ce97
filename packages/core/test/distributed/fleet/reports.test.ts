/** What a service sends to the coordinator, and when: never two reports at once, never a report twice, nothing for an open circuit. */
import { expect, test } from 'vitest';
import { memorySharedCircuits, shareCircuits, type CircuitReport, type SharedCircuits } from '../../../src/distributed/fleet/index.ts';
import { ToolExecutionService } from '../../../src/runtime/service/tool-execution-service.ts';
import { defineTool } from '../../../src/engine/tool/tool.ts';
import { manualSystem } from '../../../src/testing/manual-system.ts';
import { world, type Worker } from './fleet-world.ts';

test('a slow coordinator gets the next report only after it has answered the one before', async () => {
  const { worker, coordinator, system } = world();
  const one = worker('one', { reportEveryMs: 20 });
  coordinator.mode = 'slow';
  await one.succeed();
  await system.advance(1_200);
  // Each takes 120 ms, and the next one follows 20 ms later.
  expect(coordinator.requests.report).toBeGreaterThanOrEqual(7);
  expect(coordinator.requests.report).toBeLessThanOrEqual(10);
});

test('a report that did not arrive is not sent again: the next one has the counts since the last confirmed one', async () => {
  const { worker, coordinator, system } = world();
  const one = worker('one');
  await one.succeed();
  coordinator.mode = 'rejects';
  await system.advance(1_000);
  const lost = coordinator.lastReports.get('one') as CircuitReport;
  expect(lost.successes).toBe(1);
  await one.succeed();
  await one.succeed();
  coordinator.mode = 'answers';
  await system.advance(1_000);
  const next = coordinator.lastReports.get('one') as CircuitReport;
  expect([coordinator.requests.report, next.successes, next.sequence > lost.sequence]).toEqual([2, 3, true]);
  await system.advance(1_000);
  expect(coordinator.lastReports.get('one')?.successes).toBe(0);
});

test('an open circuit requests no probe', async () => {
  const { worker, coordinator } = world();
  const one = worker('one');
  await one.fail();
  expect(await one.call()).toMatchObject({ error: { code: 'CIRCUIT_OPEN' } });
  expect(coordinator.requests.acquireProbe).toBe(0);
});

test("a worker whose circuit is open while the fleet's is closed probes on its own", async () => {
  const { workers, coordinator, system } = world();
  const all = workers(3) as [Worker, Worker, Worker];
  const [one] = all;
  for (const each of all) await each.succeed();
  await one.fail();
  await system.advance(31_000);
  await one.succeed();
  expect(one.changes()).toEqual(['Opened failure_threshold', 'HalfOpened open_period_elapsed', 'Closed probe_succeeded']);
  await system.advance(1_000);
  expect([all.map((each) => each.circuit()), coordinator.requests.probeEnded]).toEqual([['closed', 'closed', 'closed'], 0]);
});

test('an idle worker gets no updates: its first calls run, and their report updates it', async () => {
  const { workers, coordinator, system } = world();
  const [one, two, idle] = workers(3) as [Worker, Worker, Worker];
  await idle.succeed();
  await system.advance(70_000);
  await one.fail();
  await two.fail();
  await system.advance(5_000);
  expect([one.circuit(), two.circuit(), idle.circuit()]).toEqual(['open', 'open', 'closed']);
  const { sequence } = coordinator.lastReports.get('w3') as CircuitReport;
  await idle.succeed();
  await idle.succeed();
  expect([idle.runs(), coordinator.lastReports.get('w3')?.sequence]).toEqual([3, sequence]);
  await system.advance(1_000);
  expect([idle.circuit(), idle.changes()]).toEqual(['open', ['Opened fleet']]);
});

test('the end of a probe is reported until its lease is over, and not after it', async () => {
  const { worker, coordinator, system } = world();
  const one = worker('one', { maxPauseMs: 1_000 });
  await one.fail();
  await system.advance(32_000);
  one.behave(() => {
    coordinator.mode = 'rejects';
    return 'ok';
  });
  await one.call();
  coordinator.mode = 'answers';
  const answers = coordinator.probeEnded.bind(coordinator);
  Object.assign(coordinator, {
    probeEnded: (end: Parameters<SharedCircuits['probeEnded']>[0]) => {
      void answers(end).catch(() => undefined);
      return Promise.reject(new Error('the answer is lost'));
    },
  });
  await system.advance(20_000);
  const during = coordinator.requests.probeEnded;
  expect(during).toBeGreaterThan(5);
  await system.advance(60_000);
  const after = coordinator.requests.probeEnded;
  await system.advance(60_000);
  expect(coordinator.requests.probeEnded).toBe(after);
});

test("a change that comes from the fleet is in the service's control trace, without a call", async () => {
  const { workers, system } = world();
  const [one, two, third] = workers(3) as [Worker, Worker, Worker];
  await third.succeed();
  await one.fail();
  await two.fail();
  await system.advance(2_000);
  third.service.controlCircuit('search', 'forced_open');
  third.service.controlCircuit('search', 'reset');
  const changes = third.events.filter(({ event_type: type }) => type.startsWith('CircuitBreaker'));
  expect(changes[0]).toMatchObject({ event_type: 'CircuitBreakerOpened', reason: 'fleet' });
  expect(changes[0]).not.toHaveProperty('call_id');
  expect(new Set(changes.map(({ turn_id: turn }) => turn)).size).toBe(1);
  expect(changes.at(-1)).toMatchObject({ reason: 'manual' });
});

test('closing the service does not close the coordinator', async () => {
  const system = manualSystem();
  let closed = 0;
  const circuits: SharedCircuits = { ...memorySharedCircuits({ epochMs: () => system.epochMs() }), close: async () => void (closed += 1) };
  const service = new ToolExecutionService({
    system,
    tools: [defineTool({ name: 'search', run: () => 'ok' })],
    sharedCircuits: shareCircuits(circuits),
  });
  await service.executeTool({ toolName: 'search' });
  await service.close();
  expect(closed).toBe(0);
});
