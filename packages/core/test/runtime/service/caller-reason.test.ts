/** The signal of a tool is aborted with the reason of its caller. */
import { defineTool, ToolExecutionService } from '../../../src/index.ts';
import { manualSystem } from '../../../src/testing/index.ts';
import { expect, test } from 'vitest';

const reasons: readonly unknown[] = [new Error('mine'), { code: 7 }, 'enough'];

test.each(reasons)('a tool sees the reason %s', async (reason) => {
  const seen: unknown[] = [];
  const controller = new AbortController();
  const wait = defineTool({
    name: 'wait',
    run: (_args, { signal }) => {
      signal.addEventListener('abort', () => seen.push(signal.reason));
      controller.abort(reason);
      return new Promise(() => undefined);
    },
  });
  const service = new ToolExecutionService({ tools: [wait], system: manualSystem() });
  const single = await service.executeTool({ toolName: 'wait' }, { signal: controller.signal });
  expect(single.error?.code).toBe('CANCELLED');
  expect(seen).toEqual([reason]);
  expect(seen[0]).toBe(reason);
});
