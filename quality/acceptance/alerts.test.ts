import { defineTool, ToolExecutionService } from '@holdfast/core';
import type { AlertRuleOptions } from '@holdfast/core/alerts';
import { createAlertEngine, defaultAlertRules } from '@holdfast/core/alerts';
import { manualSystem } from '@holdfast/core/testing';
import { guardFetch, ResponseValidationMiddleware } from '@holdfast/wire';
import { describe, expect, test } from 'vitest';
import type { Step } from './support/scripted-tool.ts';
import { fails, scriptedTool, succeeds } from './support/scripted-tool.ts';
import { stage } from './support/stage.ts';

const weather = { callId: 'call_1', toolName: 'weather' };
const once = { retry: { maxAttempts: 1 } };

describe('alerts', () => {
  /** The alerts that fire after a script of calls and a number of quiet seconds. */
  async function alertsAfter(script: readonly Step[], options: AlertRuleOptions, quietS = 0): Promise<readonly string[]> {
    const system = manualSystem();
    const { service } = stage(system, [scriptedTool(system, 'weather', script, { ...once, breaker: false })]);
    const alerts = createAlertEngine({ rules: defaultAlertRules(options) });
    service.subscribe(alerts.observe);
    for (const _ of script) await system.until(service.executeTool(weather));
    for (let passed = 0; passed < quietS; passed += 15) {
      await system.advance(15_000);
      alerts.evaluate(system.epochMs());
    }
    return alerts.active().map(({ name }) => name);
  }

  const successes = (count: number): readonly Step[] => Array.from({ length: count }, () => succeeds());
  const failures = (count: number): readonly Step[] => Array.from({ length: count }, () => fails('Invalid input'));
  const strict: AlertRuleOptions = { strict: true };

  test('failure rate > 5 %', { tags: ['S4-alerts'] }, async () => {
    expect(await alertsAfter([...failures(1), ...successes(19)], strict)).toEqual([]);
    expect(await alertsAfter([...failures(1), ...successes(18)], strict)).toEqual(['ToolFailureRateHigh']);
    expect(await alertsAfter(failures(1), strict)).toEqual(['ToolFailureRateHigh']);
  });

  test('average execution time > 5 s', { tags: ['S4-alerts'] }, async () => {
    expect(await alertsAfter([succeeds('', 4_000), succeeds('', 6_000)], strict)).toEqual([]);
    expect(await alertsAfter([succeeds('', 4_000), succeeds('', 6_002)], strict)).toEqual(['ToolExecutionTimeHigh']);
  });

  test('response validation failures: an answer that cannot be read', { tags: ['S4-alerts'] }, async () => {
    const unreadable = Object.assign(new Error('Parse Error'), { code: 'HPE_INVALID_CONSTANT' });
    const service = new ToolExecutionService({ tools: [defineTool({ name: 'weather', run: () => Promise.reject(unreadable) })] });
    const alerts = createAlertEngine({ rules: defaultAlertRules(strict) });
    service.subscribe(alerts.observe);
    await service.executeTool({ toolName: 'weather' });
    expect(alerts.active().map(({ name }) => name)).toEqual(['ToolFailureRateHigh', 'ResponseInvalid']);
  });

  test('the execution time is that of a call: two attempts of 3 s are one execution of 6.1 s', { tags: ['S4-alerts'] }, async () => {
    const system = manualSystem();
    const { service } = stage(system, [scriptedTool(system, 'weather', [fails('Network error', 3_000), succeeds('', 3_000)])]);
    const alerts = createAlertEngine({ rules: defaultAlertRules(strict) });
    service.subscribe(alerts.observe);
    await system.until(service.executeTool(weather));
    expect(alerts.active()).toMatchObject([
      { name: 'ToolExecutionTimeHigh', annotations: { description: expect.stringContaining('Mean time of a call of weather: 6.1') } },
    ]);
    expect(service.getToolMetrics('weather').avgExecutionTime).toBeCloseTo(6_100, -2);
  });

  test('circuit breaker trips, until the circuit closes', { tags: ['S4-alerts'] }, async () => {
    const system = manualSystem();
    const tool = scriptedTool(system, 'weather', [...Array.from({ length: 5 }, () => fails('Network error')), succeeds()]);
    const { service } = stage(system, [tool]);
    const alerts = createAlertEngine();
    service.subscribe(alerts.observe);
    await system.until(service.executeTool(weather));
    expect(alerts.active()).toMatchObject([
      { name: 'CircuitOpen', annotations: { summary: 'Circuit breaker of weather has opened' }, cause: { toolName: 'weather' } },
    ]);
    await system.advance(30_000);
    await service.executeTool(weather);
    // It has to stay closed for five minutes: a circuit that flaps is one alert.
    expect(alerts.active()).toHaveLength(1);
    alerts.evaluate(system.epochMs() + 301_000);
    expect(alerts.active()).toEqual([]);
  });

  test('response validation failures of a tool', { tags: ['S4-alerts'] }, async () => {
    const system = manualSystem();
    const run = (): unknown => ({ degrees: 'warm' });
    const tool = defineTool({ name: 'weather', output: { type: 'object', properties: { degrees: { type: 'number' } } }, run });
    const service = new ToolExecutionService({ tools: [tool], system });
    const alerts = createAlertEngine();
    service.subscribe(alerts.observe);
    expect(await service.executeTool(weather)).toMatchObject({
      status: 'error',
      attempts: 1,
      error: { code: 'INVALID_OUTPUT', retryable: false },
    });
    expect(alerts.active()).toMatchObject([{ name: 'ResponseInvalid', labels: { tool: 'weather' } }]);
  });

  describe('response validation failures of an exchange with a model', () => {
    function watched(): { readonly service: ToolExecutionService; readonly names: () => readonly string[] } {
      const service = new ToolExecutionService({ tools: [], system: manualSystem() });
      const alerts = createAlertEngine();
      service.subscribe(alerts.observe);
      return { service, names: () => alerts.active().map(({ name }) => name) };
    }
    const calls = [{ callId: 'call_1', toolName: 'weather' }];

    test('of the middleware: requests and responses', { tags: ['S4-alerts'] }, () => {
      for (const check of [
        (middleware: ResponseValidationMiddleware) => middleware.validateResponse({ content: '', toolCalls: calls, toolResults: [] }),
        (middleware: ResponseValidationMiddleware) => middleware.validateResponse({ choices: [] }),
        (middleware: ResponseValidationMiddleware) => middleware.validateRequest({ messages: 'none' }),
      ]) {
        const { service, names } = watched();
        const middleware = new ResponseValidationMiddleware({ service });
        middleware.validateRequest({ messages: [{ role: 'user', content: 'Does it rain?' }] });
        middleware.validateResponse({ content: 'No.', toolCalls: [], toolResults: [] });
        expect(names()).toEqual([]);
        expect(check(middleware).valid).toBe(false);
        expect(names()).toEqual(['ResponseValidationFailed']);
      }
    });

    test('of a guarded fetch: responses, and requests that the provider refuses', { tags: ['S4-alerts'] }, async () => {
      const answers: readonly (readonly [number, unknown])[] = [
        [
          200,
          { choices: [{ finish_reason: 'tool_calls', message: { role: 'assistant', content: null, tool_calls: [{ id: 'call_1' }] } }] },
        ],
        [400, { error: { message: "Missing required parameter: 'tools[0].function.name'." } }],
      ];
      for (const [status, body] of answers) {
        const { service, names } = watched();
        const headers = { 'content-type': 'application/json' };
        const inner = (): Promise<Response> => Promise.resolve(new Response(JSON.stringify(body), { status, headers }));
        const request = { model: 'm', messages: [{ role: 'user', content: 'Does it rain?' }] };
        const fetch = guardFetch(inner, { service });
        await fetch('https://api.openai.com/v1/chat/completions', { method: 'POST', body: JSON.stringify(request) });
        expect(names(), String(status)).toEqual(['ResponseValidationFailed']);
      }
    });
  });

  test('by default a rate needs 5 calls and a significant number of failures', { tags: ['S4-alerts'] }, async () => {
    expect(await alertsAfter(failures(4), {}, 45)).toEqual([]);
    expect(await alertsAfter(failures(5), {}, 45)).toEqual(['ToolFailureRateHigh', 'ToolDown']);
    expect(await alertsAfter(failures(19), {}, 45)).toEqual(['ToolFailureRateHigh', 'ToolDown']);
    expect(await alertsAfter([...failures(2), ...successes(18)], {}, 45)).toEqual([]);
    const tooMany = [...failures(3), ...successes(17)];
    expect(await alertsAfter(tooMany, {}, 45)).toEqual(['ToolFailureRateHigh']);
    expect(await alertsAfter([...tooMany, ...successes(60)], {}, 45)).toEqual([]);
    expect(await alertsAfter([...tooMany, ...successes(60)], strict, 45)).toEqual([]);
  });
});
