/** Which states of the fleet's circuit a service adopts, and which local states it keeps. */
import { describe, expect, test } from 'vitest';
import type { CircuitBreakerOpened } from '../../../src/engine/trace/events.ts';
import { tooMany, world, type Worker } from './fleet-world.ts';

async function threeActiveWorkers(): Promise<ReturnType<typeof world> & { readonly three: readonly [Worker, Worker, Worker] }> {
  const env = world();
  const [one, two, three] = env.workers(3) as [Worker, Worker, Worker];
  for (const worker of [one, two, three]) await worker.succeed();
  await env.system.advance(1_000);
  return { ...env, three: [one, two, three] };
}

function openings({ events }: Worker): readonly CircuitBreakerOpened[] {
  return events.filter((event) => event.event_type === 'CircuitBreakerOpened');
}

describe('an opening', () => {
  test('by one worker of three stays local', async () => {
    const { system, three } = await threeActiveWorkers();
    const [one, two, third] = three;
    await one.fail();
    await system.advance(5_000);
    expect([one.circuit(), two.circuit(), third.circuit()]).toEqual(['open', 'closed', 'closed']);
    await two.succeed();
    expect(two.runs()).toBe(2);
  });

  test('by two workers of three is adopted by the third, whose event names them and the cause', async () => {
    const { system, three } = await threeActiveWorkers();
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

  test('for a Retry-After does not wait for the end of its call when calls are counted', async () => {
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

  test('for a Retry-After needs no quorum, and reaches active workers within one report interval', async () => {
    const { system, three } = await threeActiveWorkers();
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

  test('for a Retry-After of an hour lasts 10 s, then twice as long at each worker that gets it again, until one succeeds', async () => {
    const { system, workers } = world();
    const [one, two, three] = workers(3, { reportEveryMs: 20 }, { breaker: { openMs: 1_000 } }) as [Worker, Worker, Worker];
    const all = [one, two, three];
    for (const worker of all) await worker.succeed();
    await system.advance(1_000);
    for (const worker of all)
      worker.behave(() => {
        throw tooMany(3_600);
      });
    const openFor = async (worker: Worker, others: readonly Worker[]): Promise<number> => {
      const began = system.now();
      await system.until(worker.call());
      await system.advance(1_500);
      while (others.some((other) => other.circuit() === 'open')) await system.advance(100);
      return Math.round((system.now() - began) / 1_000);
    };
    expect(await openFor(one, [two, three])).toBe(10);
    expect(await openFor(two, [one, three])).toBe(20);
    for (const worker of all) worker.behave(() => 'ok');
    await system.until(three.call());
    await system.advance(2_000);
    expect(all.map((worker) => worker.circuit())).toEqual(['closed', 'closed', 'closed']);
    three.behave(() => {
      throw tooMany(3_600);
    });
    expect(await openFor(three, [one, two])).toBe(10);
  });

  test('reaches a worker that starts later', async () => {
    const { system, three, worker } = await threeActiveWorkers();
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

  test('that was adopted is not a vote: it does not reopen the circuit', async () => {
    const { system, three } = await threeActiveWorkers();
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

  test('wakes a call in backoff', async () => {
    const { system, three, worker } = await threeActiveWorkers();
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

test('an adopted state is not reported as a vote', async () => {
  const { system, three, coordinator } = await threeActiveWorkers();
  const [one, two, third] = three;
  await one.fail();
  await two.fail();
  await third.succeed();
  await system.advance(3_000);
  expect(['w1', 'w3'].map((name) => coordinator.lastReports.get(name)?.state)).toEqual(['open', 'half_open']);
});

test('a closing of the fleet does not close a circuit that opened by local failures', async () => {
  const { system, three } = await threeActiveWorkers();
  const [one, two] = three;
  await one.fail();
  await system.advance(1_100);
  two.service.resetCircuitBreaker('search');
  await system.advance(2_100);
  expect([one.circuit(), two.circuit()]).toEqual(['open', 'closed']);
});

test('a worker whose clock is ahead of the coordinator’s is refused, and waits for the coordinator’s clock', async () => {
  const { system, three } = await threeActiveWorkers();
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

describe('a manual command', () => {
  test.each(['disabled', 'shadow', 'forced_open'] as const)('%s is not overridden, and does not vote', async (command) => {
    const { system, three, coordinator } = await threeActiveWorkers();
    const [one, two, third] = three;
    third.service.controlCircuit('search', command);
    const sequenceBefore = coordinator.lastReports.get('w3')?.sequence;
    await one.fail();
    await two.fail();
    await third.call();
    await system.advance(3_000);
    expect(third.service.getToolHealth('search')).toMatchObject({ mode: command, circuit: command === 'forced_open' ? 'open' : 'closed' });
    expect(openings(third).every(({ reason }) => reason === 'manual')).toBe(true);
    expect(coordinator.lastReports.get('w3')?.sequence).toBe(sequenceBefore);
    const { acquireProbe } = coordinator.requests;
    await system.advance(60_000);
    await third.call();
    expect(coordinator.requests.acquireProbe).toBe(acquireProbe);
  });

  test('reset closes the circuit of the whole fleet', async () => {
    const { system, three } = await threeActiveWorkers();
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

  test('reset while the coordinator is down applies to this worker only', async () => {
    const { system, three, coordinator } = await threeActiveWorkers();
    const [one, two] = three;
    await one.fail();
    await two.fail();
    await system.advance(1_100);
    coordinator.mode = 'rejects';
    one.service.resetCircuitBreaker('search');
    await one.succeed();
    expect(one.circuit()).toBe('closed');
    coordinator.mode = 'answers';
    await system.advance(5_000);
    expect([one.circuit(), two.circuit()]).toEqual(['closed', 'open']);
  });
});
