import fc from 'fast-check';
import { expect, it } from 'vitest';
import { createMetricsFold } from '../../src/projections/tool-metrics.ts';
import type { ToolCall } from '../../src/runtime/service/tool-call.ts';
import { ToolExecutionService } from '../../src/runtime/service/tool-execution-service.ts';
import { manualSystem } from '../../src/testing/index.ts';
import { defineTool } from '../../src/engine/tool/tool.ts';
import type { TraceEvent } from '../../src/engine/trace/events.ts';
import { errorWith } from '../engine/classify/errors.ts';
import { within } from '../support/drive.ts';

const tools = ['one', 'two'] as const;
const stamp = { turn_id: 'turn', seq: 1, timestamp: '2025-11-05T10:30:45.000Z', elapsed_ms: 0, call_id: 'call' };
const tool_id = fc.constantFrom(...tools);
const event: fc.Arbitrary<TraceEvent> = fc.oneof(
  fc
    .record({
      tool_id,
      status: fc.constantFrom('success' as const, 'error' as const, 'timeout' as const),
      execution_time_ms: fc.nat(9_000),
      isCancelled: fc.boolean(),
    })
    .map(({ isCancelled, ...rest }): TraceEvent => ({
      ...stamp,
      event_type: 'CallCompleted',
      served_by: rest.tool_id,
      attempts: 1,
      ...rest,
      ...(isCancelled && rest.status === 'error' ? { code: 'CANCELLED' } : {}),
    })),
  fc
    .record({
      tool_id,
      attempt: fc.nat(2),
      classification: fc.constantFrom('transient' as const, 'permanent' as const, 'neutral' as const),
    })
    .map((rest): TraceEvent => ({
      ...stamp,
      event_type: 'ToolError',
      error: 'x',
      circuit_breaker_state: 'closed',
      retry_count: 0,
      decision: 'retry',
      code: 'X',
      category: 'unknown',
      rule: 'unknown',
      ambiguous: false,
      duration_ms: 1,
      ...rest,
    })),
  tool_id.map((tool): TraceEvent => ({ ...stamp, event_type: 'ToolTimeout', tool_id: tool, timeout_ms: 1, attempt: 1 })),
  tool_id.map((tool): TraceEvent => ({
    ...stamp,
    event_type: 'CallRefused',
    tool_id: tool,
    code: 'CIRCUIT_OPEN',
    circuit_breaker_state: 'open',
  })),
  tool_id.map((tool): TraceEvent => ({
    ...stamp,
    event_type: 'CircuitBreakerOpened',
    tool_id: tool,
    message: '',
    reason: '',
    failure_count: 5,
  })),
);

it('agrees with a naive count', () => {
  fc.assert(
    fc.property(fc.array(event, { maxLength: 100 }), (events) => {
      const fold = createMetricsFold();
      for (const one of events) fold.observe(one);
      for (const tool of tools) {
        const of = <Type extends TraceEvent['event_type']>(type: Type): readonly Extract<TraceEvent, { event_type: Type }>[] =>
          events.filter(
            (one): one is Extract<TraceEvent, { event_type: Type }> => one.event_type === type && 'tool_id' in one && one.tool_id === tool,
          );
        const completed = of('CallCompleted');
        const finished = completed.filter(({ code }) => code !== 'CANCELLED');
        const failed = finished.filter(({ status }) => status !== 'success').length;
        const errors = of('ToolError').filter(({ attempt }) => attempt > 0);
        expect(fold.of(tool)).toMatchObject({
          totalExecutions: completed.length,
          successCount: finished.filter(({ status }) => status === 'success').length,
          errorCount: finished.filter(({ status }) => status === 'error').length,
          timeoutCount: finished.filter(({ status }) => status === 'timeout').length,
          cancelledCount: completed.length - finished.length,
          failureRate: finished.length === 0 ? 0 : failed / finished.length,
          refusedCount: of('CallRefused').length,
          attempts: {
            errorCount: errors.length,
            transientErrorCount: errors.filter(({ classification }) => classification === 'transient').length,
            permanentErrorCount: errors.filter(({ classification }) => classification === 'permanent').length,
            timeoutCount: of('ToolTimeout').length,
            circuitBreakerOpens: of('CircuitBreakerOpened').length,
          },
        });
        const ran = completed.filter(({ attempts }) => attempts > 0);
        const mean = ran.length === 0 ? 0 : ran.reduce((sum, one) => sum + one.execution_time_ms, 0) / ran.length;
        expect(fold.of(tool).avgExecutionTime).toBeCloseTo(mean, 6);
      }
    }),
    { numRuns: 500 },
  );
});

it('lists all tools, with unknown names together', () => {
  const fold = createMetricsFold({ isKnown: (name) => name === 'search' });
  const refused = { ...stamp, event_type: 'CallRefused', code: 'CIRCUIT_OPEN', circuit_breaker_state: 'open' } as const;
  for (const tool_id of ['search', 'made up', 'search', 'invented']) fold.observe({ ...refused, tool_id });
  const { call_id: _call, ...ofTurn } = stamp;
  fold.observe({ ...ofTurn, event_type: 'TurnDeadlineReached', timeout_ms: 1, running: [], waiting: [], message: '' });
  expect([...fold.all()].map(([name, { refusedCount }]) => [name, refusedCount])).toEqual([
    ['search', 2],
    ['(unknown)', 2],
  ]);
});

it('counts a success as a retry success only when it follows a retry', () => {
  const fold = createMetricsFold();
  const succeeded = { ...stamp, event_type: 'ToolSucceeded', tool_id: 'search', attempt: 1, duration_ms: 1 } as const;
  const scheduled = { ...stamp, event_type: 'RetryScheduled', tool_id: 'search', attempt: 2, retry: 1, delay_ms: 100 } as const;
  fold.observe(scheduled as TraceEvent);
  fold.observe(succeeded as TraceEvent);
  expect(fold.of('search')).toMatchObject({ attempts: { retryCount: 1, retrySuccessRate: 0 } });
  fold.observe({ ...succeeded, attempt: 2, retry: 1, message: 'Tool succeeded on retry 1' } as TraceEvent);
  expect(fold.of('search')).toMatchObject({ attempts: { retryCount: 1, retrySuccessRate: 1 } });
});

it('returns zeros for a tool that was never called', () => {
  const { attempts, ...calls } = createMetricsFold().of('unused');
  expect([...Object.values(calls), ...Object.values(attempts)].every((value) => value === 0)).toBe(true);
});

it('counts the retries of a service', async () => {
  const system = manualSystem();
  let calls = 0;
  const service = new ToolExecutionService({
    system,
    tools: [
      defineTool({
        name: 'flaky',
        run: () => {
          calls += 1;
          if (calls < 3) throw errorWith({ status: 503 }, 'down');
          return calls;
        },
      }),
    ],
  });
  await within(system, 5_000, service.executeTool({ toolName: 'flaky' }));
  expect(service.getToolMetrics('flaky')).toMatchObject({
    totalExecutions: 1,
    successCount: 1,
    attempts: {
      errorCount: 2,
      transientErrorCount: 2,
      retryCount: 2,
      retrySuccessRate: 0.5,
    },
    failureRate: 0,
  });
});

it('keeps no counters for unknown tools', async () => {
  const service = new ToolExecutionService({ system: manualSystem(), tools: [defineTool({ name: 'known', run: () => 1 })] });
  for (let index = 0; index < 50; index++) await service.executeTool({ toolName: `made up ${index}` } as ToolCall);
  expect(service.getToolMetrics().size).toBeLessThanOrEqual(1);
});

it('knows when the latest transient failure of a tool ended', async () => {
  const system = manualSystem({ epochMs: 1_000_000 });
  const errors = [errorWith({ status: 503 }, 'down'), errorWith({ status: 400 }, 'wrong')];
  const run = (): never => {
    throw errors.shift();
  };
  const service = new ToolExecutionService({ system, tools: [defineTool({ name: 'flaky', run })], policy: { retry: { maxAttempts: 1 } } });
  const lastFailure = (): unknown => service.getToolHealth('flaky')?.lastFailureEpochMs;
  expect(lastFailure()).toBeUndefined();
  await system.advance(500);
  await service.executeTool({ toolName: 'flaky' });
  expect(lastFailure()).toBe(1_000_500);
  await system.advance(500);
  await service.executeTool({ toolName: 'flaky' });
  expect(lastFailure()).toBe(1_000_500);
  service.resetCircuitBreaker('flaky');
  expect(lastFailure()).toBe(1_000_500);
  expect(service.getToolHealth('nowhere')).toBeUndefined();
});
