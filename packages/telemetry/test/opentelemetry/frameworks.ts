/** Spans opened by frameworks, and incomplete set-ups. */
import { defineTool, ToolExecutionService } from '@holdfast/core';
import { manualSystem } from '@holdfast/core/testing';
import type { OpenTelemetryOptions } from '@holdfast/telemetry/opentelemetry';
import { openTelemetry } from '@holdfast/telemetry/opentelemetry';
import { context, trace } from '@opentelemetry/api';
import { describe, expect, test } from 'vitest';
import type { Scene, World } from './scene.ts';
import { flaky, request, world } from './scene.ts';

export function describeFrameworks({ named, tree, sdk }: Scene): void {
  describe('an execute_tool span that a framework has opened', () => {
    const opened = async (options: OpenTelemetryOptions, attributes: Record<string, string>, calls = 1): Promise<readonly string[]> => {
      const { system, service }: World = world([flaky(() => system, 1)], options);
      const span = trace.getTracer('framework').startSpan('opened', { attributes });
      const plan = { calls: Array.from({ length: calls }, (_, index) => ({ callId: `c${index}`, toolName: 'search' })) };
      await system.until(context.with(trace.setSpan(context.active(), span), () => service.executeTurn(plan)));
      span.end();
      return tree().filter((line) => !/^(GET|POST)/.test(line));
    };
    const its = { 'gen_ai.operation.name': 'execute_tool', 'gen_ai.tool.name': 'search', 'gen_ai.tool.call.id': 'c0' };
    const attachedTree = ['tool_attempt search < opened', 'tool_attempt search < opened', 'opened < nothing'];
    const createdTree = [
      'tool_attempt search < execute_tool search',
      'tool_attempt search < execute_tool search',
      'execute_tool search < opened',
      'opened < nothing',
    ];

    test('is used if it is that of the tool', async () => {
      expect(await opened({}, its)).toEqual(attachedTree);
      expect(named('opened').attributes).toMatchObject({ 'holdfast.call.attempts': 2, 'holdfast.call.outcome': 'success' });
      expect(named('opened').status.code).toBe(0);
      expect(named('opened').events.map(({ name }) => name)).toEqual(['holdfast.recovery.decision']);
    });

    test('is not used for another tool, another call, or several calls', async () => {
      expect(await opened({}, { ...its, 'gen_ai.tool.name': 'other' })).toEqual(createdTree);
      sdk.reset();
      expect(await opened({}, { ...its, 'gen_ai.tool.call.id': 'other' })).toEqual(createdTree);
      sdk.reset();
      expect(await opened({}, its, 2)).toHaveLength(7);
      sdk.reset();
      expect(await opened({ toolSpan: 'attach' }, {}, 2)).toHaveLength(7);
    });

    test('is always used with attach, never with create', async () => {
      expect(await opened({ toolSpan: 'attach' }, {})).toEqual(attachedTree);
      sdk.reset();
      expect(await opened({ toolSpan: 'create' }, its)).toEqual(createdTree);
    });
  });

  test('a second attach has no effect; without the middleware only the parents of the requests differ', async () => {
    const system = manualSystem();
    const telemetry = openTelemetry();
    const service = new ToolExecutionService({ tools: [defineTool({ name: 'tool', run: () => request('GET') })], system });
    expect(telemetry.attach(service)).toBe(telemetry.attach(service));
    await service.executeTool({ toolName: 'tool' });
    expect(tree()).toEqual(['GET < nothing', 'tool_attempt tool < execute_tool tool', 'execute_tool tool < nothing']);
  });

  test('without the middleware, requests are siblings of the call, not children of its attempts', async () => {
    const system = manualSystem();
    const service = new ToolExecutionService({ tools: [defineTool({ name: 'tool', run: () => request('GET') })], system });
    openTelemetry().attach(service);
    const app = trace.getTracer('app').startSpan('app');
    await context.with(trace.setSpan(context.active(), app), () => service.executeTool({ toolName: 'tool' }));
    app.end();
    expect(tree()).toEqual(['GET < app', 'tool_attempt tool < execute_tool tool', 'execute_tool tool < app', 'app < nothing']);
  });
}
