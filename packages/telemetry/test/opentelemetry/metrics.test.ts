/** The instruments of calls, and their names. */
import { defineTool, ToolExecutionService } from '@holdfast/core';
import type { AnyTool, Runner, ToolExecutionServiceOptions, TraceEvent } from '@holdfast/core';
import { manualSystem } from '@holdfast/core/testing';
import { openTelemetry } from '@holdfast/telemetry/opentelemetry';
import { expect, test } from 'vitest';
import { attribute, metric } from '../../src/semconv.ts';
import type { Point } from '../support/sdk.ts';
import { sdk2 } from '../support/sdk-2.ts';
import { sdk3 } from '../support/sdk-3.ts';

const failing = (status: number): Error => Object.assign(new Error('down'), { status });

function world(tools: readonly AnyTool[], sdk = sdk2(), partitionsOf?: ToolExecutionServiceOptions['partitionsOf']) {
  const system = manualSystem();
  const telemetry = openTelemetry({ tracerProvider: sdk.tracerProvider, meterProvider: sdk.meterProvider });
  const service: ToolExecutionService = new ToolExecutionService({ tools, system, partitionsOf, middleware: [telemetry.middleware] });
  const detach = telemetry.attach(service);
  const call = (toolName: string) => system.until(service.executeTool({ toolName }));
  const points = async (name: string): Promise<readonly [unknown, unknown][]> =>
    (await sdk.points())
      .filter((point) => point.name === name)
      .map(({ attributes, value }) => [attributes, typeof value === 'number' ? value : value.count]);
  return { sdk, system, service, call, points, detach };
}

const tool = (name: string, failures: number, status = 503, more: object = {}): AnyTool =>
  defineTool({
    name,
    ...more,
    run: (_args: unknown, { attempt }) => {
      if (attempt <= failures) throw failing(status);
    },
  });

test.each([sdk2, sdk3])('a recovered call is not an error, a failed one is, and both are in one histogram (%o)', async (makeSdk) => {
  const sdk = makeSdk();
  const { call, points } = world([tool('search', 1), tool('find', 99, 404)], sdk);
  await call('search');
  await call('find');
  expect(await points('gen_ai.execute_tool.duration')).toEqual([
    [{ 'gen_ai.tool.name': 'search' }, 1],
    [{ 'gen_ai.tool.name': 'find', 'error.type': '404' }, 1],
  ]);
  expect(await points('holdfast.tool.attempt.duration')).toEqual([
    [{ 'gen_ai.tool.name': 'search', 'error.type': '503' }, 1],
    [{ 'gen_ai.tool.name': 'search' }, 1],
    [{ 'gen_ai.tool.name': 'find', 'error.type': '404' }, 1],
  ]);
  expect(await points('holdfast.tool.retries')).toEqual([[{ 'gen_ai.tool.name': 'search', 'error.type': '503' }, 1]]);
  expect(await points('holdfast.tool.retried_calls')).toEqual([[{ 'gen_ai.tool.name': 'search' }, 1]]);
  const duration = (await sdk.points()).find(({ name }) => name === 'gen_ai.execute_tool.duration') as Point;
  expect(duration.unit).toBe('s');
  expect(duration.value).toMatchObject({ boundaries: metric.callDuration.buckets });
  // As long as its span.
  const [span] = sdk.spans().filter(({ name }) => name === 'execute_tool search');
  const seconds = span && span.endTime[0] - span.startTime[0] + (span.endTime[1] - span.startTime[1]) / 1e9;
  expect(duration.value).toMatchObject({ sum: expect.closeTo(Number(seconds), 6) as number });
});

test('a circuit has one state; its refusals are counted', async () => {
  const { call, points, service } = world([tool('search', 99, 503, { retry: { maxAttempts: 1 } })]);
  for (let count = 0; count < 6; count++) await call('search');
  const states = async (): Promise<unknown> =>
    Object.fromEntries(
      (await points('holdfast.circuit_breaker.status')).map(([attributes, value]) => [
        (attributes as Record<string, string>)[attribute.circuitState],
        value,
      ]),
    );
  expect(await states()).toEqual({ closed: 0, open: 1 });
  expect(await points('holdfast.tool.refusals')).toEqual([[{ 'gen_ai.tool.name': 'search', 'error.type': 'circuit_open' }, 1]]);
  service.resetCircuitBreaker('search');
  await call('search');
  expect(await states()).toEqual({ closed: 1, open: 0 });
  expect(await points('holdfast.circuit_breaker.transitions')).toEqual([
    [{ 'gen_ai.tool.name': 'search', 'holdfast.circuit_breaker.state': 'open' }, 1],
    [{ 'gen_ai.tool.name': 'search', 'holdfast.circuit_breaker.state': 'closed' }, 1],
  ]);
});

test.each([sdk2, sdk3])(
  'a hold by Retry-After is measured until it is over, and is 0 once the service is detached (%o)',
  async (makeSdk) => {
    const busy = defineTool({
      name: 'busy',
      retry: { maxAttempts: 1 },
      run: () => Promise.reject(Object.assign(failing(429), { headers: { 'retry-after': '8' } })),
    });
    const { call, points, system, service, detach } = world([busy, tool('idle', 0)], makeSdk());
    await call('busy');
    const held = (busySeconds: number): unknown => [
      [{ 'gen_ai.tool.name': 'busy' }, busySeconds],
      [{ 'gen_ai.tool.name': 'idle' }, 0],
    ];
    expect(service.getToolHealth('busy')?.heldMs).toBe(8_000);
    expect(await points('holdfast.tool.held')).toEqual(held(8));
    await system.advance(6_000);
    expect(await points('holdfast.tool.held')).toEqual(held(2));
    await system.advance(2_000);
    expect(await points('holdfast.tool.held')).toEqual(held(0));
    await call('busy');
    expect(await points('holdfast.tool.held')).toEqual(held(8));
    detach();
    expect(await points('holdfast.tool.held')).toEqual(held(0));
  },
);

test("the status is that of the tool's circuit, not of a partition's", async () => {
  const own = { retry: { maxAttempts: 1 }, breaker: { failureThreshold: 1 } };
  const { call, points } = world([tool('search', 99, 503, own)], sdk2(), () => () => 'alice');
  await call('search');
  await call('search');
  expect(await points('holdfast.circuit_breaker.status')).toEqual([
    [{ 'gen_ai.tool.name': 'search', 'holdfast.circuit_breaker.state': 'closed' }, 1],
  ]);
  expect(await points('holdfast.circuit_breaker.transitions')).toEqual([
    [{ 'gen_ai.tool.name': 'search', 'holdfast.circuit_breaker.state': 'open' }, 1],
  ]);
});

test('a circuit that is opened manually before any call is recorded', async () => {
  const { points, service } = world([tool('search', 0)]);
  service.controlCircuit('search', 'forced_open');
  expect(await points('holdfast.circuit_breaker.status')).toEqual([
    [{ 'gen_ai.tool.name': 'search', 'holdfast.circuit_breaker.state': 'open' }, 1],
  ]);
});

test('an alternative is counted for its own tool', async () => {
  const { call, points } = world([tool('search', 99, 404, { alternatives: ['backup'] }), tool('backup', 0)]);
  await call('search');
  expect(await points('gen_ai.execute_tool.duration')).toEqual([
    [{ 'gen_ai.tool.name': 'backup' }, 1],
    [{ 'gen_ai.tool.name': 'search' }, 1],
  ]);
  expect(await points('holdfast.tool.alternatives')).toEqual([
    [{ 'gen_ai.tool.name': 'search', 'holdfast.alternative.name': 'backup' }, 1],
  ]);
});

test('invented names share one series, and so do error types beyond the twentieth', async () => {
  const statuses = Array.from({ length: 60 }, (_, index) => 400 + index);
  let next = 0;
  const moody = defineTool({
    name: 'moody',
    retry: { maxAttempts: 1 },
    breaker: false,
    run: () => Promise.reject(failing(statuses[next++] ?? 500)),
  });
  const { call, points } = world([moody]);
  for (let count = 0; count < 30; count++) await call(`made up ${count}`);
  for (const _ of statuses) await call('moody');
  const series = await points('gen_ai.execute_tool.duration');
  expect(series.filter(([attributes]) => (attributes as Record<string, string>)['gen_ai.tool.name'] === 'unknown')).toEqual([
    [{ 'gen_ai.tool.name': 'unknown', 'error.type': 'unknown_tool' }, 30],
  ]);
  expect(series).toHaveLength(1 + 20 + 1);
  expect(series).toContainEqual([{ 'gen_ai.tool.name': 'moody', 'error.type': '_OTHER' }, 40]);
});

test('a tool of an MCP server is marked on the attempt and in a metric', async () => {
  const run: Runner<unknown> = Object.assign((): unknown => 1, { kind: 'mcp' as const });
  const { call, points, sdk } = world([defineTool({ name: 'remote', run }), tool('local', 0)]);
  await call('remote');
  await call('local');
  expect(await points('mcp.client.operation.duration')).toEqual([[{ 'mcp.method.name': 'tools/call', 'gen_ai.tool.name': 'remote' }, 1]]);
  const methods = sdk.spans().map(({ name, attributes }) => [name, attributes['mcp.method.name']]);
  expect(methods).toEqual([
    ['tool_attempt remote', 'tools/call'],
    ['execute_tool remote', undefined],
    ['tool_attempt local', undefined],
    ['execute_tool local', undefined],
  ]);
});

test('skipped, late and exhausted calls are counted', async () => {
  const late = defineTool({
    name: 'late',
    timeoutMs: 10,
    retry: { maxAttempts: 1 },
    run: () => new Promise((resolve) => void w.system.setTimer(50, () => resolve(1), false, 0)),
  });
  const w = world([late, tool('after', 0)]);
  const calls = [
    { callId: 'a', toolName: 'late' },
    { callId: 'b', toolName: 'after', dependsOn: ['a'] },
  ];
  await w.system.until(w.service.executeTurn({ calls }));
  await w.system.advance(100);
  expect(await w.points('holdfast.tool.skipped')).toEqual([[{ 'gen_ai.tool.name': 'after' }, 1]]);
  expect(await w.points('holdfast.tool.late_results')).toEqual([
    [{ 'gen_ai.tool.name': 'late', 'holdfast.attempt.outcome': 'late_success' }, 1],
  ]);
  expect(await w.points('holdfast.tool.retries.stopped')).toEqual([[{ 'gen_ai.tool.name': 'late', 'holdfast.reason': 'attempts' }, 1]]);
  expect(await w.points('holdfast.turn.duration')).toEqual([[{ 'holdfast.turn.outcome': 'failed' }, 1]]);
  expect((await w.points('gen_ai.execute_tool.duration')).length).toBe(1);
});

test('exemplars refer to the span of their call, for any order of subscribers', async () => {
  const sdk = sdk2();
  const telemetry = openTelemetry({ tracerProvider: sdk.tracerProvider });
  const seen: unknown[] = [];
  const listen = (event: TraceEvent): void => {
    if (event.event_type === 'CallCompleted') seen.push(telemetry.traceContext(event));
  };
  const service = new ToolExecutionService({ tools: [tool('search', 0)], middleware: [telemetry.middleware] });
  service.subscribe(listen);
  telemetry.attach(service);
  service.subscribe(listen);
  await service.executeTool({ toolName: 'search' });
  await service.executeTurn({ calls: [{ toolName: 'search' }] });
  const ids = sdk
    .spans()
    .filter(({ name }) => name === 'execute_tool search')
    .map((span) => ({ trace_id: span.spanContext().traceId, span_id: span.spanContext().spanId }));
  expect(seen).toEqual([ids[0], ids[0], ids[1], ids[1]]);
});

test('with `metrics: false` none are recorded', async () => {
  const sdk = sdk2();
  const telemetry = openTelemetry({ tracerProvider: sdk.tracerProvider, meterProvider: sdk.meterProvider, metrics: false });
  const service = new ToolExecutionService({ tools: [tool('search', 0)], middleware: [telemetry.middleware] });
  telemetry.attach(service);
  await service.executeTool({ toolName: 'search' });
  expect(await sdk.points()).toEqual([]);
  expect(sdk.spans()).toHaveLength(2);
});

test.each([
  [{ toolSpan: 'both' }, "openTelemetry.toolSpan must be one of auto, create, attach, got 'both'."],
  [{ spans: true }, "openTelemetry has no setting 'spans'. Known: toolSpan, turnSpan,"],
  [{ turnSpans: 'never' }, "openTelemetry has no setting 'turnSpans'. Did you mean 'turnSpan'?"],
  [{ agent: {} }, 'openTelemetry.agent.name must be of type string, got undefined.'],
  [{ content: 'all' }, "openTelemetry.content must be true, false or a function, got 'all'."],
])('an invalid option is refused: %o', (options, message) => {
  expect(() => openTelemetry(options as never)).toThrow(message);
});
