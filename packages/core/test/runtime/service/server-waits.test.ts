/** What a server asks for with `Retry-After` holds the other calls of its tool, at once, whatever the circuit counts, but not for long. */
import { describe, expect, test } from 'vitest';
import type { ToolPolicy, TraceEvent } from '../../../src/index.ts';
import { defineTool, ToolExecutionService } from '../../../src/index.ts';
import { manualSystem, type ManualSystem } from '../../../src/testing/index.ts';

const weather = { toolName: 'weather' };

/** Its first answer is a 429 with a Retry-After of `waitS` seconds, after `firstMs`; later ones take 10 ms. */
function limitedOnce(profile: 'spec' | 'service', waitS: number, firstMs = 50, policy: ToolPolicy = { retry: { jitter: 'none' } }): Scene {
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
  const service = new ToolExecutionService({ tools: [tool], system, profile, policy });
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
    expect(events.filter(({ event_type }) => event_type === 'AdmissionWaiting')).toMatchObject([
      { wait: 'retry_after', delay_ms: 750, held_ms: 750 },
    ]);
    expect(service.getToolHealth('weather')).toMatchObject({ circuit: 'closed', failureCount: 0 });
  });

  test('one that does not fit is reported to every call, and the server is not called', async () => {
    const { system, service, asked } = limitedOnce(profile, 7);
    expect(await system.until(service.executeTool(weather))).toMatchObject({ status: 'error', error: { retryAfterMs: 7_000 } });
    await system.advance(1_000);
    expect(await service.executeTool(weather)).toMatchObject({ status: 'error', error: { code: 'RATE_LIMITED', retryAfterMs: 6_000 } });
    expect(service.getToolHealth('weather')).toMatchObject({ circuit: 'closed', failureCount: 1, heldMs: 6_000 });
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
    expect(service.getToolHealth('weather')).not.toHaveProperty('retryAfterMs');
    expect(service.getToolHealth('weather')).not.toHaveProperty('heldMs');
    expect(asked.map((at) => at - began)).toEqual([0, 1_050]);
  });

  test('it is also used from a call that its turn has left running', async () => {
    const { system, service } = limitedOnce(profile, 5, 400);
    const turn = service.executeTurn({ calls: [{ callId: 'a', toolName: 'weather' }], timeoutMs: 100 });
    await system.until(turn);
    await system.advance(400);
    expect(service.getToolHealth('weather')?.retryAfterMs).toBeGreaterThan(4_500);
  });

  test('a call that waits for all of it is overtaken by calls that ask after 10 s', async () => {
    const patient = { retry: { maxAttempts: 2, maxTotalTimeMs: 60_000, jitter: 'none' } } as const;
    const { system, service, asked } = limitedOnce(profile, 30, 50, patient);
    const began = system.now();
    const told = service.executeTool(weather);
    await system.advance(300);
    const early = service.executeTool(weather);
    await system.advance(10_000);
    expect(service.getToolHealth('weather')).toMatchObject({ circuit: 'closed', failureCount: 0 });
    expect(await early).toMatchObject({ status: 'success', attempts: 1, executionTime: 9_760 });
    expect(await system.until(service.executeTool(weather))).toMatchObject({ status: 'success', executionTime: 10 });
    expect(await system.until(told)).toMatchObject({ status: 'success', attempts: 2 });
    expect(asked.map((at) => at - began)).toEqual([0, 10_050, 10_300, 30_050]);
  });

  test('one stray Retry-After of an hour: its call says so, others are refused for 10 s at most', async () => {
    const { system, service, events } = limitedOnce(profile, 3_600);
    expect(await system.until(service.executeTool(weather))).toMatchObject({
      status: 'error',
      attempts: 1,
      error: { code: 'RATE_LIMITED', retryAfterMs: 3_600_000, stoppedBy: 'budget' },
    });
    await system.advance(2_000);
    expect(await service.executeTool(weather)).toMatchObject({
      status: 'error',
      attempts: 0,
      error: { message: "Held by the server's Retry-After for another 8s", code: 'RATE_LIMITED', retryAfterMs: 8_000 },
    });
    expect(events.find(({ event_type }) => event_type === 'CallRefused')).toMatchObject({
      code: 'RATE_LIMITED',
      source: 'server_hint',
      circuit_breaker_state: 'closed',
      retry_after_ms: 8_000,
      held_ms: 8_000,
    });
    const decisions = events.filter(({ event_type }) => event_type === 'RecoveryDecided');
    expect(decisions).toMatchObject([
      { inputs: { circuit_breaker_state: 'closed', retry_after_ms: 3_600_000, held_ms: 10_000 } },
      { inputs: { circuit_breaker_state: 'closed', retry_after_ms: 8_000, held_ms: 8_000 } },
    ]);
    await system.advance(8_000);
    for (let call = 0; call < 5; call += 1) expect(await system.until(service.executeTool(weather))).toMatchObject({ status: 'success' });
    expect(service.getToolHealth('weather')).not.toHaveProperty('heldMs');
  });

  test('a success of a request that was sent after it ends it', async () => {
    const { system, service, asked } = limitedOnce(profile, 3_600, 400);
    const [told] = [service.executeTool(weather), await system.advance(395)];
    const healthy = service.executeTool(weather);
    await system.advance(5);
    expect(service.getToolHealth('weather')).toMatchObject({ heldMs: 10_000 });
    expect(await system.until(healthy)).toMatchObject({ status: 'success' });
    expect(service.getToolHealth('weather')).not.toHaveProperty('heldMs');
    expect(await told).toMatchObject({ status: 'error', error: { retryAfterMs: 3_600_000 } });
    expect(await system.until(service.executeTool(weather))).toMatchObject({ status: 'success' });
    expect(asked).toHaveLength(3);
  });
});

test('a call that waits for recovery waits for its own Retry-After first, even if the circuit opens and closes meanwhile', async () => {
  const system = manualSystem();
  const asked: (readonly [callId: string, at: number])[] = [];
  const unavailable = (fields: object = {}): Error => Object.assign(new Error('down'), { status: 503, ...fields });
  const answers: Readonly<Record<string, Error>> = {
    told: unavailable({ headers: { 'retry-after': '5' } }),
    c: unavailable(),
    d: unavailable(),
  };
  const tool = defineTool({
    name: 'weather',
    waitForRecovery: { maxWaitMs: 60_000 },
    breaker: { failureThreshold: 2, openMs: 500 },
    retry: { maxAttempts: 2, jitter: 'none' },
    run: (_input, { callId, attempt }) => {
      asked.push([callId, system.now() - began]);
      const error = attempt === 1 ? answers[callId] : undefined;
      return new Promise((resolve, reject) => void system.setTimer(50, () => (error ? reject(error) : resolve('sunny'))));
    },
  });
  const service = new ToolExecutionService({ tools: [tool], system });
  const events: TraceEvent[] = [];
  service.subscribe((event) => void events.push(event));
  const began = system.now();
  const calls: Promise<unknown>[] = [];
  for (const callId of ['told', 'c', 'd']) {
    calls.push(service.executeTool({ ...weather, callId }));
    await system.advance(10);
  }
  expect(await system.until(Promise.all(calls))).toMatchObject(calls.map(() => ({ status: 'success' })));
  expect(events.map(({ event_type }) => event_type).filter((type) => type.startsWith('Circuit'))).toEqual([
    'CircuitBreakerOpened',
    'CircuitBreakerHalfOpened',
    'CircuitBreakerClosed',
  ]);
  const [first, second, ...others] = asked.flatMap(([callId, at]) => (callId === 'told' ? [at] : []));
  expect([first, ...others]).toEqual([0]);
  expect(second).toBeGreaterThanOrEqual(5_050);
  // Nothing has been paid for yet when a tool is back: the call starts after three mean gaps without one.
  expect(second).toBeLessThan(15_050);
});

test('a call with two attempts side by side waits for the longest Retry-After that either received', async () => {
  const system = manualSystem();
  const tool = defineTool({
    name: 'weather',
    effect: 'read',
    hedge: { afterMs: 20, maxHedges: 1 },
    breaker: { failureThreshold: 100 },
    run: (_input, { attempt }) =>
      new Promise((_resolve, reject) => {
        const limited = Object.assign(new Error('Too Many Requests'), {
          status: 429,
          headers: { 'retry-after': attempt === 1 ? '3600' : '1' },
        });
        system.setTimer(50, () => reject(limited));
      }),
  });
  const service = new ToolExecutionService({ tools: [tool], system });
  expect(await system.until(service.executeTool(weather))).toMatchObject({
    status: 'error',
    attempts: 2,
    error: { retryAfterMs: 3_599_980, stoppedBy: 'budget' },
  });
});
