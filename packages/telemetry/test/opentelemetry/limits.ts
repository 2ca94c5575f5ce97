/** Calls that are aborted, fail, or are not captured. */
import { defineTool } from '@holdfast/core';
import { context, propagation, ROOT_CONTEXT, trace, TraceFlags } from '@opentelemetry/api';
import { expect, test } from 'vitest';
import type { Scene, World } from './scene.ts';
import { failing, flaky, sinceBegun, world } from './scene.ts';

export function describeLimits({ named, tree, sdk }: Scene): void {
  test('an attempt that hangs ends at its limit, whatever its work does', async () => {
    const hang = defineTool({ name: 'hang', timeoutMs: 50, retry: { maxAttempts: 1 }, run: () => new Promise(() => undefined) });
    const { system, service } = world([hang]);
    await system.until(service.executeTool({ toolName: 'hang' }));
    const { startTime, endTime, attributes } = named('tool_attempt hang');
    expect([sinceBegun(startTime), sinceBegun(endTime)]).toEqual([0, 50]);
    expect(attributes).toMatchObject({
      'error.type': 'timeout',
      'holdfast.attempt.outcome': 'timeout',
      'holdfast.attempt.timeout': 0.05,
    });
    await system.advance(10 * 60_000);
    expect(sdk.spans()).toHaveLength(2);
  });

  test('the deadline of a turn, a cancel, a faster hedge: no attempt stays open', async () => {
    const slow = defineTool({
      name: 'slow',
      run: () => new Promise((resolve) => void w.system.setTimer(5_000, () => resolve(1), false, 0)),
    });
    const hedged = defineTool({
      name: 'hedged',
      effect: 'read',
      hedge: { afterMs: 100 },
      run: (_args: unknown, { attempt }) =>
        new Promise((resolve) => void w.system.setTimer(attempt === 1 ? 900 : 10, () => resolve(attempt), false, 0)),
    });
    const w: World = world([slow, hedged]);
    await w.system.until(w.service.executeTurn({ calls: [{ callId: 'a', toolName: 'slow' }], timeoutMs: 100 }));
    expect(named('tool_attempt slow').attributes).toMatchObject({
      'holdfast.attempt.outcome': 'left_running',
      'error.type': 'deadline_exceeded',
    });
    expect(named('holdfast.turn').attributes['error.type']).toBe('deadline_exceeded');
    sdk.reset();
    const aborter = new AbortController();
    const cancelled = w.service.executeTool({ toolName: 'slow' }, { signal: aborter.signal });
    await w.system.advance(10);
    aborter.abort();
    await w.system.until(cancelled);
    expect(named('tool_attempt slow').attributes).toMatchObject({ 'holdfast.attempt.outcome': 'cancelled', 'error.type': 'cancelled' });
    sdk.reset();
    await w.system.until(w.service.executeTool({ toolName: 'hedged' }));
    const outcomes = sdk
      .spans()
      .flatMap(({ name, attributes, status }) =>
        name === 'tool_attempt hedged' ? [[attributes['holdfast.attempt.outcome'], status.code]] : [],
      );
    expect(outcomes).toEqual([
      ['success', 0],
      ['superseded', 0],
    ]);
    await w.system.advance(60_000);
  });

  test('a closed or detached service leaves no span open', async () => {
    const slow = defineTool({
      name: 'slow',
      run: () => new Promise((resolve) => void w.system.setTimer(500, () => resolve(1), false, 0)),
    });
    const w: World = world([slow]);
    const call = w.service.executeTool({ toolName: 'slow' });
    await w.service.close();
    expect(sdk.spans()).toEqual([]);
    await w.system.until(call);
    expect(tree()).toEqual(['tool_attempt slow < execute_tool slow', 'execute_tool slow < nothing']);
    sdk.reset();
    const turn = w.service.executeTurn({ calls: [{ callId: 'a', toolName: 'slow' }] });
    await w.system.advance(1);
    w.detach();
    expect(
      sdk.spans().map(({ name, attributes }) => [name, attributes['holdfast.unfinished'] ?? attributes['holdfast.attempt.outcome']]),
    ).toEqual([
      ['tool_attempt slow', 'unknown'],
      ['execute_tool slow', true],
      ['holdfast.turn', true],
    ]);
    await w.system.until(turn);
    await w.system.until(w.service.executeTool({ toolName: 'slow' }));
    expect(sdk.spans()).toHaveLength(3);
  });

  test('an id that is reused while its turn runs leaves nothing open', async () => {
    const slow = defineTool({ name: 'slow', run: () => new Promise((resolve) => void w.system.setTimer(500, () => resolve(1), false, 0)) });
    const w: World = world([slow]);
    const turn = (): Promise<unknown> => w.service.executeTurn({ turnId: 'again', calls: [{ callId: 'a', toolName: 'slow' }] });
    const first = turn();
    await w.system.advance(10);
    await w.system.until(Promise.all([first, turn()]));
    expect(sdk.spans().map(({ name, attributes }) => `${name}${attributes['holdfast.unfinished'] === true ? ' unfinished' : ''}`)).toEqual([
      'tool_attempt slow',
      'execute_tool slow unfinished',
      'holdfast.turn unfinished',
      'tool_attempt slow',
      'execute_tool slow',
      'holdfast.turn',
    ]);
  });

  test('names of any length are truncated', async () => {
    const { system, service } = world([]);
    await system.until(service.executeTool({ toolName: 'x'.repeat(5_000), callId: 'y'.repeat(5_000) }));
    const [span] = sdk.spans();
    expect(JSON.stringify(span?.attributes).length).toBeLessThan(1_500);
    expect(span?.name).toBe('execute_tool unknown');
  });

  test('an error here or in an SDK does not affect a call', async () => {
    const broken = {
      getTracer: () => ({
        startSpan: () => {
          throw new Error('broken');
        },
      }),
    };
    const tools = [defineTool({ name: 'fine', run: () => 1 })];
    const faults: unknown[] = [];
    const { system, service } = world(tools, { tracerProvider: broken as never }, { onFault: (fault) => faults.push(fault) });
    for (let call = 0; call < 3; call++)
      expect(await system.until(service.executeTool({ toolName: 'fine' }))).toMatchObject({ status: 'success', output: 1 });
    const unreadable = {
      content: () => {
        throw new Error('no');
      },
    };
    const second = world(tools, unreadable, { capture: 'all' });
    expect(await second.system.until(second.service.executeTool({ toolName: 'fine', arguments: { a: 1 } }))).toMatchObject({
      status: 'success',
    });
    expect(named('execute_tool fine').attributes).not.toHaveProperty('gen_ai.tool.call.arguments');
    expect(faults).toEqual([]);
  });

  test('a caller that is not sampled has no spans, nor have the requests of its tools', async () => {
    const { system, service }: World = world([flaky(() => system, 0)]);
    const parent = { traceId: 'a'.repeat(32), spanId: 'b'.repeat(16), traceFlags: TraceFlags.NONE };
    await system.until(context.with(trace.setSpanContext(ROOT_CONTEXT, parent), () => service.executeTool({ toolName: 'search' })));
    expect(sdk.spans()).toEqual([]);
  });

  test('baggage and other context of the caller reach every attempt', async () => {
    const seen: unknown[] = [];
    const tool = defineTool({
      name: 'tool',
      run: (_args: unknown, { attempt, callId }) => {
        seen.push([callId, attempt, propagation.getActiveBaggage()?.getEntry('tenant')?.value]);
        if (attempt < 2) throw failing(503);
      },
    });
    const { system, service } = world([tool]);
    const callFor = (tenant: string): Promise<unknown> =>
      context.with(propagation.setBaggage(context.active(), propagation.createBaggage({ tenant: { value: tenant } })), () =>
        service.executeTool({ toolName: 'tool', callId: tenant }),
      );
    await system.until(Promise.all([callFor('one'), callFor('two')]));
    expect(seen).toEqual(
      expect.arrayContaining([
        ['one', 2, 'one'],
        ['two', 2, 'two'],
      ]),
    );
    expect(seen).toHaveLength(4);
  });
}
