/** What a restarted worker remembers of the fleet's circuit, and what it must not report again. */
import { expect, test } from 'vitest';
import type { Store } from '../../../src/engine/ports/store.ts';
import { memoryStore } from '../../../src/runtime/stores/memory-store.ts';
import { world, type Worker } from './fleet-world.ts';

/** Outlives a process: a service closes its store. */
const lasting = (store: Store = memoryStore()): Store => ({ ...store, close: async () => {} });

async function adoptedByTheThird(): Promise<
  ReturnType<typeof world> & { readonly three: readonly Worker[]; readonly restart: () => Promise<Worker> }
> {
  const env = world();
  const store = lasting();
  const three = [env.worker('w1'), env.worker('w2'), env.worker('w3', {}, {}, 'spec', store)];
  const [one, two, third] = three as [Worker, Worker, Worker];
  for (const each of three) await each.succeed();
  await env.system.advance(1_000);
  await one.fail();
  await two.fail();
  await third.succeed();
  await env.system.advance(2_000);
  expect(third.changes()).toEqual(['Opened fleet']);
  const restart = async (): Promise<Worker> => {
    await third.service.close();
    const next = env.worker('w3', {}, {}, 'spec', store);
    await next.service.restore();
    return next;
  };
  return { ...env, three, restart };
}

test('an opening that was adopted is no vote after a restart', async () => {
  const { system, coordinator, restart } = await adoptedByTheThird();
  const again = await restart();
  expect(again.circuit()).toBe('open');
  for (let second = 0; second < 5; second += 1) {
    await system.advance(1_000);
    expect(coordinator.lastReports.get('w3')).toMatchObject({ state: 'half_open' });
  }
});

test('and closes with the fleet, also if that has closed in the meantime', async () => {
  const { system, three, restart } = await adoptedByTheThird();
  const [one, two] = three as [Worker, Worker, Worker];
  const stopped = restart();
  one.service.resetCircuitBreaker('search');
  const again = await stopped;
  await system.advance(2_000);
  expect([one, two, again].map((worker) => worker.circuit())).toEqual(['closed', 'closed', 'closed']);
  expect(again.changes()).toEqual(['Closed fleet']);
  await system.advance(60_000);
  expect([one, two, again].map((worker) => worker.circuit())).toEqual(['closed', 'closed', 'closed']);
});

test('an opening of its own is a vote after a restart too', async () => {
  const { system, coordinator, worker } = world();
  const store = lasting();
  const first = worker('w1', {}, {}, 'spec', store);
  await first.fail();
  await system.advance(1_000);
  await first.service.close();
  const again = worker('w1', {}, {}, 'spec', store);
  await again.service.restore();
  await system.advance(1_500);
  expect(coordinator.lastReports.get('w1')).toMatchObject({ state: 'open', successes: 0, failures: 0 });
});

test('calls before a restart are no traffic after it: they give no vote, and are no proof that the service answers', async () => {
  const { system, coordinator, worker, workers } = world();
  const store = lasting();
  const late = worker('late', {}, {}, 'spec', store);
  for (let call = 0; call < 10; call += 1) await late.succeed();
  await system.advance(2_000);
  await late.service.close();
  const [one, two] = workers(2) as [Worker, Worker];
  await one.fail();
  await two.fail();
  await system.advance(32_000);
  expect(one.circuit()).toBe('half_open');
  coordinator.lastReports.clear();
  const again = worker('late', {}, {}, 'spec', store);
  await again.service.restore();
  await system.advance(3_000);
  expect(coordinator.lastReports.get('late')?.successes ?? 0).toBe(0);
  expect(one.circuit()).toBe('half_open');
});
