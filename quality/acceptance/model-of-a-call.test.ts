/** Random policies, failures and pauses: every call, circuit, event and metric is what the specification says, written down as a plain program. */
/* oxlint-disable vitest/no-conditional-expect -- the plain program says what is expected */
import { defineTool, ToolExecutionService, type ToolMetrics, type TraceEvent } from '@holdfast/core';
import { createMetrics, type MetricKey } from '@holdfast/core/metrics';
import { manualSystem } from '@holdfast/core/testing';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { CallModel, type ModelCounters, type ModelPolicy, type ModelStep } from './support/call-model.ts';
import { propertyRuns } from './support/property-runs.ts';
import { fails, hangs, scriptedTool, succeeds, type Step } from './support/scripted-tool.ts';
import { eventsOf } from './support/stage.ts';

const policies: fc.Arbitrary<ModelPolicy> = fc.record({
  strategy: fc.constantFrom(
    'exponential_backoff' as const,
    'exponential_backoff' as const,
    'linear_backoff' as const,
    'constant_backoff' as const,
  ),
  initialDelayMs: fc.integer({ min: 1, max: 200 }),
  stepMs: fc.constantFrom(0, 50, 300),
  maxDelayMs: fc.integer({ min: 50, max: 900 }),
  multiplier: fc.constantFrom(1, 1.5, 2, 3),
  maxAttempts: fc.integer({ min: 1, max: 6 }),
  maxTotalTimeMs: fc.constantFrom(100, 500, 2_000, 60_000),
  failureThreshold: fc.integer({ min: 1, max: 6 }),
  successThreshold: fc.integer({ min: 1, max: 2 }),
  openMs: fc.constantFrom(500, 5_000, 30_000),
  timeoutMs: fc.constantFrom(300, 1_000),
  count: fc.constantFrom('attempt' as const, 'call' as const),
});

const steps: fc.Arbitrary<readonly ModelStep[]> = fc.array(
  fc.record({
    does: fc.constantFrom(
      'succeed' as const,
      'fail_transient' as const,
      'fail_transient' as const,
      'fail_permanent' as const,
      'hang' as const,
    ),
    afterMs: fc.constantFrom(0, 10, 250, 299, 600),
  }),
  { minLength: 1, maxLength: 30 },
);

/** What happens between calls: time passes, or an operator resets the circuit. */
const pauses = fc.array(
  fc.oneof(
    { weight: 5, arbitrary: fc.constantFrom(0, 1, 499, 500, 5_000, 29_999, 30_000) },
    { weight: 1, arbitrary: fc.constant('reset' as const) },
  ),
  {
    minLength: 1,
    maxLength: 12,
  },
);

const transientErrors = ['Connection timeout after 30s', 'Rate limit exceeded (429)', 'Service unavailable (503)', 'Connection reset'];
const permanentErrors = ['Invalid airport code: XYZ', 'Authentication failed (401)', 'Not found (404)'];

function toolStep({ does, afterMs }: ModelStep, index: number): Step {
  if (does === 'hang') return hangs;
  if (does === 'succeed') return succeeds(index, afterMs);
  const words = does === 'fail_transient' ? transientErrors : permanentErrors;
  return fails(words[index % words.length], afterMs);
}

function toolOf(system: ReturnType<typeof manualSystem>, policy: ModelPolicy, script: readonly ModelStep[]) {
  const { failureThreshold, successThreshold, openMs, timeoutMs, count, ...retry } = policy;
  return scriptedTool(system, 'flight_search', script.map(toolStep), {
    timeoutMs,
    retry: { ...retry, jitter: 'none' },
    breaker: { failureThreshold, successThreshold, openMs, count },
  });
}

const metricsOf = (counters: ModelCounters): ToolMetrics => ({
  totalExecutions: counters.executions,
  successCount: counters.success,
  errorCount: counters.error,
  timeoutCount: counters.timeout,
  cancelledCount: 0,
  refusedCount: counters.refused,
  avgExecutionTime: counters.ran === 0 ? 0 : counters.ranMs / counters.ran,
  failureRate: counters.executions === 0 ? 0 : (counters.error + counters.timeout) / counters.executions,
  attempts: {
    errorCount: counters.errors,
    transientErrorCount: counters.transient,
    permanentErrorCount: counters.permanent,
    retryCount: counters.retries,
    retrySuccessRate: counters.retries === 0 ? 0 : counters.retrySuccesses / counters.retries,
    circuitBreakerOpens: counters.opens,
    timeoutCount: counters.timeouts,
  },
});

/** The families that exporters print have the same numbers. */
function expectExported(events: readonly TraceEvent[], { counters, delays }: CallModel): void {
  const metrics = createMetrics({ tools: ['flight_search'] });
  for (const event of events) metrics.observe(event);
  const total = (key: MetricKey, labels: Readonly<Record<string, string>> = {}): number =>
    metrics
      .family(key)
      .series.filter((series) => Object.entries(labels).every(([name, value]) => series.labels[name] === value))
      .reduce((sum, series) => sum + ('value' in series ? series.value : Number.NaN), 0);
  expect({
    calls: total('calls'),
    attempts: total('attempts'),
    errors: total('attemptErrors'),
    succeededAttempts: total('attempts', { outcome: 'success' }),
    timeouts: total('timeouts'),
    retries: total('retries'),
    succeeded: total('retriesSucceeded'),
    refusals: total('refusals'),
    opened: total('circuitTransitions', { to: 'open' }),
  }).toEqual({
    calls: counters.executions,
    attempts: counters.errors + counters.success,
    errors: counters.errors,
    succeededAttempts: counters.success,
    timeouts: counters.timeouts,
    retries: counters.retries,
    succeeded: counters.retrySuccesses,
    refusals: counters.refused,
    opened: counters.opens,
  });
  expect(total('backoff')).toBeCloseTo(delays.reduce((sum, each) => sum + each, 0) / 1_000, 6);
}

const tags = ['S0-2.3', 'S0-3.1', 'S0-3.2', 'S0-3.3', 'S0-3.4', 'S0-4.1', 'S0-8.1', 'S0-8.2', 'S4-metrics', 'S4-result', 'S4-export'];

test('calls one after another: attempts, results, circuit, events and metrics are those of the plain program', { tags }, async () => {
  await fc.assert(
    fc.asyncProperty(policies, steps, pauses, async (policy, script, between) => {
      const system = manualSystem();
      const tool = toolOf(system, policy, script);
      const service = new ToolExecutionService({ tools: [tool.tool], system, seed: 'model' });
      const events: TraceEvent[] = [];
      service.subscribe((event) => void events.push(event));
      const model = new CallModel(policy, script);
      for (const pause of between) {
        const expected = model.call();
        const result = await system.until(service.executeTool({ toolName: 'flight_search' }));
        const { status, attempts, executionTime, error } = result;
        expect({ status, attempts, executionTime, stoppedBy: error?.stoppedBy, retryAfterMs: error?.retryAfterMs }).toEqual(expected);
        expect(error === undefined).toBe(status === 'success');
        if (status === 'timeout')
          expect(error).toMatchObject({
            message: `Tool timeout after ${policy.timeoutMs === 1_000 ? '1s' : '300ms'}`,
            code: 'TOOL_TIMEOUT',
          });
        if (status === 'timeout') expect(error?.userMessage).toBe('The flight search tool did not respond in time.');
        if (attempts === 0) expect(error?.userMessage).toBe('The flight search service is temporarily unavailable.');
        if (error)
          expect([error.retryable, error.classification]).toEqual([
            attempts > 0 && error.classification === 'transient',
            attempts === 0 ? 'neutral' : error.classification,
          ]);
        const health = () => service.getToolHealth('flight_search');
        expect([health()?.circuit, health()?.failureCount]).toEqual([model.circuit(), model.failures]);
        if (pause === 'reset') {
          model.reset();
          service.resetCircuitBreaker('flight_search');
        } else {
          model.now += pause;
          await system.advance(pause);
        }
        expect(health()?.circuit).toBe(model.circuit());
      }
      expect(tool.starts).toEqual(model.starts);
      expect(service.getToolMetrics('flight_search')).toEqual(metricsOf(model.counters));
      expectExported(events, model);
      const recorded = eventsOf(events, 'ToolError').filter(({ attempt }) => attempt > 0);
      expect(
        recorded.map(({ classification, circuit_breaker_state, retry_count, decision }) => ({
          classification,
          circuit_breaker_state,
          retry_count,
          decision,
        })),
      ).toEqual(model.errors);
      expect(eventsOf(events, 'ToolTimeout').map(({ timeout_ms: limit }) => limit)).toEqual(
        Array.from({ length: model.counters.timeouts }, () => policy.timeoutMs),
      );
      expect(eventsOf(events, 'RetryScheduled').map(({ delay_ms: delay }) => delay)).toEqual(model.delays);
      expect(eventsOf(events, 'CircuitBreakerOpened').map(({ message }) => message)).toEqual(
        model.openedAt.map(() => 'Circuit breaker opened for flight_search'),
      );
      await service.close();
    }),
    propertyRuns(150),
  );
});

const reports = fc.array(
  fc.record({ kind: fc.constantFrom('partial' as const, 'progress' as const), afterMs: fc.constantFrom(0, 30, 80) }),
  { maxLength: 5 },
);

test(
  'the last partial output before the time limit is the result, if it is accepted',
  { tags: ['S0-1.1', 'S0-6.1', 'S2-question-progress'] },
  async () => {
    await fc.assert(
      fc.asyncProperty(reports, fc.boolean(), async (script, acceptPartial) => {
        const system = manualSystem();
        const told: unknown[] = [];
        let latest: number | undefined;
        const tool = defineTool({
          name: 'flight_search',
          timeoutMs: 200,
          retry: { maxAttempts: 1 },
          acceptPartial,
          run: (_, { reportPartial, reportProgress }) => {
            let at = 0;
            for (const [index, { kind, afterMs }] of script.entries()) {
              at += afterMs;
              if (at < 200 && kind === 'partial') latest = index;
              if (at < 200) told.push(kind === 'partial' ? { partial: true } : { progress: index });
              system.setTimer(at, () => (kind === 'partial' ? reportPartial([index]) : reportProgress({ progress: index })));
            }
            return new Promise(() => undefined);
          },
        });
        const service = new ToolExecutionService({ tools: [tool], system, seed: 'model' });
        const events: TraceEvent[] = [];
        service.subscribe((event) => void events.push(event));
        const result = await system.until(service.executeTool({ toolName: 'flight_search' }));
        const isKept = acceptPartial && latest !== undefined;
        const { status, output, partial, executionTime } = result;
        expect({ status, output, partial, executionTime }).toEqual({
          status: isKept ? 'success' : 'timeout',
          output: isKept ? [latest] : undefined,
          partial: isKept ? true : undefined,
          executionTime: 200,
        });
        expect(eventsOf(events, 'ToolProgress')).toMatchObject(told);
        await service.close();
      }),
      propertyRuns(80),
    );
  },
);
