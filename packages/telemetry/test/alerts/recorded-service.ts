/** A quarter of an hour of a service whose tools fail in every way, sampled every 15 s as by a scraping Prometheus. */
import { defineTool, ToolExecutionService } from '@holdfast/core';
import { createMetrics } from '@holdfast/core/metrics';
import { manualSystem } from '@holdfast/core/testing';
import { metricsText } from '../../src/prometheus/index.ts';

const STEP_MS = 15_000;

/** OpenMetrics with a time on each sample, the last of them at `untilEpochMs`. */
export async function recordedService(untilEpochMs: number, steps = 60): Promise<string> {
  const system = manualSystem({ epochMs: untilEpochMs - steps * STEP_MS });
  const metrics = createMetrics({
    tools: ['search', 'flaky', 'broken', 'odd'],
    given: () => ({
      version: '1.0.0',
      traceDropped: 0,
      alertsFiring: { CircuitOpen: 1 },
      heldMs: (tool) => (tool === 'flaky' ? 8_000 : 0),
    }),
  });
  let runs = 0;
  const fails = (status: number): Promise<never> => Promise.reject(Object.assign(new Error('down'), { status }));
  const retry = { initialDelayMs: 100, jitter: 'none' } as const;
  const service = new ToolExecutionService({
    system,
    tools: [
      defineTool({ name: 'search', run: () => new Promise((resolve) => system.setTimer(20, () => resolve('found'))) }),
      defineTool({ name: 'flaky', run: () => (runs++ % 3 === 0 ? fails(503) : Promise.resolve(1)), retry }),
      defineTool({ name: 'broken', run: () => fails(500), retry, alternatives: ['search'] }),
      defineTool({ name: 'odd', output: { type: 'object' }, run: () => 'no object', fallback: { value: {} } }),
    ],
  });
  service.subscribe((event) => metrics.observe(event));
  const lines: string[] = [];
  for (let step = 1; step <= steps; step += 1) {
    await system.until(service.executeTurn({ calls: ['search', 'flaky', 'broken', 'odd'].map((toolName) => ({ toolName })) }));
    await system.advance(untilEpochMs - (steps - step) * STEP_MS - system.epochMs());
    const samples = metricsText(metrics.snapshot())
      .split('\n')
      .filter((line) => line !== '' && !line.startsWith('#'));
    for (const sample of samples) lines.push(`${sample} ${system.epochMs() / 1000}`);
  }
  await service.close();
  return `${lines.join('\n')}\n# EOF\n`;
}
