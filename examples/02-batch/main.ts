/** A batch: independent calls, in parallel. One result per call, in call order, also when ids repeat. */
import assert from 'node:assert/strict';
import { defineTool, ToolExecutionService } from '@holdfast/core';

const double = defineTool({
  name: 'double',
  input: { type: 'object', properties: { value: { type: 'number' } }, required: ['value'] },
  async run(args) {
    const { value } = args as { value: number };
    if (value === 13) throw Object.assign(new Error('no luck with 13'), { status: 422 });
    return value * 2;
  },
});
const service = new ToolExecutionService({ tools: [double] });

const calls = [
  { callId: 'a', toolName: 'double', arguments: { value: 1 } },
  { callId: 'b', toolName: 'double', arguments: { value: 13 } },
  { callId: 'a', toolName: 'double', arguments: { value: 3 } },
  { toolName: 'triple', arguments: {} },
];
const results = await service.executeToolBatch(calls, { timeoutMs: 5_000 });

assert.deepEqual(
  results.map(({ callId, status, error }) => [callId, status, error?.code]),
  [
    ['a', 'success', undefined],
    ['b', 'error', 'INVALID_INPUT'],
    ['a', 'success', undefined],
    ['call-4', 'error', 'UNKNOWN_TOOL'],
  ],
);
assert.equal(service.validateResponseMatch(calls, results).matches, true);
assert.equal(service.getToolMetrics('double').failureRate, 1 / 3);
console.log(results.map(({ output, error }) => output ?? error?.userMessage));
