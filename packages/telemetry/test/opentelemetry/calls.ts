/** The spans of a call, with a manual clock. */
import { defineTool } from '@holdfast/core';
import type { OpenTelemetryOptions } from '@holdfast/telemetry/opentelemetry';
import { context, trace } from '@opentelemetry/api';
import { expect, test } from 'vitest';
import type { Scene, World } from './scene.ts';
import { flaky, request, sinceBegun, world } from './scene.ts';

export function describeCalls({ named, parentOf, tree, sdk }: Scene): void {
  test('one call: one span over its attempts, each attempt with its requests', async () => {
    const { system, service }: World = world([flaky(() => system, 2)]);
    const call = (): Promise<unknown> => service.executeTool({ toolName: 'search', callId: 'c1' });
    const app = trace.getTracer('app').startSpan('app');
    await system.until(context.with(trace.setSpan(context.active(), app), call));
    app.end();
    const attempts = sdk.spans().filter(({ name }) => name === 'tool_attempt search');
    expect(attempts.map((span) => [span.attributes['holdfast.attempt.number'], span.status.code, span.attributes['error.type']])).toEqual([
      [1, 2, '503'],
      [2, 2, '503'],
      [3, 0, undefined],
    ]);
    const execution = named('execute_tool search');
    expect(parentOf(execution)).toBe('app');
    expect(attempts.map(parentOf)).toEqual(Array(3).fill('execute_tool search'));
    for (const [index, attempt] of attempts.entries()) {
      for (const method of ['GET', 'POST']) {
        const { parentSpanContext } = named(`${method} search ${index + 1}`);
        expect(parentSpanContext?.spanId).toBe(attempt.spanContext().spanId);
      }
    }
    expect(new Set(sdk.spans().map((span) => span.spanContext().traceId)).size).toBe(1);
    // Recovered: not an error, and not reported as one.
    expect(execution.status.code).toBe(0);
    expect(execution.kind).toBe(0);
    expect(execution.attributes).toEqual({
      'gen_ai.operation.name': 'execute_tool',
      'gen_ai.tool.name': 'search',
      'gen_ai.tool.type': 'function',
      'gen_ai.tool.call.id': 'c1',
      'holdfast.turn.id': expect.any(String) as string,
      'holdfast.call.outcome': 'success',
      'holdfast.call.attempts': 3,
      'holdfast.call.backoff': expect.closeTo(0.3, 1) as number,
    });
    expect(attempts.some(({ attributes }) => 'gen_ai.operation.name' in attributes)).toBe(false);
  });

  test('times are those of the events', async () => {
    const { system, service }: World = world([flaky(() => system, 1)], {}, { policy: { retry: { jitter: 'none' } } });
    await system.advance(1_000);
    await system.until(service.executeTool({ toolName: 'search' }));
    const times = sdk
      .spans()
      .flatMap(({ name, startTime, endTime }) => (/tool/.test(name) ? [[name, sinceBegun(startTime), sinceBegun(endTime)]] : []));
    expect(times).toEqual([
      ['tool_attempt search', 1_000, 1_010],
      ['tool_attempt search', 1_110, 1_120],
      ['execute_tool search', 1_000, 1_120],
    ]);
    const [decision] = named('execute_tool search').events;
    expect([decision?.name, decision && sinceBegun(decision.time)]).toEqual(['holdfast.recovery.decision', 1_010]);
    expect(decision?.attributes).toMatchObject({
      'holdfast.decision.action': 'retry',
      'holdfast.reason': 'Transient error + circuit closed + retries available',
      'holdfast.delay': 0.1,
      'holdfast.error.rule': 'status:503',
      'holdfast.circuit_breaker.state': 'closed',
      'holdfast.decision.max_attempts': 5,
      'holdfast.decision.retry_limit': 2,
    });
  });

  test('a call that fails is an error, with the last reason', async () => {
    const { system, service }: World = world([flaky(() => system, 9, 'search', { retry: { maxAttempts: 2 } })]);
    await system.until(service.executeTool({ toolName: 'search' }));
    const { status, attributes } = named('execute_tool search');
    expect(status).toEqual({ code: 2, message: 'Tool error: down' });
    expect(attributes).toMatchObject({
      'error.type': '503',
      'holdfast.error.code': 'SERVICE_UNAVAILABLE',
      'holdfast.call.stopped_by': 'attempts',
    });
  });

  test('an open circuit: no attempt, and a span event', async () => {
    const { system, service }: World = world([flaky(() => system, 9, 'search', { retry: { maxAttempts: 1 } })]);
    for (let call = 0; call < 5; call++) await system.until(service.executeTool({ toolName: 'search' }));
    expect(sdk.spans().filter(({ events }) => events.some(({ name }) => name === 'holdfast.circuit_breaker.opened'))).toHaveLength(1);
    sdk.reset();
    await system.until(service.executeTool({ toolName: 'search' }));
    expect(tree()).toEqual(['execute_tool search < nothing']);
    const { attributes, events } = named('execute_tool search');
    expect(attributes).toMatchObject({ 'error.type': 'circuit_open', 'holdfast.call.attempts': 0 });
    expect(events.map(({ name }) => name)).toContain('holdfast.call.refused');
  });

  test('an alternative is a separate call within the call, linked to the failure', async () => {
    const { system, service }: World = world([
      flaky(() => system, 9, 'search', { retry: { maxAttempts: 1 }, alternatives: ['cache', 'backup'] }),
      flaky(() => system, 9, 'cache', { retry: { maxAttempts: 1 } }),
      defineTool({ name: 'backup', run: () => request('GET backup') }),
    ]);
    await system.until(service.executeTool({ toolName: 'search' }));
    expect(tree().filter((line) => !/^(GET|POST) (search|cache)/.test(line))).toEqual([
      'tool_attempt search < execute_tool search',
      'tool_attempt cache < execute_tool cache',
      'execute_tool cache < execute_tool search',
      'GET backup < tool_attempt backup',
      'tool_attempt backup < execute_tool backup',
      'execute_tool backup < execute_tool search',
      'execute_tool search < nothing',
    ]);
    const [whole, cache, backup] = ['search', 'cache', 'backup'].map((name) => named(`execute_tool ${name}`));
    expect([whole?.status.code, cache?.status.code, backup?.status.code]).toEqual([0, 2, 0]);
    expect(whole?.attributes).toMatchObject({ 'holdfast.call.served_by': 'backup', 'holdfast.call.fallback_used': true });
    expect(backup?.attributes['holdfast.alternative.of']).toBe('search');
    expect(backup?.links.map(({ context: to }) => to.spanId)).toEqual([named('tool_attempt cache').spanContext().spanId]);
  });

  test('the span of a nested call is a child of its attempt', async () => {
    const inner = defineTool({ name: 'inner', run: () => 1 });
    const outer = defineTool({
      name: 'outer',
      run: async () => {
        await w.service.executeTool({ toolName: 'inner' });
        await w.service.executeTool({ toolName: 'inner' });
      },
    });
    const w: World = world([inner, outer]);
    await w.system.until(w.service.executeTool({ toolName: 'outer' }));
    expect(tree()).toEqual([
      'tool_attempt inner < execute_tool inner',
      'execute_tool inner < tool_attempt outer',
      'tool_attempt inner < execute_tool inner',
      'execute_tool inner < tool_attempt outer',
      'tool_attempt outer < execute_tool outer',
      'execute_tool outer < nothing',
    ]);
  });

  test("what a server's Retry-After holds says so beside the circuit", async () => {
    const limited = (): never => {
      throw Object.assign(new Error('Too Many Requests'), { status: 429, headers: { 'retry-after': '3600' } });
    };
    const { system, service }: World = world([defineTool({ name: 'search', run: limited })]);
    await system.until(service.executeTool({ toolName: 'search' }));
    sdk.reset();
    await system.advance(2_000);
    await system.until(service.executeTool({ toolName: 'search' }));
    const { events } = named('execute_tool search');
    expect(
      events.map(({ name, attributes }) => [name, attributes?.['holdfast.circuit_breaker.state'], attributes?.['holdfast.held']]),
    ).toEqual(
      expect.arrayContaining([
        ['holdfast.call.refused', 'closed', 8],
        ['holdfast.recovery.decision', 'closed', 8],
      ]),
    );
  });

  test('content is recorded if it is requested, captured and accepted', async () => {
    const tools = [defineTool({ name: 'echo', run: (args: unknown) => args })];
    const run = async (options: OpenTelemetryOptions, capture: 'none' | 'all'): Promise<readonly unknown[]> => {
      sdk.reset();
      const { system, service } = world(tools, options, { capture });
      await system.until(service.executeTool({ toolName: 'echo', arguments: { city: 'Bern', token: 'x' } }));
      const { attributes } = named('execute_tool echo');
      return [attributes['gen_ai.tool.call.arguments'], attributes['gen_ai.tool.call.result']];
    };
    expect(await run({}, 'all')).toEqual([undefined, undefined]);
    expect(await run({ content: true }, 'none')).toEqual([undefined, undefined]);
    const [args] = await run({ content: true }, 'all');
    expect(JSON.parse(String(args))).toMatchObject({ city: 'Bern' });
    expect(await run({ content: (_value, { kind, toolName }) => (kind === 'result' ? toolName : undefined) }, 'all')).toEqual([
      undefined,
      'echo',
    ]);
  });

  test('spans of attempts can be left out', async () => {
    const { system, service }: World = world([flaky(() => system, 1)], { attemptSpans: 'never' });
    await system.until(service.executeTool({ toolName: 'search' }));
    expect(tree().map((line) => line.replace(/ \d/, ''))).toEqual([
      ...['GET', 'POST', 'GET', 'POST'].map((method) => `${method} search < execute_tool search`),
      'execute_tool search < nothing',
    ]);
  });
}
