/** S4, box by box: what `execution-service.test.ts` and `response-validation.test.ts` do not say. */
import type { ToolResult } from '@holdfast/core';
import { ToolExecutionService } from '@holdfast/core';
import { createMetrics } from '@holdfast/core/metrics';
import { manualSystem } from '@holdfast/core/testing';
import { ResponseValidationMiddleware } from '@holdfast/wire';
import { describe, expect, test } from 'vitest';
import type { ScriptedToolOptions, Step } from './support/scripted-tool.ts';
import { fails, gaps, hangs, scriptedTool, succeeds } from './support/scripted-tool.ts';
import { stage } from './support/stage.ts';

const weather = { callId: 'call_1', toolName: 'weather' };
const reset = fails(Object.assign(new Error('socket hang up'), { code: 'ECONNRESET' }));

function scene(steps: readonly Step[], policy: ScriptedToolOptions = {}) {
  const clock = manualSystem({ epochMs: 1_700_000_000_000 });
  const tool = scriptedTool(clock, 'weather', steps, policy);
  const { service, of } = stage(clock, [tool], { profile: 'service' });
  const call = (): Promise<ToolResult> => clock.until(service.executeTool(weather));
  return { clock, tool, service, of, call, health: () => service.getToolHealth('weather') };
}

/** Five calls of four attempts each. */
const outage = Array.from({ length: 20 }, () => reset);

describe('circuit breaker per tool', () => {
  test('closed → open after 5 failures → half_open after 60 s → closed with a success', { tags: ['S4-circuit'] }, async () => {
    const { call, clock, health, service } = scene([...outage, succeeds('sunny')]);
    for (let failures = 0; failures < 5; failures++) {
      expect(health()).toMatchObject({ circuit: 'closed', failureCount: failures });
      await call();
    }
    expect(health()).toMatchObject({ circuit: 'open', failureCount: 5 });
    expect(await call()).toMatchObject({
      status: 'error',
      attempts: 0,
      executionTime: 0,
      error: { code: 'CIRCUIT_OPEN', retryable: false },
    });
    await clock.advance(60_000);
    expect(health()?.circuit).toBe('half_open');
    await call();
    expect(health()).toMatchObject({ circuit: 'closed', failureCount: 0 });
    expect(service.getToolHealth('other')).toBeUndefined();
  });

  test('half_open → open with a failure, for another 60 s', { tags: ['S4-circuit'] }, async () => {
    const { call, clock, health } = scene([...outage, reset]);
    for (let index = 0; index < 5; index++) await call();
    await clock.advance(60_000);
    expect(await call()).toMatchObject({ status: 'error', attempts: 1 });
    expect(health()?.circuit).toBe('open');
    await clock.advance(59_999);
    expect(health()?.circuit).toBe('open');
    await clock.advance(1);
    expect(health()?.circuit).toBe('half_open');
  });

  test('is per tool', { tags: ['S4-circuit'] }, async () => {
    const clock = manualSystem();
    const tools = [scriptedTool(clock, 'weather', [reset]), scriptedTool(clock, 'search', [succeeds('found')])];
    const { service } = stage(clock, tools, { profile: 'service' });
    for (let index = 0; index < 5; index++) await clock.until(service.executeTool(weather));
    expect(service.getToolHealth('weather')?.circuit).toBe('open');
    expect(await service.executeTool({ toolName: 'search' })).toMatchObject({ status: 'success' });
  });

  test('its state: consecutive failures, time of the last one, state', { tags: ['S4-circuit-state'] }, async () => {
    const { call, clock, health } = scene([reset, succeeds(), fails('Invalid input'), reset], { retry: { maxAttempts: 1 } });
    expect(health()).toMatchObject({ failureCount: 0, circuit: 'closed' });
    expect(health()).not.toHaveProperty('lastFailureEpochMs');
    await clock.advance(1_000);
    await call();
    expect(health()).toMatchObject({ failureCount: 1, lastFailureEpochMs: 1_700_000_001_000, circuit: 'closed' });
    await clock.advance(1_000);
    await call();
    expect(health()).toMatchObject({ failureCount: 0, lastFailureEpochMs: 1_700_000_001_000 });
    await call();
    expect(health()).toMatchObject({ failureCount: 0, lastFailureEpochMs: 1_700_000_001_000 });
    await clock.advance(1_000);
    await call();
    expect(health()).toMatchObject({ failureCount: 1, lastFailureEpochMs: 1_700_000_003_000 });
  });
});

describe('retry logic', () => {
  test('attempt 1 at once, then after 100, 200 and 400 ms; no attempt 5', { tags: ['S4-retry'] }, async () => {
    const { call, tool } = scene([reset], { retry: { jitterPercent: 0 } });
    expect(await call()).toMatchObject({ status: 'error', attempts: 4, error: { stoppedBy: 'attempts', retryable: true } });
    expect(tool.starts).toEqual([0, 100, 300, 700]);
  });

  test('the delays are those numbers ± 10 % by default', { tags: ['S4-retry'] }, async () => {
    const { call, tool } = scene([reset]);
    await call();
    for (const [index, gap] of gaps(tool.starts).entries()) expect(Math.abs(gap / (100 * 2 ** index) - 1)).toBeLessThanOrEqual(0.1);
  });

  test.each([
    ['authentication', 401],
    ['permission', 403],
    ['validation', 400],
    ['other non-retryable', 404],
  ])('skips %s errors', { tags: ['S4-retry'] }, async (_, status) => {
    const { call, health } = scene([fails(Object.assign(new Error('no'), { status }))]);
    expect(await call()).toMatchObject({ status: 'error', attempts: 1, error: { retryable: false } });
    expect(health()?.failureCount).toBe(0);
  });
});

describe('timeout handling', () => {
  test('30 s by default, configurable per tool; the tool is aborted, and no call hangs', { tags: ['S4-timeout'] }, async () => {
    const limitOf = async (policy: ScriptedToolOptions): Promise<readonly number[]> => {
      const { call, tool } = scene([hangs], { ...policy, retry: { maxAttempts: 1 } });
      const { status, executionTime, error } = await call();
      expect([status, error?.retryable]).toEqual(['timeout', true]);
      return [executionTime, ...tool.aborts];
    };
    expect(await limitOf({})).toEqual([30_000, 30_000]);
    expect(await limitOf({ timeoutMs: 5_000 })).toEqual([5_000, 5_000]);
  });
});

describe('error handling strategy', () => {
  const statusOf = (status: number): Error => Object.assign(new Error('The service said no'), { status });

  test.each([
    ['network error', Object.assign(new Error('no route'), { code: 'ECONNREFUSED' }), 4],
    ['timeout', Object.assign(new Error('too slow'), { name: 'TimeoutError' }), 4],
    ['rate limit', statusOf(429), 4],
    ['auth error', statusOf(401), 1],
    ['validation', statusOf(400), 1],
    ['unknown', new Error('Hm'), 4],
  ] as const)('%s', { tags: ['S4-strategy'] }, async (_, error, attempts) => {
    const { call } = scene([fails(error)]);
    expect(await call()).toMatchObject({ status: 'error', attempts, error: { retryable: attempts > 1, cause: error } });
  });

  test('after the last retry: the fallback if there is one, else the error', { tags: ['S4-strategy'] }, async () => {
    expect(await scene([reset], { fallback: { value: 'unknown' } }).call()).toMatchObject({
      status: 'error',
      attempts: 4,
      output: 'unknown',
      fallbackUsed: true,
      error: { code: 'NETWORK_ERROR' },
    });
    expect(await scene([reset]).call()).not.toHaveProperty('output');
  });

  test('a timeout with a fallback is an error with an output', { tags: ['S4-fallback'] }, async () => {
    const { call } = scene([hangs], { fallback: { value: 'unknown' }, retry: { maxAttempts: 1 } });
    expect(await call()).toMatchObject({ status: 'error', output: 'unknown', fallbackUsed: true, error: { code: 'TOOL_TIMEOUT' } });
  });
});

test('metrics can be exported: execution counts, rates, times and the state of the circuit', { tags: ['S4-export'] }, async () => {
  const metrics = createMetrics({ tools: ['weather'] });
  const { call, service } = scene([succeeds('sunny', 200), ...outage]);
  service.subscribe((event) => metrics.observe(event));
  const duration = (): unknown => metrics.family('callDuration').series[0];
  await call();
  expect(duration()).toMatchObject({ labels: { tool: 'weather' }, count: 1, sum: 0.2 });
  for (let index = 0; index < 5; index++) await call();
  expect(metrics.family('calls').series).toEqual(
    expect.arrayContaining([
      expect.objectContaining({ labels: { tool: 'weather', outcome: 'success' }, value: 1 }),
      expect.objectContaining({ labels: { tool: 'weather', outcome: 'error' }, value: 5 }),
    ]),
  );
  expect(duration()).toMatchObject({ labels: { tool: 'weather' }, count: 6 });
  expect(metrics.family('circuitState').series).toContainEqual(
    expect.objectContaining({ labels: { tool: 'weather', state: 'open' }, value: 1 }),
  );
  expect(service.getToolMetrics('weather').failureRate).toBeCloseTo(5 / 6, 12);
});

describe('data flow', () => {
  test('a request is validated, its calls are executed, and as many results go back in their order', { tags: ['S4-flow'] }, async () => {
    const clock = manualSystem();
    const tools = [
      scriptedTool(clock, 'weather', [succeeds('sunny', 300)]),
      scriptedTool(clock, 'search', [fails('Validation failed')]),
      scriptedTool(clock, 'email', [hangs], { retry: { maxAttempts: 1 } }),
    ];
    const service = new ToolExecutionService({ tools: tools.map(({ tool }) => tool), system: clock, profile: 'service' });
    const middleware = new ResponseValidationMiddleware();
    const request = {
      model: 'any',
      messages: [{ role: 'user', content: 'weather?' }],
      tools: [{ type: 'function', function: { name: 'weather', parameters: { type: 'object', properties: {} } } }],
    };
    expect(middleware.validateRequest(request)).toEqual({ valid: true, problems: [] });
    const toolCalls = ['weather', 'search', 'email'].map((toolName, index) => ({ callId: `call_${index}`, toolName, arguments: {} }));
    const toolResults = await clock.until(service.executeToolBatch(toolCalls));
    expect(toolResults.map(({ status }) => status)).toEqual(['success', 'error', 'timeout']);
    expect(service.validateResponseMatch(toolCalls, toolResults)).toMatchObject({ matches: true });
    const turn = { content: '', toolCalls, toolResults };
    expect(middleware.validateResponse(turn).valid).toBe(true);
    expect(middleware.sanitizeResponse(turn).response).toBe(turn);
  });
});
