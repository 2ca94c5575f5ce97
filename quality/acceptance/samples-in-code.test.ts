/** The types, code and flows of S2, S3 and S4, typed as a user would, with the names of this project. */
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
import { ResponseValidationMiddleware } from '@holdfast/wire';
import { describe, expect, test } from 'vitest';
import { scriptedModel } from './support/agent.ts';
import { fails, scriptedTool } from './support/scripted-tool.ts';

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
  const service: ToolExecutionService = new ToolExecutionService({
    tools: [failingTool, describeSymbol],
    policy: { retry: { maxAttempts: 1 } },
  });

  test.each([
    [{ callId: '1', toolName: 'nonexistent', arguments: {} }, 'Unknown tool: nonexistent'],
    [{ callId: '2', toolName: 'failing_tool', arguments: {} }, 'Tool error: Something went wrong'],
    [{ callId: '3', toolName: 'describe_symbol', arguments: {} }, "Required parameter 'symbol' missing"],
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
