/** Operators' commands for the circuits of callers. */
import { describe, expect, it } from 'vitest';
import { defineTool, memoryStore } from '../../../src/index.ts';
import { circuitOf, scene } from './partition-scene.ts';

describe('operators', () => {
  it('see the partitions, and their commands apply to all of them, also to later ones', async () => {
    const { service, call, fail, broken } = scene();
    expect(service.getToolHealth('search')?.partitions).toBeUndefined();
    await fail('alice');
    expect(service.getToolHealth('search')).toMatchObject({ circuit: 'closed', partitions: ['alice'] });
    expect(service.getToolHealth('search', 'nobody')).toMatchObject({ circuit: 'closed' });
    expect(service.getToolHealth('search')?.partitions).toEqual(['alice']);
    broken.clear();
    service.resetCircuitBreaker('search');
    expect(await call('alice')).toMatchObject({ status: 'success' });
    service.controlCircuit('search', 'forced_open');
    for (const caller of ['alice', 'bob', undefined]) expect(await call(caller)).toMatchObject({ error: { code: 'CIRCUIT_OPEN' } });
    expect(service.getToolHealth('search', 'carol')).toMatchObject({ circuit: 'open', mode: 'forced_open' });
    service.controlCircuit('search', 'auto');
    for (const caller of ['alice', 'bob', undefined]) expect(await call(caller)).toMatchObject({ status: 'success' });
  });

  it('control the circuit of one partition: it keeps their command while others come and go, until one for all', async () => {
    const store = memoryStore();
    const { service, events, call, fail, broken } = scene({ options: { store } });
    for (const caller of ['alice', 'bob']) await fail(caller);
    broken.clear();
    service.controlCircuit('search', 'reset', 'alice');
    expect(await call('alice')).toMatchObject({ status: 'success' });
    expect(await call('bob')).toMatchObject({ error: { code: 'CIRCUIT_OPEN' } });
    service.controlCircuit('search', 'forced_open', 'alice');
    expect(await call('alice')).toMatchObject({ error: { code: 'CIRCUIT_OPEN' } });
    for (let other = 0; other < 251; other += 1) await call(`other${other}`);
    expect(service.getToolHealth('search', 'alice')).toMatchObject({ circuit: 'open', mode: 'forced_open' });
    expect(service.getToolHealth('search', 'bob')).toMatchObject({ circuit: 'closed' });
    expect(service.getToolHealth('search')).toMatchObject({ circuit: 'closed', mode: 'auto' });
    const manual = events.filter((event) => 'reason' in event && event.reason === 'manual');
    expect(manual).toMatchObject([
      { event_type: 'CircuitBreakerClosed', tool_id: 'search', partition: 'alice' },
      { event_type: 'CircuitBreakerOpened', tool_id: 'search', partition: 'alice' },
    ]);
    expect((await store.loadCircuits()).get('search')).not.toMatchObject({ mode: 'forced_open' });
    service.controlCircuit('search', 'auto');
    expect(await call('alice')).toMatchObject({ status: 'success' });
    expect(() => service.controlCircuit('none', 'forced_open', 'alice')).toThrow("controlCircuit names 'none', but there is no such tool");
    expect(() => service.controlCircuit('search', 'open' as never, 'alice')).toThrow('circuit command must be one of auto');
  });

  it('end the delay before a retry with a circuit that they force open', async () => {
    const { system, service, start, broken } = scene({ policy: { retry: { initialDelayMs: 5_000, jitter: 'none' } } });
    broken.add('alice');
    const calls = [start('alice'), start('alice', 'mail')];
    await system.advance(10);
    for (const tool of ['search', 'mail']) service.controlCircuit(tool, 'forced_open');
    await system.settle();
    const before = system.now();
    for (const result of await system.until(Promise.all(calls))) expect(result).toMatchObject({ status: 'error', attempts: 1 });
    expect(system.now()).toBe(before);
  });

  it('change the settings of all of them, which keep their circuits', async () => {
    const { system, service, call, fail, start, ends } = scene({ slow: ['bob'], policy: { concurrency: { limit: 1, queue: 5 } } });
    await fail('alice');
    const [first, second] = [start('bob'), start('bob')];
    await system.settle();
    expect(ends).toHaveLength(1);
    const [search] = service.tools;
    service.replaceTools([defineTool({ name: 'search', run: search?.run as () => unknown, concurrency: { limit: 2, queue: 5 } })]);
    await system.settle();
    expect(ends).toHaveLength(2);
    expect(circuitOf(service, 'alice')).toBe('open');
    expect(await call('alice')).toMatchObject({ error: { code: 'CIRCUIT_OPEN' } });
    for (const { end } of ends) end();
    await system.until(Promise.all([first, second]));
    expect(service.getToolHealth('search', 'bob')).toMatchObject({ inFlight: 0, queued: 0 });
  });
});
