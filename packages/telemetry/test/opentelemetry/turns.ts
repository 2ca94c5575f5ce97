/** The spans of a turn. */
import { defineTool } from '@holdfast/core';
import { context, trace } from '@opentelemetry/api';
import { expect, test } from 'vitest';
import type { FinishedSpan } from '../support/sdk.ts';
import { groupBy } from '../support/group-by.ts';
import type { Scene, World } from './scene.ts';
import { failing, flaky, world } from './scene.ts';

const byName = (one: string, other: string): number => one.localeCompare(other);

export function describeTurns({ named, parentOf, sdk }: Scene): void {
  test('a turn: dependencies are links, and skipped calls are on the span of the turn', async () => {
    const { system, service }: World = world([
      flaky(() => system, 0, 'first'),
      flaky(() => system, 0, 'second'),
      defineTool({ name: 'gone', run: () => Promise.reject(failing(404, 'gone')) }),
    ]);
    const calls = [
      { callId: 'a', toolName: 'first' },
      { callId: 'b', toolName: 'second', dependsOn: ['a'] },
      { callId: 'c', toolName: 'gone' },
      { callId: 'd', toolName: 'first', dependsOn: ['c'] },
    ];
    await system.until(service.executeTurn({ calls }));
    const turn = named('holdfast.turn');
    expect(parentOf(turn)).toBeUndefined();
    for (const name of ['first', 'second', 'gone']) expect(parentOf(named(`execute_tool ${name}`))).toBe('holdfast.turn');
    expect(named('execute_tool second').links.map(({ context: to, attributes }) => [to.spanId, attributes])).toEqual([
      [named('execute_tool first').spanContext().spanId, { 'holdfast.link.kind': 'depends_on' }],
    ]);
    const skipped = turn.events.find(({ name }) => name === 'holdfast.call.skipped');
    expect(skipped?.attributes).toMatchObject({ 'holdfast.call.id': 'd', 'holdfast.caused_by': ['c'] });
    expect(turn.attributes).toMatchObject({ 'holdfast.turn.calls': 4, 'holdfast.turn.outcome': 'partial' });
    expect(turn.status.code).toBe(0);
  });

  test('if a span is active, a turn has none', async () => {
    const { system, service }: World = world([flaky(() => system, 0)]);
    const app = trace.getTracer('app').startSpan('app');
    const run = (): Promise<unknown> => service.executeTurn({ calls: [{ callId: 'a', toolName: 'search' }] });
    await system.until(context.with(trace.setSpan(context.active(), app), run));
    app.end();
    expect(parentOf(named('execute_tool search'))).toBe('app');
    expect(sdk.spans().some(({ name }) => name === 'holdfast.turn')).toBe(false);
  });

  test('concurrent turns, and calls with one id, do not mix', async () => {
    const { system, service }: World = world([flaky(() => system, 1, 'search', { breaker: false }), flaky(() => system, 0, 'fetch')]);
    const tracer = trace.getTracer('app');
    const runs = Array.from({ length: 6 }, (_, index) => {
      const app = tracer.startSpan(`app ${index}`);
      const calls = [{ callId: 'same', toolName: 'search' }, { callId: 'same', toolName: 'search' }, { toolName: 'fetch' }];
      const run = context.with(trace.setSpan(context.active(), app), () => service.executeToolBatch(calls));
      return run.finally(() => app.end());
    });
    await system.until(Promise.all(runs));
    const byId = new Map(sdk.spans().map((span) => [span.spanContext().spanId, span]));
    const up = (span: FinishedSpan): FinishedSpan | undefined => byId.get(span.parentSpanContext?.spanId ?? '');
    const traces = groupBy(sdk.spans(), (span) => span.spanContext().traceId);
    expect(traces.size).toBe(6);
    for (const spans of traces.values()) {
      const twice = [
        'GET search 1',
        'POST search 1',
        'GET search 2',
        'POST search 2',
        'tool_attempt search',
        'tool_attempt search',
        'execute_tool search',
      ];
      const once = ['GET fetch 1', 'POST fetch 1', 'execute_tool fetch', 'tool_attempt fetch'];
      const names = spans.map(({ name }) => name).filter((name) => !name.startsWith('app'));
      expect(names.toSorted(byName)).toEqual([...once, ...twice, ...twice].toSorted(byName));
      for (const span of spans.filter(({ name }) => /^(GET|POST)/.test(name))) {
        const attempt = up(span);
        expect(`${span.name.split(' ').at(-1)}`).toBe(String(attempt?.attributes['holdfast.attempt.number']));
        expect(span.name.split(' ')[1]).toBe(attempt?.attributes['holdfast.tool.name']);
      }
      // Each of the two calls has its own two attempts, and each attempt its own two requests.
      for (const call of spans.filter(({ name }) => name === 'execute_tool search'))
        expect(spans.filter((span) => up(span) === call).map(({ attributes }) => attributes['holdfast.attempt.number'])).toEqual([1, 2]);
      for (const attempt of spans.filter(({ name }) => name === 'tool_attempt search'))
        expect(spans.filter((span) => up(span) === attempt)).toHaveLength(2);
    }
  });

  test('a turn as an invocation of an agent', async () => {
    const { system, service }: World = world([flaky(() => system, 0)], { agent: { name: 'travel', provider: 'openai' } });
    await system.until(service.executeTurn({ calls: [{ callId: 'a', toolName: 'search' }] }));
    expect(named('invoke_agent travel').attributes).toMatchObject({
      'gen_ai.operation.name': 'invoke_agent',
      'gen_ai.agent.name': 'travel',
      'gen_ai.provider.name': 'openai',
    });
    const points = await sdk.points();
    expect(points.find(({ name }) => name === 'gen_ai.invoke_agent.duration')?.attributes).toEqual({ 'gen_ai.agent.name': 'travel' });
    expect(points.find(({ name }) => name === 'gen_ai.invoke_agent.tool_calls')?.value).toMatchObject({ count: 1, sum: 1 });
  });
}
