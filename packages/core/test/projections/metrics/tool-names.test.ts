/** Tools that were never called: thousands of them cost next to nothing, and are read as 0. */
import { expect, test } from 'vitest';
import { createToolSeries, type ToolSeries } from '../../../src/projections/metrics/series-sets.ts';
import { ToolNames } from '../../../src/projections/metrics/tool-names.ts';
import { createMetrics } from '../../../src/projections/metrics/create-metrics.ts';

test('the series of a tool are created by its first use, once', () => {
  const created: string[] = [];
  const create = (tool: string): ToolSeries => {
    created.push(tool);
    return createToolSeries(tool, { buckets: [1], onDropped: () => {} });
  };
  const names = new ToolNames({ maxTools: 1_000, create, onDropped: () => {} });
  names.register(Array.from({ length: 1_000 }, (_, index) => `tool_${index}`));
  expect(created).toEqual([]);
  const series = names.of('tool_7');
  expect(names.of('tool_7')).toBe(series);
  expect(created).toEqual(['tool_7']);
  expect(names.active().map(({ name }) => name)).toEqual(['tool_0', 'tool_7']);
});

test('a tool that was never called reads as one that was called, with every number at 0', () => {
  const [idle, used] = [createMetrics({ tools: ['search'] }), createMetrics({ tools: ['search'] })];
  // As a restart does: the tool is used, nothing is counted.
  used.setCircuit('search', 'closed');
  expect(idle.snapshot()).toEqual(used.snapshot());
  const states = idle.family('circuitState').series;
  expect(states).toContainEqual({ labels: { tool: 'search', state: 'closed' }, value: 1 });
  expect(states).toContainEqual({ labels: { tool: 'search', state: 'open' }, value: 0 });
});
