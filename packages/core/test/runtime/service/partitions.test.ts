/** Callers with credentials or processes of their own: the failures of one open a circuit for that one only. */
import { describe, expect, it } from 'vitest';
import { defineTool, ErrorHandler, memoryStore } from '../../../src/index.ts';
import { memorySharedCircuits, shareCircuits } from '../../../src/distributed/fleet/index.ts';
import { runJournaledTurn } from '../../../src/distributed/journal/index.ts';
import { replayTurn } from '../../../src/replay/index.ts';
import { memoryJournal } from '../../../src/testing/index.ts';
import { circuitOf, scene } from './partition-scene.ts';

describe('a caller whose calls fail', () => {
  it('is refused alone: the calls of others go out at once, and closing is its own', async () => {
    const { system, service, call, fail, broken, runs } = scene();
    await fail('alice');
    expect(await call('alice')).toMatchObject({ error: { code: 'CIRCUIT_OPEN' }, attempts: 0 });
    const before = system.now();
    expect(await call('bob')).toMatchObject({ status: 'success', attempts: 1 });
    expect(await call()).toMatchObject({ status: 'success', attempts: 1 });
    expect(system.now()).toBe(before);
    expect(circuitOf(service, 'alice')).toBe('open');
    expect([circuitOf(service, 'bob'), circuitOf(service)]).toEqual(['closed', 'closed']);
    await system.advance(30_000);
    broken.clear();
    runs.length = 0;
    expect(await call('alice')).toMatchObject({ status: 'success' });
    expect(runs).toEqual(['alice']);
    expect(circuitOf(service, 'alice')).toBe('closed');
  });

  it('shares the circuit of a tool for which it has no partition', async () => {
    const { call, broken } = scene();
    broken.add('alice');
    await call('alice', 'mail');
    expect(await call('bob', 'mail')).toMatchObject({ error: { code: 'CIRCUIT_OPEN' } });
  });

  it('is named by the events of its circuit, which the turn replays exactly', async () => {
    const { system, service, events, fail, broken, call } = scene();
    await fail('alice');
    await call('alice');
    expect(events.filter(({ event_type: type }) => type === 'CircuitBreakerOpened')).toMatchObject([
      { tool_id: 'search', partition: 'alice', message: 'Circuit breaker opened for search (alice)' },
    ]);
    broken.clear();
    const run = (turnId: string) => service.executeTurn({ turnId, calls: [{ callId: 'one', toolName: 'search' }] });
    const [refused, fine] = [await system.until(run('alice/turn')), await system.until(run('bob/turn'))];
    expect([refused.outcome, fine.outcome]).toEqual(['failed', 'success']);
    expect(refused.trace[0]).toMatchObject({ circuits: { search: { state: 'open' } } });
    expect(fine.trace[0]).toMatchObject({ circuits: {} });
    for (const { trace } of [refused, fine]) expect(replayTurn(trace).differences).toEqual([]);
    await fail('carol');
    const opened = events.find((event) => event.event_type === 'CircuitBreakerOpened' && event.partition === 'carol');
    expect(replayTurn(events.filter(({ turn_id: turnId }) => turnId === opened?.turn_id)).differences).toEqual([]);
  });

  it('has no say in the decisions about others: memory is not asked', async () => {
    const asked: string[] = [];
    const notices: (string | undefined)[] = [];
    const memory = {
      recall: ({ toolName }: { readonly toolName: string }) => {
        asked.push(toolName);
        return [{ strategy: 'retry', tried: 50, succeeded: 0 } as const];
      },
    };
    const errorHandler = new ErrorHandler({ memory });
    errorHandler.subscribe(({ partition }) => void notices.push(partition));
    const { call, broken } = scene({ options: { errorHandler } });
    broken.add('alice');
    expect(await call('alice')).toMatchObject({ attempts: 5 });
    expect(new Set(notices)).toEqual(new Set(['alice']));
    expect(asked).toEqual([]);
    expect(await call('alice', 'mail')).toMatchObject({ attempts: 1 });
    expect(asked).toEqual(['mail']);
  });

  it.each(['adaptive', 'service'] as const)('has its own circuit in every profile (%s)', async (profile) => {
    const { system, service, call, start, broken } = scene({ options: { profile } });
    broken.add('alice');
    const failing = Array.from({ length: 12 }, () => start('alice'));
    await system.advance(5_000);
    const before = system.now();
    expect(await call('bob')).toMatchObject({ status: 'success', attempts: 1 });
    expect(system.now()).toBe(before);
    broken.clear();
    await system.until(Promise.all(failing));
    expect(circuitOf(service)).toBe('closed');
  });

  it('also within a journaled turn', async () => {
    const { system, service, fail } = scene();
    await fail('alice');
    const turn = (turnId: string) =>
      memoryJournal({ system }).run(({ journal }) =>
        runJournaledTurn({ service, turnId, journal, plan: { calls: [{ callId: 'one', toolName: 'search' }] } }),
      );
    expect(await system.until(turn('alice/1'))).toMatchObject({ results: [{ error: { code: 'CIRCUIT_OPEN' } }] });
    expect(await system.until(turn('bob/1'))).toMatchObject({ results: [{ status: 'success' }] });
  });
});

describe('partitionsOf', () => {
  it('is asked once for a call, and once for a turn', async () => {
    const asked: string[] = [];
    const { system, service, call } = scene({ options: { partitionsOf: (id) => void asked.push(id) as undefined } });
    await call('alice');
    await system.until(service.executeTurn({ turnId: 't', calls: [{ toolName: 'search' }, { toolName: 'mail' }] }));
    expect(asked).toEqual(['alice/c1', 't']);
  });

  it('that throws is a failure of the call, and is a function', async () => {
    const options = {
      partitionsOf: () => {
        throw new Error('no such session');
      },
    };
    const { call } = scene({ options });
    expect(await call('alice')).toMatchObject({ error: { code: 'INTERNAL_ERROR', message: 'Internal error: no such session' } });
    expect(() => scene({ options: { partitionsOf: 'alice' as never } })).toThrow('ToolExecutionService.partitionsOf must be');
  });
});

describe('the limits of a tool hold for all partitions together', () => {
  it('concurrency: a free slot goes to a caller who waits longest since its last step', async () => {
    const policy = { concurrency: { limit: 2, queue: 50 } };
    const { system, service, start, ends } = scene({ slow: ['alice', 'bob'], policy });
    const calls = ['alice', 'alice', 'alice', 'alice', 'alice', 'bob', 'bob'].map((caller) => start(caller));
    await system.settle();
    expect(ends.map(({ caller }) => caller)).toEqual(['alice', 'alice']);
    for (let done = 0; done < calls.length; done += 1) {
      ends[done]?.end();
      await system.settle();
      expect(ends.length).toBeLessThanOrEqual(done + 3);
    }
    expect(ends.map(({ caller }) => caller).slice(0, 5)).toEqual(['alice', 'alice', 'bob', 'bob', 'alice']);
    for (const { end } of ends) end();
    const results = await system.until(Promise.all(calls));
    expect(results.map(({ status }) => status)).toEqual(calls.map(() => 'success'));
    for (const partition of ['alice', 'bob']) expect(service.getToolHealth('search', partition)).toMatchObject({ inFlight: 0, queued: 0 });
  });

  it('concurrency, where calls wait for recovery', async () => {
    const { system, start, ends } = scene({
      slow: ['alice', 'bob'],
      policy: { concurrency: { limit: 1, queue: 50 } },
      options: { profile: 'adaptive' },
    });
    const calls = ['alice', 'alice', 'bob', 'bob'].map((caller) => start(caller));
    for (let done = 0; done < calls.length; done += 1) {
      await system.settle();
      expect(ends).toHaveLength(done + 1);
      ends[done]?.end();
    }
    await system.until(Promise.all(calls));
    expect(ends.map(({ caller }) => caller)).toEqual(['alice', 'bob', 'alice', 'bob']);
  });

  it('a rate limit, also one that has changed', async () => {
    const { call, service } = scene({ policy: { rateLimit: { limit: 2, windowMs: 1_000 } } });
    expect(await call('alice')).toMatchObject({ executionTime: 0 });
    expect(await call('bob')).toMatchObject({ executionTime: 0 });
    const [search] = service.tools;
    service.replaceTools([defineTool({ name: 'search', run: search?.run as () => unknown, rateLimit: { limit: 3, windowMs: 1_000 } })]);
    expect(await call('alice')).toMatchObject({ executionTime: 0 });
    expect(await call('bob')).toMatchObject({ status: 'success', executionTime: 1_000 });
  });
});

describe('what stays with the process', () => {
  it('at most 250 partitions of a tool, but never fewer than have calls in flight; one that was dropped begins closed', async () => {
    const { system, service, call, fail, start, ends } = scene({ slow: ['slow'] });
    const running = start('slow');
    await system.settle();
    await fail('alice');
    for (let other = 0; other < 250; other += 1) await call(`other${other}`);
    const { partitions = [] } = service.getToolHealth('search') ?? {};
    expect(partitions.length).toBeLessThanOrEqual(250);
    expect(partitions).toContain('slow');
    expect(partitions).not.toContain('alice');
    expect(circuitOf(service, 'alice')).toBe('closed');
    ends[0]?.end();
    expect(await system.until(running)).toMatchObject({ status: 'success' });
    expect(service.getToolHealth('search', 'slow')).toMatchObject({ inFlight: 0 });
  });

  it('no store has the circuit of a partition, and no fleet', async () => {
    const store = memoryStore();
    const circuits = memorySharedCircuits({ epochMs: () => 0 });
    const reported: string[] = [];
    const watched = {
      ...circuits,
      report: (reports: Parameters<typeof circuits.report>[0]) => {
        for (const { toolName, failures, successes } of reports) reported.push(`${toolName} ${failures} ${successes}`);
        return circuits.report(reports);
      },
    };
    const sharedCircuits = shareCircuits(watched, { worker: 'one' });
    const { system, service, fail, call, broken } = scene({ options: { store, sharedCircuits } });
    await fail('alice');
    await call('bob');
    await system.advance(5_000);
    expect([...(await store.loadCircuits()).values()].map(({ state }) => state)).toEqual(['closed', 'closed']);
    expect(reported).toEqual([]);
    await call('alice', 'mail');
    await system.advance(5_000);
    expect(reported).not.toEqual([]);
    expect(reported.filter((line) => line.startsWith('search'))).toEqual([]);
    await system.advance(25_000);
    broken.clear();
    expect(await call('alice')).toMatchObject({ status: 'success' });
    expect(circuitOf(service, 'alice')).toBe('closed');
    await service.close();
  });
});
