/** A `Retry-After` holds all calls of its tool at once, whatever the circuit counts. */
import { describe, expect, test } from 'vitest';
import type { TraceEvent } from '../../../src/index.ts';
import { defineTool, ToolExecutionService } from '../../../src/index.ts';
import { manualSystem, type ManualSystem } from '../../../src/testing/index.ts';

const weather = { toolName: 'weather' };

/** Its first answer is a 429 with a Retry-After of `waitS` seconds, after `firstMs`; later ones take 10 ms. */
function limitedOnce(profile: 'spec' | 'service', waitS: number, firstMs = 50): Scene {
  const system = manualSystem();
  const asked: number[] = [];
  const tool = defineTool({
    name: 'weather',
    run: () => {
      asked.push(system.now());
      const isFirst = asked.length === 1;
      return new Promise((resolve, reject) => {
        const limited = Object.assign(new Error('Too Many Requests'), { status: 429, headers: { 'retry-after': String(waitS) } });
        system.setTimer(isFirst ? firstMs : 10, () => (isFirst ? reject(limited) : resolve('sunny')));
      });
    },
  });
  const service = new ToolExecutionService({ tools: [tool], system, profile, policy: { retry: { jitter: 'none' } } });
  const events: TraceEvent[] = [];
  service.subscribe((event) => void events.push(event));
  return { system, service, asked, events };
}

interface Scene {
  readonly system: ManualSystem;
  readonly service: ToolExecutionService;
  readonly asked: readonly number[];
  readonly events: readonly TraceEvent[];
}

describe.each(['spec', 'service'] as const)('profile %s', (profile) => {
  test('a Retry-After that fits is waited for by the call that received it, and by every other call', async () => {
    const { system, service, asked, events } = limitedOnce(profile, 1);
    const began = system.now();
    const first = service.executeTool(weather);
    await system.advance(300);
    const second = service.executeTool(weather);
    expect(await system.until(Promise.all([first, second]))).toMatchObject([
      { status: 'success', attempts: 2 },
      { status: 'success', attempts: 1 },
    ]);
    expect(asked.map((at) => at - began)).toEqual([0, 1_050, 1_050]);
    expect(events.filter(({ event_type }) => event_type === 'AdmissionWaiting')).toMatchObject([{ wait: 'retry_after', delay_ms: 750 }]);
    expect(service.getToolHealth('weather')).toMatchObject({ circuit: 'closed', failureCount: 0 });
  });

  test('one that does not fit is reported to every call, and the server is not called', async () => {
    const { system, service, asked } = limitedOnce(profile, 7);
    expect(await system.until(service.executeTool(weather))).toMatchObject({ status: 'error', error: { retryAfterMs: 7_000 } });
    await system.advance(1_000);
    expect(await service.executeTool(weather)).toMatchObject({ status: 'error', error: { code: 'RATE_LIMITED', retryAfterMs: 6_000 } });
    expect(service.getToolHealth('weather')).toMatchObject({ circuit: 'closed', failureCount: 1 });
    await system.advance(6_000);
    expect(await system.until(service.executeTool(weather))).toMatchObject({ status: 'success' });
    expect(asked).toHaveLength(2);
  });

  test('it runs from when it was received, however long the call continues, and no longer', async () => {
    const { system, service, asked } = limitedOnce(profile, 1);
    const began = system.now();
    const call = service.executeTool(weather);
    await system.advance(51);
    expect(service.getToolHealth('weather')).toMatchObject({ circuit: 'closed', retryAfterMs: 999 });
    await system.until(call);
    expect(service.getToolHealth('weather')?.retryAfterMs).toBeUndefined();
    expect(asked.map((at) => at - began)).toEqual([0, 1_050]);
  });

  test('it is also used from a call that its turn has left running', async () => {
    const { system, service } = limitedOnce(profile, 5, 400);
    const turn = service.executeTurn({ calls: [{ callId: 'a', toolName: 'weather' }], timeoutMs: 100 });
    await system.until(turn);
    await system.advance(400);
    expect(service.getToolHealth('weather')?.retryAfterMs).toBeGreaterThan(4_500);
  });
});
