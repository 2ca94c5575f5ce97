/** Tools are passed to the service in slices, and all at once. */
import { defineTool, ToolExecutionService } from '@holdfast/core';
import { createMetrics } from '@holdfast/core/metrics';
import { expect, test } from 'vitest';
import { createOffering } from '../../src/composition/offer-tools.ts';

const toolsOf = (count: number): ReturnType<typeof defineTool>[] =>
  Array.from({ length: count }, (_, n) => defineTool({ name: `tool_${n}`, run: () => n }));

test('the service has none of thousands of new tools before it has all of them', async () => {
  const service = new ToolExecutionService({ tools: [] });
  const offering = createOffering(service, createMetrics());
  const seen = new Set<number>();
  let isOver = false;
  const look = (): void => {
    seen.add(service.tools.length);
    if (!isOver) setImmediate(look);
  };
  look();
  const tools = toolsOf(5_000);
  await offering.offer(tools, {});
  isOver = true;
  look();
  expect([...seen]).toEqual([0, 5_000]);
  expect(service.tools).toEqual(tools);
});

test('the defaults of another manifest apply to tools that stay, and equal ones change nothing', async () => {
  const service = new ToolExecutionService({ tools: [] });
  const offering = createOffering(service, createMetrics());
  const tools = toolsOf(2);
  await offering.offer(tools, { timeoutMs: 1_000 });
  const before = service.getToolSettings('tool_1');
  await offering.offer([...tools], { timeoutMs: 1_000 });
  expect(service.getToolSettings('tool_1')).toBe(before);
  await offering.offer(tools, { timeoutMs: 2_000 });
  expect(service.getToolSettings('tool_1')?.timeoutMs).toBe(2_000);
  offering.withdraw(tools.slice(0, 1));
  expect(service.tools).toEqual(tools.slice(0, 1));
});
