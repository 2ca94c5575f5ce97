/** Results as data: every field of the engine's result under its snake_case name, and no live objects. */
import { defineTool, ToolExecutionService, type ToolResult } from '@holdfast/core';
import { expect, test } from 'vitest';
import { fromReport, fromResult } from '@holdfast/manifest';

const service = new ToolExecutionService({
  tools: [
    defineTool({ name: 'good', run: async () => ({ camelCase: { stays: true } }) }),
    defineTool({
      name: 'bad',
      effect: 'unsafe',
      retry: { maxAttempts: 1 },
      fallback: { value: 'instead' },
      run: async () => Promise.reject(Object.assign(new Error('reset'), { code: 'ECONNRESET' })),
    }),
  ],
});

const words = (key: string): string => key.replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);

test('of a call', async () => {
  const good = await service.executeTool({ toolName: 'good', callId: 'a' });
  expect(fromResult(good)).toEqual({
    call_id: 'a',
    tool_id: 'good',
    status: 'success',
    output: { camelCase: { stays: true } },
    execution_time_ms: Math.round(good.executionTime),
    attempts: 1,
    served_by: 'good',
  });
});

test('of a failed call: everything except the cause', async () => {
  const bad = await service.executeTool({ toolName: 'bad', callId: 'b' });
  const json = fromResult(bad);
  const error = Object.keys(bad.error ?? {}).filter((key) => key !== 'cause');
  expect(bad.error).toHaveProperty('cause');
  expect(Object.keys(json.error ?? {}).toSorted()).toEqual(error.map(words).toSorted());
  expect(json).toMatchObject({ status: 'error', output: 'instead', fallback_used: true });
  expect(JSON.parse(JSON.stringify(json))).toEqual(json);
});

test('of a turn', async () => {
  const report = await service.executeTurn({ turnId: 't', calls: [{ callId: 'a', toolName: 'good' }] });
  const { trace: _trace, results, executionTime, ...rest } = report;
  expect(fromReport(report)).toEqual({
    ...Object.fromEntries(Object.entries(rest).map(([key, value]) => [words(key), value])),
    execution_time_ms: Math.round(executionTime),
    results: results.map((result: ToolResult) => fromResult(result)),
  });
});
