/** How often a tool that hangs is tried: the 2 s of the retry clock include the retries that hang. */
import { expect, it } from 'vitest';
import { defineTool, ToolExecutionService } from '../../../src/index.ts';
import { manualSystem } from '../../../src/testing/index.ts';

it.each([
  { timeoutMs: 30_000, attempts: 2, stoppedBy: 'budget' },
  { timeoutMs: 2_000, attempts: 2, stoppedBy: 'budget' },
  { timeoutMs: 600, attempts: 4, stoppedBy: 'budget' },
  { timeoutMs: 100, attempts: 5, stoppedBy: 'circuit' },
])('a tool that always hangs for $timeoutMs ms is started $attempts times under spec', async ({ timeoutMs, attempts, stoppedBy }) => {
  const system = manualSystem({ seed: 'clock' });
  const starts: number[] = [];
  const run = (): Promise<never> => {
    starts.push(system.now());
    return new Promise(() => undefined);
  };
  const service = new ToolExecutionService({ tools: [defineTool({ name: 'hangs', run })], system, policy: { timeoutMs } });
  const result = await system.until(service.executeTool({ toolName: 'hangs' }));
  expect(result).toMatchObject({ status: 'timeout', error: { code: 'TOOL_TIMEOUT', stoppedBy } });
  expect(starts).toHaveLength(attempts);
  const firstFailure = (starts[0] ?? NaN) + timeoutMs;
  expect((starts.at(-1) ?? NaN) - firstFailure).toBeLessThan(2_000);
});
