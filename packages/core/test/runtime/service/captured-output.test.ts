/** Whether the output of a tool is in the trace, and with it in a store. */
import { expect, test } from 'vitest';
import { ToolExecutionService } from '../../../src/runtime/service/tool-execution-service.ts';
import { manualSystem } from '../../../src/testing/manual-system.ts';
import { defineTool } from '../../../src/engine/tool/tool.ts';

async function traceSize(capture: 'none' | 'arguments' | 'all', output: string): Promise<number> {
  const service = new ToolExecutionService({
    capture,
    system: manualSystem(),
    seed: 'same',
    tools: [defineTool({ name: 'search', run: () => output })],
  });
  let size = 0;
  service.subscribe((event) => void (size += JSON.stringify(event).length));
  const { results } = await service.executeTurn({ turnId: 't', calls: [{ callId: 'c', toolName: 'search', arguments: { q: 'x' } }] });
  expect(results).toMatchObject([{ output }]);
  return size;
}

test.each(['none', 'arguments'] as const)('with capture %s, a larger output does not make the trace larger', async (capture) => {
  expect(await traceSize(capture, 'x'.repeat(1_000))).toBe(await traceSize(capture, 'x'));
});

test('with capture all, the output is in the trace', async () => {
  expect((await traceSize('all', 'x'.repeat(1_000))) - (await traceSize('all', 'x'))).toBe(999);
});
