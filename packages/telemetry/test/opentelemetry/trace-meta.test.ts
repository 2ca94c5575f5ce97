/** The trace context that MCP servers receive with a call: that of the attempt. */
import { defineTool, ToolExecutionService } from '@holdfast/core';
import { openTelemetry, traceMeta } from '@holdfast/telemetry/opentelemetry';
import { propagation, trace } from '@opentelemetry/api';
import { W3CTraceContextPropagator } from '@opentelemetry/core';
import { afterAll, expect, test } from 'vitest';
import { sdk2 } from '../support/sdk-2.ts';

const sdk = sdk2();
afterAll(() => {
  sdk.unregister();
  propagation.disable();
});

test('it identifies the attempt, also after a wait; without an SDK it is empty', async () => {
  expect(traceMeta()).toEqual({});
  sdk.register();
  propagation.setGlobalPropagator(new W3CTraceContextPropagator());
  const telemetry = openTelemetry();
  const run = async (): Promise<unknown> => {
    await Promise.resolve();
    return traceMeta();
  };
  const service = new ToolExecutionService({ tools: [defineTool({ name: 'remote', run })], middleware: [telemetry.middleware] });
  telemetry.attach(service);
  const { output } = await service.executeTool({ toolName: 'remote' });
  const [attempt] = sdk.spans();
  expect(attempt?.name).toBe('tool_attempt remote');
  expect(output).toEqual({ traceparent: `00-${attempt?.spanContext().traceId}-${attempt?.spanContext().spanId}-01` });
  expect(trace.getActiveSpan()).toBeUndefined();
});
