/** Retries, timeouts and open circuits in a test, to the millisecond and without waiting. */
import assert from 'node:assert/strict';
import { defineTool, ToolExecutionService } from '@holdfast/core';
import { manualSystem } from '@holdfast/core/testing';

const system = manualSystem();
const startedAt: number[] = [];
const down = defineTool({
  name: 'down',
  retry: { jitter: 'none' },
  run() {
    startedAt.push(system.now());
    throw Object.assign(new Error('HTTP 503'), { status: 503 });
  },
});
const hanging = defineTool({ name: 'hanging', retry: { maxAttempts: 1 }, run: () => new Promise<never>(() => {}) });
const service = new ToolExecutionService({ tools: [down, hanging], system, seed: 'test' });

// `until` moves time on to each next timer until the promise has settled.
const failed = await system.until(service.executeTool({ toolName: 'down' }));
assert.deepEqual(startedAt, [0, 100, 300, 700, 1_500]);
assert.equal(failed.error?.stoppedBy, 'circuit'); // five failures in a row opened it

const refused = await system.until(service.executeTool({ toolName: 'down' }));
assert.deepEqual([refused.error?.code, refused.error?.retryAfterMs, refused.attempts], ['CIRCUIT_OPEN', 30_000, 0]);

await system.advance(30_000);
assert.equal(service.getToolHealth('down')?.circuit, 'half_open');

const late = await system.until(service.executeTool({ toolName: 'hanging' }));
assert.deepEqual([late.status, late.error?.message, late.executionTime], ['timeout', 'Tool timeout after 30s', 30_000]);
assert.equal(service.getToolHealth('hanging')?.orphaned, 1); // it ignored its signal and still holds its slot
console.log(failed.error?.advice);
