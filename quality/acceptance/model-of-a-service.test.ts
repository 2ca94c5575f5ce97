/**
 * Random services of three tools that stand in for each other, with settings in four layers: whole results, records and metrics are those of a plain program, by every
 * way in which a call can be made.
 */
import { ErrorHandler, ToolExecutionService, type ToolMetrics, type ToolResult, type TraceEvent } from '@holdfast/core';
import { AgentRun } from '@holdfast/core/agent';
import { createMetrics, type MetricKey } from '@holdfast/core/metrics';
import { manualSystem } from '@holdfast/core/testing';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { expectConsistent } from './support/consistent-trace.ts';
import { propertyRuns } from './support/property-runs.ts';
import { fails, hangs, scriptedTool, succeeds, type Step } from './support/scripted-tool.ts';
import { outputOf, ServiceModel, words, type Layer, type ServiceStep, type ToolPlan } from './support/service-model.ts';
import { eventsOf } from './support/stage.ts';

const names = ['flight_search', 'flight_backup', 'flight_archive'] as const;
const ways = ['executeTool', 'executeToolBatch', 'executeTurn', 'answer', 'answerOne'] as const;

const layer: fc.Arbitrary<Layer> = fc.record(
  {
    timeoutMs: fc.constantFrom(200, 300, 1_000),
    maxAttempts: fc.integer({ min: 1, max: 4 }),
    initialDelayMs: fc.constantFrom(10, 50, 700),
    failureThreshold: fc.integer({ min: 2, max: 4 }),
  },
  { requiredKeys: [] },
);
const callLayer: fc.Arbitrary<Layer> = fc.oneof(
  { weight: 2, arbitrary: fc.constant({}) },
  { weight: 1, arbitrary: layer.map(({ failureThreshold: _shared, ...rest }) => rest) },
);
const steps: fc.Arbitrary<readonly ServiceStep[]> = fc.array(
  fc.record({
    does: fc.constantFrom(
      'succeed' as const,
      'succeed' as const,
      'fail_transient' as const,
      'fail_transient' as const,
      'fail_permanent' as const,
      'hang' as const,
    ),
    afterMs: fc.constantFrom(0, 20, 250, 600),
  }),
  { minLength: 1, maxLength: 8 },
);
/** What is empty is a value too. */
const fallbacks = fc.constantFrom<ToolPlan['fallback']>(
  undefined,
  undefined,
  ...['none found', '', 0, false, null, []].map((value) => ({ value })),
);
const tools: fc.Arbitrary<Readonly<Record<string, ToolPlan>>> = fc
  .tuple(...names.map(() => fc.record({ steps, own: layer, fallback: fallbacks, others: fc.shuffledSubarray([1, 2]) })))
  .map((plans) =>
    Object.fromEntries(
      plans.map(({ others, ...plan }, index) => [
        names[index],
        { ...plan, alternatives: others.map((each) => names[(index + each) % 3] as string) },
      ]),
    ),
  );
const units = fc.constantFrom('attempt' as const, 'call' as const);
const calls = fc.array(
  fc.record({
    name: fc.constantFrom(names[0], names[0], ...names),
    way: fc.constantFrom(...ways),
    own: callLayer,
    pauseMs: fc.constantFrom(0, 0, 0, 400, 30_000),
  }),
  { minLength: 1, maxLength: 6 },
);

const policyOf = ({ timeoutMs, maxAttempts, initialDelayMs, failureThreshold }: Layer) => ({
  ...(timeoutMs === undefined ? {} : { timeoutMs }),
  ...(maxAttempts === undefined && initialDelayMs === undefined
    ? {}
    : { retry: { ...(maxAttempts === undefined ? {} : { maxAttempts }), ...(initialDelayMs === undefined ? {} : { initialDelayMs }) } }),
  ...(failureThreshold === undefined ? {} : { breaker: { failureThreshold } }),
});

const toolStep =
  (name: string) =>
  ({ does, afterMs }: ServiceStep, index: number): Step =>
    does === 'hang' ? hangs : does === 'succeed' ? succeeds(outputOf(name, index), afterMs) : fails(words[does], afterMs);

type Call = { readonly toolName: string; readonly callId: string; readonly policy?: ReturnType<typeof policyOf> };

/** The same call by another way. */
async function make(service: ToolExecutionService, way: (typeof ways)[number], call: Call): Promise<ToolResult | undefined> {
  const { policy: _policy, ...plain } = call;
  const asked = { ...plain, arguments: {} };
  switch (way) {
    case 'executeTool':
      return service.executeTool(call);
    case 'executeToolBatch':
      return (await service.executeToolBatch([call]))[0];
    case 'executeTurn':
      return (await service.executeTurn({ calls: [call] })).results[0];
    case 'answer':
      return (await new AgentRun({ service }).answer([asked]))[0]?.result;
    case 'answerOne':
      return (await new AgentRun({ service }).answerOne(asked, {})).result;
  }
}

/** What the documents name; the rest of an error is words. */
function told({ error, ...result }: ToolResult): object {
  if (!error) return result;
  const { code, message, classification, retryable, stoppedBy, retryAfterMs, userMessage } = error;
  expect(userMessage).toMatch(/ flight (?:search|backup|archive) /u);
  expect(userMessage).toContain(result.toolName.replace('_', ' '));
  return { ...result, error: { code, message: withoutWait(message), classification, retryable, stoppedBy, retryAfterMs } };
}

/** How long a refused call has to wait is compared as a number. */
const withoutWait = (text: string): string => text.replace(/, available again in .*/u, '');

/** A success is the last step's output: the script repeats its last step. */
const withScript = (output: unknown, plans: Readonly<Record<string, ToolPlan>>): unknown => {
  if (typeof output !== 'string' || !output.startsWith('flight_')) return output;
  const [name = '', step] = output.split(' ');
  return outputOf(name, Math.min(Number(step), (plans[name]?.steps.length ?? 1) - 1));
};

const recorded = (events: readonly TraceEvent[]) => ({
  errors: eventsOf(events, 'ToolError')
    .filter(({ attempt }) => attempt > 0)
    .map((event) => [
      event.tool_id,
      event.attempt,
      event.retry_count,
      event.classification,
      event.circuit_breaker_state,
      event.decision,
      event.code,
      event.error,
    ]),
  timeouts: eventsOf(events, 'ToolTimeout').map(({ tool_id: tool, timeout_ms: limit, attempt }) => [tool, limit, attempt]),
  retries: eventsOf(events, 'RetryScheduled').map(({ tool_id: tool, attempt, delay_ms: delay }) => [tool, attempt, delay]),
  successes: eventsOf(events, 'ToolSucceeded').map(({ tool_id: tool, attempt, retry, message }) => [tool, attempt, retry, message]),
  alternatives: eventsOf(events, 'AlternativeUsed').map(({ tool_id: tool, alternative, message }) => [tool, alternative, message]),
  fallbacks: eventsOf(events, 'DefaultUsed').map(({ tool_id: tool, message }) => [tool, message]),
  opened: eventsOf(events, 'CircuitBreakerOpened').map(({ tool_id: tool, failure_count: count, message }) => [tool, count, message]),
  escalated: eventsOf(events, 'Escalated').map(({ tool_id: tool, code, message }) => [tool, code, withoutWait(message)]),
  refused: eventsOf(events, 'CallRefused').map(({ tool_id: tool, code, retry_after_ms: wait }) => [tool, code, wait]),
});

function metricsOf(model: ServiceModel, name: string): ToolMetrics {
  const { total, success, error, timeout, refused, ran, ranMs, transient, permanent, retries, retrySuccesses, opens, timeouts } =
    model.counters(name);
  return {
    totalExecutions: total,
    successCount: success,
    errorCount: error,
    timeoutCount: timeout,
    cancelledCount: 0,
    refusedCount: refused,
    avgExecutionTime: ran === 0 ? 0 : ranMs / ran,
    failureRate: total === 0 ? 0 : (error + timeout) / total,
    attempts: {
      errorCount: transient + permanent,
      transientErrorCount: transient,
      permanentErrorCount: permanent,
      retryCount: retries,
      retrySuccessRate: retries === 0 ? 0 : retrySuccesses / retries,
      circuitBreakerOpens: opens,
      timeoutCount: timeouts,
    },
  };
}

/** The families that exporters print have the same numbers for each tool. */
function exported(events: readonly TraceEvent[]): object {
  const metrics = createMetrics({ tools: names });
  for (const event of events) metrics.observe(event);
  const total = (key: MetricKey, tool: string, labels: Readonly<Record<string, string>> = {}): number =>
    metrics
      .family(key)
      .series.filter((series) => Object.entries({ ...labels, tool }).every(([name, value]) => series.labels[name] === value))
      .reduce((sum, series) => sum + ('value' in series ? series.value : series.count), 0);
  return Object.fromEntries(
    names.map((name) => [
      name,
      {
        calls: total('calls', name),
        successes: total('calls', name, { outcome: 'success' }),
        errors: total('attemptErrors', name),
        transient: total('attempts', name, { outcome: 'transient' }),
        permanent: total('attempts', name, { outcome: 'permanent' }),
        timeouts: total('timeouts', name),
        retries: total('retries', name),
        retriesSucceeded: total('retriesSucceeded', name),
        refusals: total('refusals', name),
        opened: total('circuitTransitions', name, { to: 'open' }),
      },
    ]),
  );
}

function toExport({ totalExecutions, successCount, refusedCount, attempts }: ToolMetrics): object {
  return {
    calls: totalExecutions,
    successes: successCount,
    errors: attempts.errorCount,
    transient: attempts.transientErrorCount,
    permanent: attempts.permanentErrorCount,
    timeouts: attempts.timeoutCount,
    retries: attempts.retryCount,
    retriesSucceeded: Math.round(attempts.retrySuccessRate * attempts.retryCount),
    refusals: refusedCount,
    opened: attempts.circuitBreakerOpens,
  };
}

const tags = [
  'S0-2.2',
  'S0-3.3',
  'S0-4.1',
  'S0-6.1',
  'S0-8.1',
  'S0-8.2',
  'S1-4.4',
  'S1-6.1',
  'S1-6.3',
  'S1-6.4',
  'S1-6.6',
  'S2-layers',
  'S4-result',
  'S4-fallback',
  'S4-circuit-state',
  'S4-metrics',
  'S4-export',
];

test('whose settings, circuit, attempts and metrics count, by every way to make a call', { tags }, async () => {
  await fc.assert(
    fc.asyncProperty(tools, layer, calls, fc.integer({ min: 1, max: 4 }), units, async (plans, common, made, inboxSize, unit) => {
      const system = manualSystem();
      const errorHandler = new ErrorHandler({ inboxSize });
      const service = new ToolExecutionService({
        tools: Object.entries(plans).map(([name, { steps: script, own, alternatives, fallback }]) => {
          const settings = { ...policyOf(own), alternatives, ...(fallback ? { fallback } : {}) };
          return scriptedTool(system, name, script.map(toolStep(name)), settings).tool;
        }),
        policy: {
          ...policyOf(common),
          retry: { jitter: 'none', ...policyOf(common).retry },
          breaker: { count: unit, ...policyOf(common).breaker },
        },
        system,
        errorHandler,
        seed: 'model',
      });
      const events: TraceEvent[] = [];
      const given: ToolResult[] = [];
      service.subscribe((event) => void events.push(event));
      const model = new ServiceModel(plans, common, unit);
      for (const [index, { name, way, own, pauseMs }] of made.entries()) {
        const isAgent = way === 'answer' || way === 'answerOne';
        const callId = `call_${index}`;
        const expected = model.call(name, isAgent ? {} : own);
        const policy = Object.keys(own).length === 0 || isAgent ? {} : { policy: policyOf(own) };
        const result = await system.until(make(service, way, { toolName: name, callId, ...policy }));
        if (result) given.push(result);
        expect(result && told(result), way).toEqual({
          ...expected,
          callId,
          ...('output' in expected ? { output: withScript(expected['output'], plans) } : {}),
        });
        for (const each of names)
          expect([service.getToolHealth(each)?.circuit, service.getToolHealth(each)?.failureCount], each).toEqual(model.health(each));
        model.now += pauseMs;
        await system.advance(pauseMs);
      }
      expectConsistent(events, given);
      const { notices, ...rows } = model.record;
      expect(recorded(events)).toEqual(rows);
      for (const name of names) expect(service.getToolMetrics(name), name).toEqual(metricsOf(model, name));
      expect(exported(events)).toEqual(Object.fromEntries(names.map((name) => [name, toExport(metricsOf(model, name))])));
      expect(errorHandler.inbox.map(({ toolName, attempt, code, message }) => [toolName, attempt, code, withoutWait(message)])).toEqual(
        notices.slice(-inboxSize),
      );
      await service.close();
    }),
    propertyRuns(120),
  );
});
