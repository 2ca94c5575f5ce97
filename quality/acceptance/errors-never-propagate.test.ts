import type { ToolCall, ToolResult } from '@holdfast/core';
import { defineTool, ToolExecutionService } from '@holdfast/core';
import { manualSystem } from '@holdfast/core/testing';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';

const failsWith = (name: string, error: unknown) =>
  defineTool({
    name,
    run() {
      throw error;
    },
  });

function serviceOf(...tools: readonly ReturnType<typeof defineTool>[]): ToolExecutionService {
  return new ToolExecutionService({ tools, system: manualSystem(), policy: { retry: { maxAttempts: 1 }, breaker: false } });
}

const describeSymbol = defineTool({
  name: 'describe_symbol',
  input: { type: 'object', properties: { symbol: { type: 'string' } }, required: ['symbol'] },
  run(args: unknown) {
    const { symbol } = args as { symbol: string };
    if (symbol !== 'process-instruction') throw new Error(`Symbol ${symbol.toUpperCase()} not found in package AGENT-Q`);
    return 'Processes one instruction.';
  },
});

function expectFailure(result: ToolResult | undefined): void {
  expect(result).toBeDefined();
  expect(result?.status).not.toBe('success');
  expect(result?.error).toMatchObject({ code: expect.any(String), message: expect.any(String), userMessage: expect.any(String) });
}

describe('errors never propagate', () => {
  test('any thrown or rejected value becomes a failed result', { tags: ['S3-invariant'] }, async () => {
    const thrown = fc.oneof(
      fc.anything({ withBigInt: true, withNullPrototype: true, withDate: true }),
      fc.string().map((text) => new Error(text)),
    );
    await fc.assert(
      fc.asyncProperty(thrown, fc.boolean(), async (error, rejects) => {
        const run = (): unknown => {
          if (rejects) return Promise.reject(error);
          throw error;
        };
        const results = await serviceOf(defineTool({ name: 'failing_tool', run })).executeToolBatch([
          { callId: '1', toolName: 'failing_tool' },
        ]);
        expect(results).toHaveLength(1);
        expectFailure(results[0]);
      }),
      { numRuns: 300 },
    );
  });

  test('any value given as a call gets a result', { tags: ['S3-invariant'] }, async () => {
    const service = serviceOf(describeSymbol);
    const known = fc.record(
      { toolName: fc.constant('describe_symbol'), arguments: fc.anything(), callId: fc.anything() },
      { requiredKeys: ['toolName'] },
    );
    await fc.assert(
      fc.asyncProperty(fc.oneof(fc.anything(), known), async (call) => {
        const result = await service.executeTool(call as ToolCall);
        const [inBatch, ...more] = await service.executeToolBatch([call as ToolCall]);
        expect(more).toEqual([]);
        expectFailure(result);
        expectFailure(inBatch);
      }),
      { numRuns: 300 },
    );
  });

  test('errors that cannot be inspected become results too', { tags: ['S3-invariant'] }, async () => {
    const cyclic = new Error('cyclic');
    cyclic.cause = cyclic;
    const unreadable = new Proxy(new Error('hidden'), {
      get() {
        throw new Error('not for you');
      },
      getPrototypeOf() {
        throw new Error('not for you');
      },
    });
    const getter = Object.defineProperty(new Error('x'), 'message', {
      get() {
        throw new Error('no message');
      },
    });
    const stubborn = { toString: () => ({}), [Symbol.toPrimitive]: () => ({}) };
    for (const error of [
      cyclic,
      unreadable,
      getter,
      stubborn,
      Object.freeze(new Error('frozen')),
      null,
      undefined,
      0,
      '',
      Symbol('s'),
      1n,
    ]) {
      expectFailure(await serviceOf(failsWith('failing_tool', error)).executeTool({ toolName: 'failing_tool' }));
    }
  });

  test('a listener, an advisor and a middleware that throw have no effect', { tags: ['S3-invariant'] }, async () => {
    const service = new ToolExecutionService({
      tools: [failsWith('failing_tool', new Error('Invalid input'))],
      system: manualSystem(),
      advisor: () => {
        throw new Error('advisor');
      },
      middleware: [
        (next) => (args, context) => {
          if (context.attempt > 1) throw new Error('wrapper');
          return next(args, context);
        },
      ],
    });
    service.subscribe(() => {
      throw new Error('listener');
    });
    const [result] = await service.executeToolBatch([{ toolName: 'failing_tool' }]);
    expectFailure(result);
    expect(result?.error?.message).toBe('Tool error: Invalid input');
  });

  test('a call that cannot be read gets its own result, and the calls beside it theirs', { tags: ['S3-invariant'] }, async () => {
    const service = serviceOf(describeSymbol);
    const call = (symbol: string): ToolCall => ({ toolName: 'describe_symbol', arguments: { symbol } });
    const results = await service.executeToolBatch([call('process-instruction'), null as never, call('other'), 7 as never]);
    expect(results.map(({ status }) => status)).toEqual(['success', 'error', 'error', 'error']);
    expect(results.map(({ error }) => error?.code)).toEqual([undefined, 'INVALID_CALL', 'NOT_FOUND', 'INVALID_CALL']);
  });

  test('an unknown tool: "Unknown tool: nonexistent"', { tags: ['S3-error-1'] }, async () => {
    const [result] = await serviceOf(describeSymbol).executeToolBatch([{ callId: '1', toolName: 'nonexistent', arguments: {} }]);
    expect(result).toMatchObject({
      callId: '1',
      status: 'error',
      attempts: 0,
      error: { code: 'UNKNOWN_TOOL', message: 'Unknown tool: nonexistent' },
    });
    expect(result?.error).toMatchObject({ classification: 'permanent', retryable: false });
  });

  test('a misspelled name gets a suggestion after the same message', { tags: ['S3-error-1'] }, async () => {
    const result = await serviceOf(describeSymbol).executeTool({ toolName: 'describe_symbl' });
    expect(result.error?.message).toBe("Unknown tool: describe_symbl. Did you mean 'describe_symbol'?");
  });

  test(
    'a handler that throws an error: "Tool error: Something went wrong", with the error as its cause',
    { tags: ['S3-error-2'] },
    async () => {
      const error = new Error('Something went wrong');
      const [result] = await serviceOf(failsWith('failing_tool', error)).executeToolBatch([
        { callId: '2', toolName: 'failing_tool', arguments: {} },
      ]);
      expect(result).toMatchObject({ callId: '2', status: 'error', attempts: 1, error: { message: 'Tool error: Something went wrong' } });
      // No error is swallowed and no stack is lost.
      expect(result?.error?.cause).toBe(error);
      expect(error.stack).toContain('errors-never-propagate.test');
    },
  );

  test('a missing argument: "Required parameter \'symbol\' missing"', { tags: ['S3-error-3'] }, async () => {
    const [result] = await serviceOf(describeSymbol).executeToolBatch([{ callId: '3', toolName: 'describe_symbol', arguments: {} }]);
    expect(result).toMatchObject({
      callId: '3',
      status: 'error',
      attempts: 0,
      error: { code: 'INVALID_ARGUMENTS', message: "Required parameter 'symbol' missing", classification: 'permanent', retryable: false },
    });
  });

  test('the test case: always_fails returns one error result with its own message', { tags: ['S3-test-case'] }, async () => {
    const service = serviceOf(failsWith('always_fails', new Error('Intentional error')));
    const results = await service.executeToolBatch([{ callId: 'test', toolName: 'always_fails', arguments: {} }]);
    expect(results).toHaveLength(1);
    expect(results[0]?.status).toBe('error');
    expect(results[0]?.error?.message).toContain('Intentional error');
  });

  test('the model reads the error, corrects its call and succeeds', { tags: ['S3-recovery'] }, async () => {
    const service = serviceOf(describeSymbol);
    const first = await service.executeTool({ callId: '1', toolName: 'describe_symbol', arguments: { symbol: 'process-request' } });
    expect(first).toMatchObject({
      status: 'error',
      attempts: 1,
      error: {
        message: 'Tool error: Symbol PROCESS-REQUEST not found in package AGENT-Q',
        classification: 'permanent',
        category: 'not_found',
      },
    });
    expect(first.error?.advice).not.toBe('');
    const second = await service.executeTool({ callId: '2', toolName: 'describe_symbol', arguments: { symbol: 'process-instruction' } });
    expect(second).toMatchObject({ status: 'success', output: 'Processes one instruction.' });
  });
});
