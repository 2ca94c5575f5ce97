/** A tool that calls its own service: where and when the inner call starts. */
import { defineTool, ToolExecutionService } from '../../../src/index.ts';
import { manualSystem } from '../../../src/testing/index.ts';
import { AsyncLocalStorage } from 'node:async_hooks';
import { expect, test } from 'vitest';

test('a call made by a tool starts at once, in the context of the tool', async () => {
  const place = new AsyncLocalStorage<string>();
  const seen: unknown[] = [];
  const inner = defineTool({ name: 'inner', run: () => void seen.push(['inner runs in', place.getStore()]) });
  const outer = defineTool({
    name: 'outer',
    run: () => place.run('outer', () => service.executeTool({ toolName: 'inner', callId: 'of outer' }).then(({ status }) => status)),
  });
  const service: ToolExecutionService = new ToolExecutionService({ tools: [inner, outer], system: manualSystem() });
  service.subscribe((event) => {
    if (event.event_type === 'CallStarted') seen.push([event.call_id, place.getStore()]);
  });
  const { output } = await place.run('caller', () => service.executeTool({ toolName: 'outer', callId: 'of the caller' }));
  expect(output).toBe('success');
  expect(seen).toEqual([
    ['of the caller', 'caller'],
    ['of outer', 'outer'],
    ['inner runs in', 'outer'],
  ]);
});

test('calls within calls do not use up the stack at any depth', async () => {
  let failed = 0;
  const again = defineTool({
    name: 'again',
    run: async ({ left }: { readonly left: number }) => {
      if (left === 0) return;
      const { status } = await service.executeTool({ toolName: 'again', arguments: { left: left - 1 } });
      if (status !== 'success') failed += 1;
    },
  });
  const service: ToolExecutionService = new ToolExecutionService({ tools: [again], system: manualSystem() });
  const { status } = await service.executeTool({ toolName: 'again', arguments: { left: 5_000 } });
  expect([status, failed]).toEqual(['success', 0]);
});
