import type { ToolResult } from '@holdfast/core';
import { manualSystem } from '@holdfast/core/testing';
import { describe, expect, test } from 'vitest';
import type { Step } from './support/scripted-tool.ts';
import { fails, gaps, hangs, scriptedTool, succeeds } from './support/scripted-tool.ts';
import { stage } from './support/stage.ts';

const weather = { callId: 'call_1', toolName: 'weather' };
const once = { retry: { maxAttempts: 1 } };

describe('structured result', () => {
  test('success, error and timeout have the fields of the shape, with their types', { tags: ['S4-result'] }, async () => {
    const system = manualSystem();
    const tool = scriptedTool(system, 'weather', [succeeds({ degrees: 21 }, 120), fails('Validation failed', 30), hangs], once);
    const { service } = stage(system, [tool]);
    const call = (): Promise<ToolResult> => system.until(service.executeTool(weather));
    const common = { toolName: 'weather', callId: 'call_1' };

    const success = await call();
    expect(success).toMatchObject({ ...common, status: 'success', output: { degrees: 21 }, executionTime: 120 });
    expect(success.error).toBeUndefined();
    expect(success).not.toHaveProperty('fallbackUsed');

    for (const [result, status, executionTime] of [
      [await call(), 'error', 30],
      [await call(), 'timeout', 30_000],
    ] as const) {
      expect(result).toMatchObject({ ...common, status, executionTime });
      expect(result.error).toMatchObject({
        code: expect.stringMatching(/^[A-Z_]+$/),
        message: expect.any(String),
        userMessage: expect.any(String),
        retryable: status === 'timeout',
      });
      expect(result).not.toHaveProperty('output');
    }
  });

  test('a tool that returns null or undefined has a result too', { tags: ['S4-result'] }, async () => {
    const system = manualSystem();
    const { service } = stage(system, [
      scriptedTool(system, 'weather', [succeeds(null), { does: 'succeed', output: undefined, afterMs: 0 }]),
    ]);
    expect(await service.executeTool(weather)).toMatchObject({ status: 'success', output: null });
    expect(await service.executeTool(weather)).toMatchObject({ status: 'success', callId: 'call_1' });
  });
});

describe('batches', () => {
  test('one result per call in call order, even for repeated, missing and invalid ids', { tags: ['S4-batch'] }, async () => {
    const system = manualSystem();
    const tools = [
      scriptedTool(system, 'slow', [succeeds('slow', 500)]),
      scriptedTool(system, 'fast', [succeeds('fast', 1)]),
      scriptedTool(system, 'broken', [fails('Invalid input')]),
    ];
    const { service } = stage(system, tools);
    const calls = [
      { callId: 'a', toolName: 'slow' },
      { callId: 'b', toolName: 'fast' },
      { callId: 'a', toolName: 'broken' },
      { toolName: 'fast' },
      { callId: 'c', toolName: 'nonexistent' },
      { callId: 'a', toolName: 'fast' },
    ];
    const results = await system.until(service.executeToolBatch(calls));
    expect(results.map(({ callId, toolName, status }) => [callId, toolName, status])).toEqual([
      ['a', 'slow', 'success'],
      ['b', 'fast', 'success'],
      ['a', 'broken', 'error'],
      ['call-4', 'fast', 'success'],
      ['c', 'nonexistent', 'error'],
      ['a', 'fast', 'success'],
    ]);
    expect(service.validateResponseMatch(calls, results)).toMatchObject({ matches: true, problems: [] });
  });

  test('a repeated id is that of its result also where the call was never started', { tags: ['S4-batch'] }, async () => {
    const system = manualSystem();
    const { service } = stage(system, [scriptedTool(system, 'slow', [hangs])], { turn: { concurrency: 1 } });
    const calls = ['a', 'a', 'b'].map((callId) => ({ callId, toolName: 'slow' }));
    const results = await system.until(service.executeToolBatch(calls, { timeoutMs: 1_000 }));
    expect(results.map(({ callId, status, attempts }) => [callId, status, attempts])).toEqual([
      ['a', 'timeout', 1],
      ['a', 'timeout', 0],
      ['b', 'timeout', 0],
    ]);
  });

  test('the calls of a batch run concurrently', { tags: ['S4-batch'] }, async () => {
    const system = manualSystem();
    const tools = ['one', 'two', 'three'].map((name) => scriptedTool(system, name, [succeeds(name, 1_000)]));
    const { service } = stage(system, tools);
    await system.until(service.executeToolBatch(['one', 'two', 'three'].map((toolName) => ({ toolName }))));
    expect(system.now()).toBe(1_000);
  });

  test('no calls, no results', { tags: ['S4-batch'] }, async () => {
    const { service } = stage(manualSystem(), []);
    expect(await service.executeToolBatch([])).toEqual([]);
  });
});

describe('single tool execution under the service profile', () => {
  const serviceProfile = { profile: 'service' } as const;

  test(
    'attempts 2 to 4 wait 100, 200 and 400 ms; authentication and validation errors are not retried',
    { tags: ['S4-single'] },
    async () => {
      const attemptsFor = async (message: string): Promise<readonly number[]> => {
        const system = manualSystem();
        const tool = scriptedTool(system, 'weather', [fails(message)], { retry: { jitterPercent: 0 } });
        const { service } = stage(system, [tool], serviceProfile);
        await system.until(service.executeTool(weather));
        return tool.starts;
      };
      expect(await attemptsFor('Network error')).toEqual([0, 100, 300, 700]);
      expect(await attemptsFor('Authentication failed')).toEqual([0]);
      expect(await attemptsFor('Validation failed')).toEqual([0]);
    },
  );

  test('five failed calls open the circuit for 60 s; a success resets it', { tags: ['S4-single'] }, async () => {
    const system = manualSystem();
    const failures: readonly Step[] = Array.from({ length: 20 }, () => fails('Network error'));
    const tool = scriptedTool(system, 'weather', [...failures, succeeds('sunny')]);
    const { service } = stage(system, [tool], serviceProfile);
    const circuit = (): unknown => service.getToolHealth('weather')?.circuit;
    for (let call = 1; call <= 5; call++) {
      expect(circuit()).toBe('closed');
      expect(await system.until(service.executeTool(weather))).toMatchObject({ status: 'error', attempts: 4 });
    }
    expect(tool.starts).toHaveLength(20);
    expect(circuit()).toBe('open');
    expect(await service.executeTool(weather)).toMatchObject({
      attempts: 0,
      error: { code: 'CIRCUIT_OPEN', retryable: false, retryAfterMs: 60_000 },
    });
    await system.advance(59_999);
    expect(circuit()).toBe('open');
    await system.advance(1);
    expect(circuit()).toBe('half_open');
    expect(await system.until(service.executeTool(weather))).toMatchObject({ status: 'success', output: 'sunny' });
    expect(service.getToolHealth('weather')).toMatchObject({ circuit: 'closed', failureCount: 0 });
  });

  test('30 s is the time limit, enforced by an abort signal', { tags: ['S4-single'] }, async () => {
    const system = manualSystem();
    const tool = scriptedTool(system, 'weather', [hangs], once);
    const { service } = stage(system, [tool], serviceProfile);
    await system.until(service.executeTool(weather));
    expect(tool.aborts).toEqual([30_000]);
  });
});

describe('error categories', () => {
  const statusOf = (status: number): Error => Object.assign(new Error('The service said no'), { status });
  const codeOf = (code: string): Error => Object.assign(new Error('Something on the way'), { code });

  test.each([
    ['network', codeOf('ECONNRESET'), 'network', true],
    ['rate limit', statusOf(429), 'rate_limit', true],
    ['authentication', statusOf(401), 'auth', false],
    ['validation', statusOf(422), 'invalid_input', false],
    ['unknown', new Error('Hm'), 'unknown', true],
  ] as const)('%s', { tags: ['S4-categories'] }, async (_, error, category, retryable) => {
    const system = manualSystem();
    const tool = scriptedTool(system, 'weather', [fails(error)]);
    const { service } = stage(system, [tool]);
    const result = await system.until(service.executeTool(weather));
    expect(result).toMatchObject({ status: 'error', error: { category, retryable, message: `Tool error: ${error.message}` } });
    expect(tool.starts).toHaveLength(retryable ? 5 : 1);
    expectFriendly(result, error.message);
  });

  test('timeout is retryable, an open circuit is not', { tags: ['S4-categories'] }, async () => {
    const system = manualSystem();
    const tool = scriptedTool(system, 'weather', [hangs], once);
    const { service } = stage(system, [tool]);
    for (let call = 0; call < 5; call++) {
      const result = await system.until(service.executeTool(weather));
      expect(result).toMatchObject({ status: 'timeout', error: { category: 'timeout', retryable: true } });
      expectFriendly(result, 'Tool timeout after 30s');
    }
    const refused = await service.executeTool(weather);
    expect(refused).toMatchObject({ status: 'error', error: { code: 'CIRCUIT_OPEN', retryable: false } });
    expectFriendly(refused, refused.error?.message ?? '');
  });

  function expectFriendly({ error }: ToolResult, technical: string): void {
    expect(error?.userMessage).toMatch(/^The weather .+\.$/);
    expect(error?.userMessage).not.toContain(technical);
    expect(error?.message).toContain(technical);
  }
});

test('a fallback value is returned with an error, and only then', { tags: ['S4-fallback'] }, async () => {
  const system = manualSystem();
  const fallback = { value: { degrees: null } };
  const tool = scriptedTool(system, 'weather', [succeeds('sunny'), fails('Network error')], { fallback });
  const { service, of } = stage(system, [tool]);
  const served = await system.until(service.executeTool(weather));
  expect(served).toMatchObject({ status: 'success', output: 'sunny' });
  expect(served).not.toHaveProperty('fallbackUsed');
  const failed = await system.until(service.executeTool(weather));
  expect(failed).toMatchObject({ status: 'error', output: { degrees: null }, fallbackUsed: true, error: { code: 'NETWORK_ERROR' } });
  expect(tool.starts).toHaveLength(6);
  expect(of('RecoveryDecided').at(-1)).toMatchObject({ decision: { action: 'use_default' } });
});

describe('methods', () => {
  test('executeTool and executeToolBatch answer the same for the same call', { tags: ['S4-methods'] }, async () => {
    const system = manualSystem();
    const { service } = stage(system, [scriptedTool(system, 'weather', [succeeds('sunny')])]);
    const alone = await service.executeTool(weather);
    expect(await service.executeToolBatch([weather])).toEqual([alone]);
  });

  test('validateResponseMatch finds what is missing, unexpected or out of order', { tags: ['S4-methods'] }, () => {
    const { service } = stage(manualSystem(), []);
    const calls = [{ callId: 'a' }, { callId: 'b' }];
    expect(service.validateResponseMatch(calls, [{ callId: 'a' }, { callId: 'b' }])).toMatchObject({ matches: true });
    expect(service.validateResponseMatch(calls, [{ callId: 'a' }])).toMatchObject({ matches: false, missing: ['b'] });
    expect(service.validateResponseMatch(calls, [{ callId: 'a' }, { callId: 'x' }])).toMatchObject({
      matches: false,
      missing: ['b'],
      unexpected: ['x'],
    });
    expect(service.validateResponseMatch(calls, [{ callId: 'b' }, { callId: 'a' }])).toMatchObject({ matches: false, reordered: true });
  });

  test('resetCircuitBreaker closes the circuit at once', { tags: ['S4-methods'] }, async () => {
    const system = manualSystem();
    const tool = scriptedTool(system, 'weather', [...Array.from({ length: 5 }, () => fails('Network error')), succeeds('sunny')]);
    const { service } = stage(system, [tool]);
    await system.until(service.executeTool(weather));
    expect(service.getToolHealth('weather')).toMatchObject({ circuit: 'open', failureCount: 5 });
    service.resetCircuitBreaker('weather');
    expect(service.getToolHealth('weather')).toMatchObject({ circuit: 'closed', failureCount: 0 });
    expect(await service.executeTool(weather)).toMatchObject({ status: 'success', output: 'sunny' });
    expect(() => service.resetCircuitBreaker('wether')).toThrow("there is no such tool. Did you mean 'weather'?");
  });
});

test('metrics are updated on every execution, per tool', { tags: ['S4-metrics'] }, async () => {
  const system = manualSystem();
  const script = [succeeds('a', 100), succeeds('b', 200), fails('Invalid input', 300), hangs, succeeds('c', 400)];
  const { service } = stage(system, [scriptedTool(system, 'weather', script, once), scriptedTool(system, 'search', [succeeds()])]);
  const after: unknown[] = [];
  for (const _ of script) {
    await system.until(service.executeTool(weather));
    const { totalExecutions, successCount, errorCount, timeoutCount, avgExecutionTime, failureRate } = service.getToolMetrics('weather');
    after.push([totalExecutions, successCount, errorCount, timeoutCount, avgExecutionTime, failureRate]);
  }
  expect(after).toEqual([
    [1, 1, 0, 0, 100, 0],
    [2, 2, 0, 0, 150, 0],
    [3, 2, 1, 0, 200, 1 / 3],
    [4, 2, 1, 1, 7_650, 0.5],
    [5, 3, 1, 1, 6_200, 0.4],
  ]);
  expect(service.getToolMetrics('search')).toMatchObject({ totalExecutions: 0, avgExecutionTime: 0, failureRate: 0 });
  await service.executeTool({ toolName: 'search' });
  expect(service.getToolMetrics('search')).toMatchObject({ totalExecutions: 1, successCount: 1 });
  expect(service.getToolMetrics('weather').totalExecutions).toBe(5);
});

test('calls that no tool was run for take no time, and cancelled ones are no failures', { tags: ['S4-metrics'] }, async () => {
  const system = manualSystem();
  const script = [...Array.from({ length: 5 }, () => fails('Network error', 1_000)), hangs];
  const { service } = stage(system, [scriptedTool(system, 'weather', script, once)]);
  for (let index = 0; index < 10; index++) await system.until(service.executeTool(weather));
  expect(service.getToolMetrics('weather')).toMatchObject({
    totalExecutions: 10,
    errorCount: 10,
    refusedCount: 5,
    avgExecutionTime: 1_000,
  });
  service.resetCircuitBreaker('weather');
  const caller = new AbortController();
  const cancelled = service.executeTool(weather, { signal: caller.signal });
  await system.advance(1_000);
  caller.abort();
  expect(await system.until(cancelled)).toMatchObject({ error: { code: 'CANCELLED' } });
  expect(service.getToolMetrics('weather')).toMatchObject({ totalExecutions: 11, errorCount: 10, cancelledCount: 1, failureRate: 1 });
});

test('the delays of the service profile carry jitter too', { tags: ['S4-single'] }, async () => {
  const system = manualSystem();
  const tool = scriptedTool(system, 'weather', [fails('Network error')]);
  const { service } = stage(system, [tool], { profile: 'service' });
  await system.until(service.executeTool(weather));
  for (const [index, nominal] of [100, 200, 400].entries()) {
    expect(gaps(tool.starts)[index]).toBeGreaterThanOrEqual(nominal * 0.9);
    expect(gaps(tool.starts)[index]).toBeLessThanOrEqual(nominal * 1.1);
  }
});
