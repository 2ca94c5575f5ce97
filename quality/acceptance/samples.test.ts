/** Every sample of the specifications, typed as a user would: YAML blocks as manifests, code with the names of this project, records as they are. */
import type { AnyTool, ToolResult } from '@holdfast/core';
import { defineTool, ToolExecutionService } from '@holdfast/core';
import type { BackoffStrategy, ReducerError, RetryFeedback, RetryPolicy } from '@holdfast/core/agent';
import {
  AgentRun,
  ConstantBackoff,
  ExponentialBackoff,
  LinearBackoff,
  runInference,
  Session,
  StructuredOutputError,
  ToolValidationError,
} from '@holdfast/core/agent';
import { manualSystem } from '@holdfast/core/testing';
import { buildTools, parseManifest, serviceOptions } from '@holdfast/manifest';
import { ResponseValidationMiddleware } from '@holdfast/wire';
import { describe, expect, test } from 'vitest';
import { scriptedModel } from './support/agent.ts';
import type { Step } from './support/scripted-tool.ts';
import { fails, gaps, hangs, scriptedTool, succeeds } from './support/scripted-tool.ts';
import { eventsOf } from './support/stage.ts';

/** A service of a manifest, whose only tool follows a script in place of the program that its `run` names. */
async function serviceOf(yaml: string, steps: readonly Step[]) {
  const { manifest, problems } = parseManifest(yaml, { purpose: 'check', env: {} });
  expect(problems).toEqual([]);
  if (!manifest) throw new Error('no manifest');
  const built = buildTools(manifest);
  const clock = manualSystem();
  const [tool] = built.tools;
  if (!tool) throw new Error('no tool');
  const script = scriptedTool(clock, tool.name, steps);
  const scripted = { ...tool, run: script.tool.run } as AnyTool;
  const service = new ToolExecutionService({ ...serviceOptions(manifest, {}), tools: [scripted], system: clock, seed: 'samples' });
  await built.close();
  return { clock, service, script, call: (): Promise<ToolResult> => clock.until(service.executeTool({ toolName: tool.name })) };
}

const run = 'run: { command: { command: node } }';

describe('YAML blocks of S0 and S1, with a line that says what is run', () => {
  test('S0 2.2: retry_policy with all its keys', { tags: ['S0-2.2'] }, async () => {
    const { service, call, script } = await serviceOf(
      `
tool:
  id: flight_search
  ${run}
  retry_policy:
    strategy: exponential_backoff
    initial_delay_ms: 50        # Override default 100ms
    max_delay_ms: 2000          # Override default 800ms
    multiplier: 2.0             # Override default 2.0
    jitter_percent: 15          # Override default 10%
    max_attempts: 3             # Override default 5
    max_total_time_ms: 5000     # Override default 2000ms
`,
      [fails('Connection reset')],
    );
    expect(service.getToolSettings('flight_search')?.retry).toMatchObject({
      strategy: 'exponential_backoff',
      initialDelayMs: 50,
      maxDelayMs: 2_000,
      multiplier: 2,
      jitterPercent: 15,
      maxAttempts: 3,
      maxTotalTimeMs: 5_000,
    });
    expect(await call()).toMatchObject({ status: 'error', attempts: 3, error: { stoppedBy: 'attempts' } });
    for (const [index, gap] of gaps(script.starts).entries()) expect(Math.abs(gap / (50 * 2 ** index) - 1)).toBeLessThanOrEqual(0.15);
  });

  test('S0 3.2: the circuit, whose two successes are a setting', { tags: ['S0-3.2'] }, async () => {
    const { service, call, clock } = await serviceOf(
      `
tool:
  id: flight_search
  ${run}
  circuit_breaker:
    failure_threshold: 5           # Open after 5 consecutive failures
    success_threshold: 2           # Close after 2 consecutive successes
    timeout_ms: 30000              # Wait 30s before trying again
`,
      [...Array.from({ length: 5 }, () => fails('Connection reset')), succeeds()],
    );
    const circuit = (): unknown => service.getToolHealth('flight_search')?.circuit;
    await call();
    expect(circuit()).toBe('open');
    await clock.advance(30_000);
    await call();
    expect(circuit()).toBe('half_open');
    await call();
    expect(circuit()).toBe('closed');
  });

  test('S0 4.1: a tool with 30 s', { tags: ['S0-4.1'] }, async () => {
    const { clock, service, script } = await serviceOf(
      `{ tool: { id: flight_search, ${run}, timeout_ms: 30000, retry_policy: { max_attempts: 1 } } }`,
      [hangs],
    );
    const pending = service.executeTool({ toolName: 'flight_search' });
    await clock.advance(29_999);
    expect(script.aborts).toEqual([]);
    await clock.advance(1);
    expect(await pending).toMatchObject({ status: 'timeout', error: { message: 'Tool timeout after 30s', classification: 'transient' } });
  });

  test('S0 4.2 and 4.3: a turn of 300 s with a tool of 30 s', { tags: ['S0-4.3'] }, async () => {
    const { clock, service, script } = await serviceOf(
      `
turn:
  timeout_ms: 300000
tools:
  - id: flight_search
    ${run}
    timeout_ms: 30000
    circuit_breaker: false
    retry_policy: { max_attempts: 99, max_total_time_ms: none }
`,
      [hangs],
    );
    const { outcome, executionTime } = await clock.until(service.executeTurn({ calls: [{ toolName: 'flight_search' }] }));
    expect([outcome, executionTime]).toEqual(['deadline', 300_000]);
    expect(script.starts).toHaveLength(10);
  });

  test('S1 1.5: "treat 503 as permanent"', { tags: ['S1-1.5'] }, async () => {
    const { call, script } = await serviceOf(
      `
tool:
  id: custom_api
  ${run}
  classification:
    - { status: 503, as: permanent }
`,
      [fails('Service unavailable (503)')],
    );
    expect(await call()).toMatchObject({ status: 'error', error: { classification: 'permanent', retryable: false } });
    expect(script.starts).toHaveLength(1);
  });

  test('S1 2.5: three keys of the retry policy', { tags: ['S1-2.5'] }, async () => {
    const { call, script } = await serviceOf(
      `
tool:
  id: custom_api
  ${run}
  retry_policy:
    initial_delay_ms: 50
    max_delay_ms: 2000
    max_attempts: 3
`,
      [fails('Connection reset')],
    );
    expect(await call()).toMatchObject({ attempts: 3 });
    for (const [index, gap] of gaps(script.starts).entries()) expect(Math.abs(gap / (50 * 2 ** index) - 1)).toBeLessThanOrEqual(0.1);
  });
});

describe('records of S0 and S1', () => {
  test(
    'S0 8.2 and S1 4.4: the entries of a turn have all keys of the samples, with values of their types',
    { tags: ['S0-8.2', 'S1-4.4'] },
    async () => {
      const clock = manualSystem({ epochMs: Date.parse('2025-11-05T10:30:15Z') });
      const tool = scriptedTool(clock, 'flight_search', [hangs, succeeds()], { timeoutMs: 30_000 });
      const service = new ToolExecutionService({ tools: [tool.tool], system: clock });
      const { trace } = await clock.until(service.executeTurn({ calls: [{ toolName: 'flight_search' }] }));
      expect(eventsOf(trace, 'ToolTimeout')[0]).toMatchObject({
        event_type: 'ToolTimeout',
        tool_id: 'flight_search',
        timeout_ms: 30000,
        timestamp: '2025-11-05T10:30:45.000Z',
      });
      expect(eventsOf(trace, 'ToolError')[0]).toMatchObject({
        event_type: 'ToolError',
        tool_id: 'flight_search',
        error: 'Tool timeout after 30s',
        classification: 'transient',
        circuit_breaker_state: 'closed',
        retry_count: 0,
        decision: 'retry',
        timestamp: '2025-11-05T10:30:45.000Z',
      });
    },
  );
});

describe('types of S2', () => {
  test('RetryPolicy, with emit_feedback left out', { tags: ['S2-policy'] }, async () => {
    const policy: RetryPolicy = {
      maxAttempts: 3,
      backoff: new LinearBackoff(1, 0.5),
      retryableErrors: [ToolValidationError, StructuredOutputError],
    };
    const clock = manualSystem();
    const weather = defineTool({
      name: 'weather',
      input: { type: 'object', properties: { unit: { enum: ['c', 'f'] } }, required: ['unit'] },
      run: () => 21,
    });
    const session = new Session({ system: clock });
    const service = new ToolExecutionService({ tools: [weather], system: clock });
    const agent = new AgentRun({ service, session, validationRetries: policy });
    const answer = async (unit: string) =>
      (await clock.until(agent.answer([{ callId: '1', toolName: 'weather', arguments: { unit } }])))[0];
    expect((await answer('k'))?.text).toContain('attempt 1 of 3');
    expect(clock.now()).toBe(1_000);
    expect((await answer('k'))?.text).toContain('attempt 2 of 3');
    expect(clock.now()).toBe(2_500);
    expect((await answer('c'))?.result).toMatchObject({ status: 'success', output: 21 });
  });

  test('BackoffStrategy: the protocol, and a strategy of your own', { tags: ['S2-backoff'] }, () => {
    const own: BackoffStrategy = { delaySeconds: (attempt, { seed } = {}) => attempt + (seed ?? '').length };
    expect(own.delaySeconds(2, { seed: 'abc' })).toBe(5);
    for (const strategy of [new ConstantBackoff(2), new LinearBackoff(2, 0), new ExponentialBackoff(2, 1)])
      expect([1, 2, 3].map((attempt) => strategy.delaySeconds(attempt))).toEqual([2, 2, 2]);
  });

  test('RetryFeedback and ReducerError have all fields', { tags: ['S2-feedback', 'S2-reducer-error'] }, () => {
    const feedback: Record<keyof RetryFeedback, true> = {
      source: true,
      toolName: true,
      attempt: true,
      maxAttempts: true,
      errorType: true,
      message: true,
      retryScheduledAt: true,
      nextDelaySeconds: true,
    };
    const session = new Session({
      slices: {
        cart: {
          initial: 0,
          reduce: (): number => {
            throw new Error('closed');
          },
        },
      },
    });
    session.append({
      event_type: 'ValidationRetryScheduled',
      source: 'structured_output',
      attempt: 1,
      max_attempts: 3,
      error_type: 'StructuredOutputError',
      error: 'no JSON',
      retry_scheduled_at: '2025-11-05T10:30:45.000Z',
      delay_ms: 500,
      feedback: true,
    });
    expect(Object.keys(session.latestFeedback() ?? {}).toSorted()).toEqual(Object.keys(feedback).toSorted());
    expect(session.latestFeedback()).toMatchObject({ source: 'structured_output', toolName: null, nextDelaySeconds: 0.5 });
    const [error] = session.reducerErrors satisfies readonly ReducerError[];
    expect(error).toMatchObject({ reducer: 'cart', message: 'closed', payload: { event_type: 'ValidationRetryScheduled' } });
  });
});

describe('code of S3', () => {
  const failingTool = defineTool({
    name: 'failing_tool',
    run: (): never => {
      throw new Error('Something went wrong');
    },
  });
  const describeSymbol = defineTool({
    name: 'describe_symbol',
    input: { type: 'object', properties: { symbol: { type: 'string' } }, required: ['symbol'] },
    run({ symbol }: { symbol: string }) {
      if (symbol === 'process-instruction') return 'Processes one instruction.';
      throw new Error(`Symbol ${symbol.toUpperCase()} not found in package AGENT-Q`);
    },
  });
  const service = new ToolExecutionService({ tools: [failingTool, describeSymbol], policy: { retry: { maxAttempts: 1 } } });

  test.each([
    [{ callId: '1', toolName: 'nonexistent', arguments: {} }, 'Unknown tool: nonexistent', 'S3-error-1'],
    [{ callId: '2', toolName: 'failing_tool', arguments: {} }, 'Tool error: Something went wrong', 'S3-error-2'],
    [{ callId: '3', toolName: 'describe_symbol', arguments: {} }, "Required parameter 'symbol' missing", 'S3-error-3'],
  ] as const)('%o', { tags: ['S3-invariant', 'S3-error-1', 'S3-error-2', 'S3-error-3'] }, async (call, message) => {
    const results = await service.executeToolBatch([call]);
    expect(results).toMatchObject([{ callId: call.callId, status: 'error', error: { message } }]);
  });

  test('the real-world example, with a model that reads the error', { tags: ['S3-recovery', 'S3-loop'] }, async () => {
    const calls = (symbol: string) => ({ calls: [{ callId: symbol, toolName: 'describe_symbol', arguments: { symbol } }] });
    const { model, requests } = scriptedModel(calls('process-request'), calls('process-instruction'), {
      text: 'It processes one instruction.',
    });
    const question = { role: 'user', content: 'What does the function process-request do?' } as const;
    const result = await runInference({ model, messages: [question], service });
    expect(result).toMatchObject({ outcome: 'answered', text: 'It processes one instruction.' });
    expect(requests[1]?.messages.at(-1)).toMatchObject({
      isError: true,
      content: expect.stringContaining('Symbol PROCESS-REQUEST not found in package AGENT-Q'),
    });
    expect(requests[2]?.messages.at(-1)).toMatchObject({ isError: false, content: 'Processes one instruction.' });
  });
});

describe('types and flow of S4', () => {
  test('the structured result', { tags: ['S4-result'] }, async () => {
    interface Result {
      readonly toolName: string;
      readonly callId: string;
      readonly status: 'success' | 'error' | 'timeout';
      readonly output?: unknown;
      readonly error?:
        | { readonly code: string; readonly message: string; readonly userMessage: string; readonly retryable: boolean }
        | undefined;
      readonly executionTime: number;
      readonly fallbackUsed?: boolean;
    }
    const service = new ToolExecutionService({ tools: [defineTool({ name: 'weather', run: () => 'sunny' })] });
    const result: Result = await service.executeTool({ callId: '1', toolName: 'weather' });
    expect(result).toMatchObject({
      toolName: 'weather',
      callId: '1',
      status: 'success',
      output: 'sunny',
      executionTime: expect.any(Number),
    });
  });

  test('the states per tool: circuit and metrics', { tags: ['S4-circuit-state', 'S4-metrics'] }, async () => {
    const clock = manualSystem({ epochMs: 5_000 });
    const { tool } = scriptedTool(clock, 'weather', [fails('Network error')], { retry: { maxAttempts: 1 } });
    const service = new ToolExecutionService({ tools: [tool], profile: 'service', system: clock });
    await service.executeTool({ toolName: 'weather' });
    const { failureCount: failures, lastFailureEpochMs: lastFailure, circuit: state } = service.getToolHealth('weather') ?? {};
    expect({ failures, lastFailure, state }).toEqual({ failures: 1, lastFailure: 5_000, state: 'closed' });
    const metrics = Object.entries(service.getToolMetrics('weather')).filter(([name]) => !/attempts|cancelled|refused/.test(name));
    expect(Object.fromEntries(metrics)).toEqual({
      totalExecutions: 1,
      successCount: 0,
      errorCount: 1,
      timeoutCount: 0,
      avgExecutionTime: 0,
      failureRate: 1,
    });
  });

  test('the ten methods of the two components', { tags: ['S4-methods', 'S4-middleware-methods'] }, async () => {
    const service = new ToolExecutionService({ tools: [defineTool({ name: 'weather', run: () => 'sunny' })] });
    const middleware = new ResponseValidationMiddleware();
    const calls = [{ callId: '1', toolName: 'weather', arguments: {} }] as const;
    expect(await service.executeTool(calls[0])).toMatchObject({ status: 'success' });
    const results = await service.executeToolBatch(calls);
    expect(service.validateResponseMatch(calls, results).matches).toBe(true);
    expect(service.getToolMetrics('weather')).toMatchObject({ totalExecutions: 2 });
    service.resetCircuitBreaker('weather');

    expect(middleware.validateRequest({ messages: [{ role: 'user', content: 'hi' }] }).valid).toBe(true);
    expect(middleware.validateResponse({ content: '', toolCalls: calls, toolResults: results }).valid).toBe(true);
    expect(middleware.validateToolCallResultMatch(calls, results).matches).toBe(true);
    expect(middleware.sanitizeResponse({ content: '', toolCalls: calls, toolResults: [] }).response.toolResults).toHaveLength(1);
    expect(middleware.createErrorResponse(new Error('Overloaded')).error.code).toBe('MODEL_REQUEST_FAILED');
  });
});
