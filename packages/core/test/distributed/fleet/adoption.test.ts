/** What a service takes over from the fleet, and what it leaves to itself. */
import { describe, expect, test } from 'vitest';
import type { CircuitBreakerOpened } from '../../../src/engine/trace/events.ts';
import { tooMany, world, type Worker } from './fleet-world.ts';

async function threeAtWork(): Promise<ReturnType<typeof world> & { readonly three: readonly [Worker, Worker, Worker] }> {
  const place = world();
  const [one, two, three] = place.workers(3) as [Worker, Worker, Worker];
  for (const worker of [one, two, three]) await worker.succeed();
  await place.system.advance(1_000);
  return { ...place, three: [one, two, three] };
}

function openings({ events }: Worker): readonly CircuitBreakerOpened[] {
  return events.filter((event) => event.event_type === 'CircuitBreakerOpened');
}

describe('an opening', () => {
  test('of one worker of three stays its own', async () => {
    const { system, three } = await threeAtWork();
    const [one, two, third] = three;
    await one.fail();
    await system.advance(5_000);
    expect([one.circuit(), two.circuit(), third.circuit()]).toEqual(['open', 'closed', 'closed']);
    await two.succeed();
    expect(two.runs()).toBe(2);
  });

  test('of two of three is the third one too, who says who opened it and why', async () => {
    const { system, three } = await threeAtWork();
    const [one, two, third] = three;
    await one.fail();
    await two.fail();
    await third.succeed();
    await system.advance(2_000);
    expect(third.circuit()).toBe('open');
    expect(openings(third)).toMatchObject([
      { reason: 'fleet', fleet_cause: 'quorum', fleet_by: ['w1', 'w2'], message: 'Circuit breaker opened for search', tool_id: 'search' },
    ]);
    expect(openings(third)[0]?.open_for_ms).toBeGreaterThan(25_000);
    const runs = third.runs();
    expect(await third.call()).toMatchObject({ status: 'error', error: { code: 'CIRCUIT_OPEN' } });
    expect(third.runs()).toBe(runs);
  });

  test('for a Retry-After does not wait for the end of its call where calls are counted', async () => {
    const { system, workers } = world();
    const policy = { breaker: { count: 'call' }, retry: { maxAttempts: 4, maxTotalTimeMs: 60_000 } } as const;
    const [one, two] = workers(2, {}, policy) as [Worker, Worker];
    await one.succeed();
    await two.succeed();
    await system.advance(1_000);
    one.behave(() => {
      throw tooMany(10);
    });
    const call = one.call();
    await two.succeed();
    await system.advance(1_100);
    expect(openings(two)).toMatchObject([{ reason: 'fleet', fleet_cause: 'retry_after', fleet_by: ['w1'] }]);
    one.behave(() => 'ok');
    expect(await system.until(call)).toMatchObject({ status: 'success', attempts: 2 });
  });

  test('for a Retry-After needs no quorum, and reaches who works within a report', async () => {
    const { system, three } = await threeAtWork();
    const [one, two, third] = three;
    one.behave(() => {
      throw tooMany(10);
    });
    await one.call();
    await two.succeed();
    await third.succeed();
    await system.advance(1_100);
    expect([two.circuit(), third.circuit()]).toEqual(['open', 'open']);
    expect(openings(two)).toMatchObject([{ reason: 'fleet', fleet_cause: 'retry_after', fleet_by: ['w1'] }]);
    await system.advance(9_500);
    expect(two.circuit()).toBe('half_open');
  });

  test('is heard of by a worker who comes later', async () => {
    const { system, three, worker } = await threeAtWork();
    const [one, two] = three;
    await one.fail();
    await two.fail();
    await system.advance(100);
    const late = worker('late');
    await late.succeed();
    await system.advance(1_000);
    expect(late.circuit()).toBe('open');
    expect(late.changes()).toEqual(['Opened fleet']);
  });

  test('that was adopted is no vote: one whose word it was not does not open it again', async () => {
    const { system, three } = await threeAtWork();
    const [one, two, third] = three;
    await one.fail();
    await two.fail();
    await third.succeed();
    await system.advance(40_000);
    for (const worker of three) worker.behave(() => 'ok');
    await third.call();
    await system.advance(2_000);
    expect(three.map((worker) => worker.circuit())).toEqual(['closed', 'closed', 'closed']);
    expect(third.changes()).toEqual(['Opened fleet', 'HalfOpened open_period_elapsed', 'Closed probe_succeeded']);
    expect(one.changes()).toEqual(['Opened failure_threshold', 'Closed fleet']);
    expect(one.events.find((event) => event.event_type === 'CircuitBreakerClosed')).toMatchObject({
      fleet_cause: 'probe_succeeded',
      fleet_by: ['w3'],
    });
    await system.advance(60_000);
    expect(three.map((worker) => worker.circuit())).toEqual(['closed', 'closed', 'closed']);
  });

  test('wakes who sleeps before a retry', async () => {
    const { system, three, worker } = await threeAtWork();
    const [one, two] = three;
    const sleeper = worker(
      'sleeper',
      {},
      { retry: { maxAttempts: 3, initialDelayMs: 20_000, maxDelayMs: 20_000, maxTotalTimeMs: 120_000 } },
    );
    sleeper.behave(() => {
      throw Object.assign(new Error('connect ECONNREFUSED'), { code: 'ECONNREFUSED' });
    });
    const answered = sleeper.call();
    await system.advance(1_000);
    expect(sleeper.events.at(-1)).toMatchObject({ event_type: 'RetryScheduled' });
    await one.fail();
    await two.fail();
    const third = three[2];
    await third.fail();
    await system.advance(3_000);
    expect(sleeper.circuit()).toBe('open');
    expect(await answered).toMatchObject({ status: 'error' });
    expect(system.now()).toBeLessThan(10_000);
  });
});

test('what was adopted is told as no word of its own', async () => {
  const { system, three, keeper } = await threeAtWork();
  const [one, two, third] = three;
  await one.fail();
  await two.fail();
  await third.succeed();
  await system.advance(3_000);
  expect(['w1', 'w3'].map((name) => keeper.said.get(name)?.state)).toEqual(['open', 'half_open']);
});

test('a closing of the fleet is none of a circuit that opened by itself', async () => {
  const { system, three } = await threeAtWork();
  const [one, two] = three;
  await one.fail();
  await system.advance(1_100);
  two.service.resetCircuitBreaker('search');
  await system.advance(2_100);
  expect([one.circuit(), two.circuit()]).toEqual(['open', 'closed']);
});

test('a worker whose clock is ahead of the keeper’s is refused, and waits for the keeper’s', async () => {
  const { system, three } = await threeAtWork();
  for (const worker of three) await worker.fail();
  await system.advance(2_000);
  system.stepWallClock(-3_000);
  await system.advance(29_000);
  const [one] = three;
  one.behave(() => 'ok');
  expect(one.circuit()).toBe('half_open');
  expect(await one.call()).toMatchObject({ error: { code: 'CIRCUIT_OPEN' } });
  await system.advance(4_000);
  expect(await one.call()).toMatchObject({ status: 'success' });
});

describe('what a person set', () => {
  test.each(['disabled', 'shadow', 'forced_open'] as const)('%s is left alone, and has no say', async (command) => {
    const { system, three, keeper } = await threeAtWork();
    const [one, two, third] = three;
    third.service.controlCircuit('search', command);
    const saidBefore = keeper.said.get('w3')?.sequence;
    await one.fail();
    await two.fail();
    await third.call();
    await system.advance(3_000);
    expect(third.service.getToolHealth('search')).toMatchObject({ mode: command, circuit: command === 'forced_open' ? 'open' : 'closed' });
    expect(openings(third).every(({ reason }) => reason === 'manual')).toBe(true);
    expect(keeper.said.get('w3')?.sequence).toBe(saidBefore);
    const { acquireProbe } = keeper.asked;
    await system.advance(60_000);
    await third.call();
    expect(keeper.asked.acquireProbe).toBe(acquireProbe);
  });

  test('a reset closes the circuit of the whole fleet', async () => {
    const { system, three } = await threeAtWork();
    const [one, two, third] = three;
    await one.fail();
    await two.fail();
    await third.succeed();
    await system.advance(2_000);
    expect(three.map((worker) => worker.circuit())).toEqual(['open', 'open', 'open']);
    third.service.resetCircuitBreaker('search');
    await system.advance(1_100);
    expect(three.map((worker) => worker.circuit())).toEqual(['closed', 'closed', 'closed']);
    expect(one.events.findLast((event) => event.event_type === 'CircuitBreakerClosed')).toMatchObject({
      fleet_cause: 'reset',
      fleet_by: ['w3'],
    });
    await system.advance(60_000);
    expect(three.map((worker) => worker.circuit())).toEqual(['closed', 'closed', 'closed']);
  });

  test('a reset while the keeper is away is the worker’s own', async () => {
    const { system, three, keeper } = await threeAtWork();
    const [one, two] = three;
    await one.fail();
    await two.fail();
    await system.advance(1_100);
    keeper.mode = 'rejects';
    one.service.resetCircuitBreaker('search');
    await one.succeed();
    expect(one.circuit()).toBe('closed');
    keeper.mode = 'answers';
    await system.advance(5_000);
    expect([one.circuit(), two.circuit()]).toEqual(['closed', 'open']);
  });
});
