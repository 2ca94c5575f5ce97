/** What spans and metrics say of calls, whichever SDK keeps them. Times are moved by hand. */
import { defineTool, ToolExecutionService } from '@holdfast/core';
import type { AnyTool, ToolExecutionServiceOptions } from '@holdfast/core';
import { manualSystem } from '@holdfast/core/testing';
import type { OpenTelemetryOptions } from '@holdfast/telemetry/opentelemetry';
import { openTelemetry } from '@holdfast/telemetry/opentelemetry';
import { context, propagation, ROOT_CONTEXT, trace, TraceFlags } from '@opentelemetry/api';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import type { FinishedSpan, Sdk } from '../support/sdk.ts';

const failing = (status: number, message = 'down'): Error => Object.assign(new Error(message), { status });

/** What an HTTP client's instrumentation would do. */
const request = (name: string): void => trace.getTracer('http').startSpan(name).end();

const begun = Date.UTC(2025, 10, 5, 10, 30, 45);
const sinceBegun = ([seconds, nanoseconds]: readonly [number, number]): number => (seconds - begun / 1_000) * 1_000 + nanoseconds / 1e6;

interface World {
  readonly system: ReturnType<typeof manualSystem>;
  readonly service: ToolExecutionService;
  readonly detach: () => void;
}

function world(tools: readonly AnyTool[], options: OpenTelemetryOptions = {}, more: Partial<ToolExecutionServiceOptions> = {}): World {
  const system = manualSystem();
  const telemetry = openTelemetry(options);
  const service: ToolExecutionService = new ToolExecutionService({ tools, system, seed: 's', around: [telemetry.policy], ...more });
  return { system, service, detach: telemetry.attach(service) };
}

/** Fails so often, then succeeds; each attempt takes 10 ms and requests something, at its beginning and after a wait. */
function flaky(system: () => ReturnType<typeof manualSystem>, failures: number, name = 'search', more: object = {}): AnyTool {
  return defineTool({
    name,
    ...more,
    run: async (_args: unknown, { attempt }) => {
      request(`GET ${name} ${attempt}`);
      await new Promise<void>((resolve) => void system().setTimer(10, resolve, false, system().now()));
      request(`POST ${name} ${attempt}`);
      if (attempt <= failures) throw failing(503);
      return attempt;
    },
  });
}

export function describeOpenTelemetry(sdk: Sdk): void {
  const named = (name: string): FinishedSpan => {
    const found = sdk.spans().filter((span) => span.name === name);
    expect(found.map((span) => span.name)).toEqual([name]);
    return found[0] as FinishedSpan;
  };
  const parentOf = (span: FinishedSpan): string | undefined =>
    sdk.spans().find((one) => one.spanContext().spanId === span.parentSpanContext?.spanId)?.name;
  /** The tree as lines: `name < parent`. */
  const tree = (): readonly string[] => sdk.spans().map((span) => `${span.name} < ${parentOf(span) ?? 'nothing'}`);

  describe(sdk.name, () => {
    beforeAll(() => sdk.register());
    afterAll(() => sdk.unregister());
    beforeEach(() => sdk.reset());

    test('one call: one span over its attempts, each attempt with what it requested', async () => {
      const { system, service }: World = world([flaky(() => system, 2)]);
      const call = (): Promise<unknown> => service.executeTool({ toolName: 'search', callId: 'c1' });
      const app = trace.getTracer('app').startSpan('app');
      await system.until(context.with(trace.setSpan(context.active(), app), call));
      app.end();
      const attempts = sdk.spans().filter(({ name }) => name === 'tool_attempt search');
      expect(attempts.map((span) => [span.attributes['holdfast.attempt.number'], span.status.code, span.attributes['error.type']])).toEqual(
        [
          [1, 2, '503'],
          [2, 2, '503'],
          [3, 0, undefined],
        ],
      );
      const execution = named('execute_tool search');
      expect(parentOf(execution)).toBe('app');
      expect(attempts.map(parentOf)).toEqual(Array(3).fill('execute_tool search'));
      for (const [index, attempt] of attempts.entries()) {
        for (const method of ['GET', 'POST']) {
          const { parentSpanContext } = named(`${method} search ${index + 1}`);
          expect(parentSpanContext?.spanId).toBe(attempt.spanContext().spanId);
        }
      }
      expect(new Set(sdk.spans().map((span) => span.spanContext().traceId)).size).toBe(1);
      // Recovered: not an error, and not told as one.
      expect(execution.status.code).toBe(0);
      expect(execution.kind).toBe(0);
      expect(execution.attributes).toEqual({
        'gen_ai.operation.name': 'execute_tool',
        'gen_ai.tool.name': 'search',
        'gen_ai.tool.type': 'function',
        'gen_ai.tool.call.id': 'c1',
        'holdfast.turn.id': expect.any(String) as string,
        'holdfast.call.outcome': 'success',
        'holdfast.call.attempts': 3,
        'holdfast.call.backoff': expect.closeTo(0.3, 1) as number,
      });
      expect(attempts.some(({ attributes }) => 'gen_ai.operation.name' in attributes)).toBe(false);
    });

    test('times are those of the events', async () => {
      const { system, service }: World = world([flaky(() => system, 1)], {}, { policy: { retry: { jitter: 'none' } } });
      await system.advance(1_000);
      await system.until(service.executeTool({ toolName: 'search' }));
      const times = sdk
        .spans()
        .flatMap(({ name, startTime, endTime }) => (/tool/.test(name) ? [[name, sinceBegun(startTime), sinceBegun(endTime)]] : []));
      expect(times).toEqual([
        ['tool_attempt search', 1_000, 1_010],
        ['tool_attempt search', 1_110, 1_120],
        ['execute_tool search', 1_000, 1_120],
      ]);
      const [decision] = named('execute_tool search').events;
      expect([decision?.name, decision && sinceBegun(decision.time)]).toEqual(['holdfast.recovery.decision', 1_010]);
      expect(decision?.attributes).toMatchObject({
        'holdfast.decision.action': 'retry',
        'holdfast.reason': 'Transient error + circuit closed + retries available',
        'holdfast.delay': 0.1,
        'holdfast.error.rule': 'status:503',
        'holdfast.circuit_breaker.state': 'closed',
        'holdfast.decision.max_attempts': 5,
        'holdfast.decision.retry_limit': 2,
      });
    });

    test('a call that fails is an error, with the last reason', async () => {
      const { system, service }: World = world([flaky(() => system, 9, 'search', { retry: { maxAttempts: 2 } })]);
      await system.until(service.executeTool({ toolName: 'search' }));
      const { status, attributes } = named('execute_tool search');
      expect(status).toEqual({ code: 2, message: 'Tool error: down' });
      expect(attributes).toMatchObject({
        'error.type': '503',
        'holdfast.error.code': 'SERVICE_UNAVAILABLE',
        'holdfast.call.stopped_by': 'attempts',
      });
    });

    test('an open circuit: no attempt, and said so', async () => {
      const { system, service }: World = world([flaky(() => system, 9, 'search', { retry: { maxAttempts: 1 } })]);
      for (let call = 0; call < 5; call++) await system.until(service.executeTool({ toolName: 'search' }));
      expect(sdk.spans().filter(({ events }) => events.some(({ name }) => name === 'holdfast.circuit_breaker.opened'))).toHaveLength(1);
      sdk.reset();
      await system.until(service.executeTool({ toolName: 'search' }));
      expect(tree()).toEqual(['execute_tool search < nothing']);
      const { attributes, events } = named('execute_tool search');
      expect(attributes).toMatchObject({ 'error.type': 'circuit_open', 'holdfast.call.attempts': 0 });
      expect(events.map(({ name }) => name)).toContain('holdfast.call.refused');
    });

    test('an alternative is a call of its own within the call, linked to what failed', async () => {
      const { system, service }: World = world([
        flaky(() => system, 9, 'search', { retry: { maxAttempts: 1 }, alternatives: ['cache', 'backup'] }),
        flaky(() => system, 9, 'cache', { retry: { maxAttempts: 1 } }),
        defineTool({ name: 'backup', run: () => request('GET backup') }),
      ]);
      await system.until(service.executeTool({ toolName: 'search' }));
      expect(tree().filter((line) => !/^(GET|POST) (search|cache)/.test(line))).toEqual([
        'tool_attempt search < execute_tool search',
        'tool_attempt cache < execute_tool cache',
        'execute_tool cache < execute_tool search',
        'GET backup < tool_attempt backup',
        'tool_attempt backup < execute_tool backup',
        'execute_tool backup < execute_tool search',
        'execute_tool search < nothing',
      ]);
      const [whole, cache, backup] = ['search', 'cache', 'backup'].map((name) => named(`execute_tool ${name}`));
      expect([whole?.status.code, cache?.status.code, backup?.status.code]).toEqual([0, 2, 0]);
      expect(whole?.attributes).toMatchObject({ 'holdfast.call.served_by': 'backup', 'holdfast.call.fallback_used': true });
      expect(backup?.attributes['holdfast.alternative.of']).toBe('search');
      expect(backup?.links.map(({ context: to }) => to.spanId)).toEqual([named('tool_attempt cache').spanContext().spanId]);
    });

    test('a turn: dependencies are links, what was skipped is told on the span of the turn', async () => {
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

    test('where a span is active, a turn has none of its own', async () => {
      const { system, service }: World = world([flaky(() => system, 0)]);
      const app = trace.getTracer('app').startSpan('app');
      const run = (): Promise<unknown> => service.executeTurn({ calls: [{ callId: 'a', toolName: 'search' }] });
      await system.until(context.with(trace.setSpan(context.active(), app), run));
      app.end();
      expect(parentOf(named('execute_tool search'))).toBe('app');
      expect(sdk.spans().some(({ name }) => name === 'holdfast.turn')).toBe(false);
    });

    test('turns side by side, and calls of one id, do not mix', async () => {
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
      const traces = Map.groupBy(sdk.spans(), (span) => span.spanContext().traceId);
      expect(traces.size).toBe(6);
      for (const spans of traces.values()) {
        expect(spans.map(({ name }) => name).toSorted()).toEqual(
          [
            spans.find(({ name }) => name.startsWith('app'))?.name,
            ...['GET fetch 1', 'POST fetch 1', 'execute_tool fetch', 'tool_attempt fetch'],
            ...[
              'GET search 1',
              'POST search 1',
              'GET search 2',
              'POST search 2',
              'tool_attempt search',
              'tool_attempt search',
              'execute_tool search',
            ].flatMap((name) => [name, name]),
          ].toSorted(),
        );
        for (const span of spans.filter(({ name }) => /^(GET|POST)/.test(name))) {
          const attempt = up(span);
          expect(`${span.name.split(' ').at(-1)}`).toBe(String(attempt?.attributes['holdfast.attempt.number']));
          expect(span.name.split(' ')[1]).toBe(attempt?.attributes['holdfast.tool.name']);
        }
        // Each of the twins has its own two attempts, and each attempt its own two requests.
        for (const call of spans.filter(({ name }) => name === 'execute_tool search'))
          expect(spans.filter((span) => up(span) === call).map(({ attributes }) => attributes['holdfast.attempt.number'])).toEqual([1, 2]);
        for (const attempt of spans.filter(({ name }) => name === 'tool_attempt search'))
          expect(spans.filter((span) => up(span) === attempt)).toHaveLength(2);
      }
    });

    test('a call that a tool makes hangs under the attempt that makes it', async () => {
      const inner = defineTool({ name: 'inner', run: () => 1 });
      const outer = defineTool({
        name: 'outer',
        run: async () => {
          await w.service.executeTool({ toolName: 'inner' });
          await w.service.executeTool({ toolName: 'inner' });
        },
      });
      const w: World = world([inner, outer]);
      await w.system.until(w.service.executeTool({ toolName: 'outer' }));
      expect(tree()).toEqual([
        'tool_attempt inner < execute_tool inner',
        'execute_tool inner < tool_attempt outer',
        'tool_attempt inner < execute_tool inner',
        'execute_tool inner < tool_attempt outer',
        'tool_attempt outer < execute_tool outer',
        'execute_tool outer < nothing',
      ]);
    });

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

    test('the deadline of a turn, a cancel, a faster twin: no attempt stays open', async () => {
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

    test('a service that is closed or let go leaves nothing open', async () => {
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

    test('what fails in here, or in an SDK, does not reach a call', async () => {
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

    test('content is told when it is asked for, captured, and let through', async () => {
      const tools = [defineTool({ name: 'echo', run: (args: unknown) => args })];
      const run = async (options: OpenTelemetryOptions, capture: 'none' | 'all'): Promise<readonly unknown[]> => {
        sdk.reset();
        const { system, service } = world(tools, options, { capture });
        await system.until(service.executeTool({ toolName: 'echo', arguments: { city: 'Bern', token: 'x' } }));
        const { attributes } = named('execute_tool echo');
        return [attributes['gen_ai.tool.call.arguments'], attributes['gen_ai.tool.call.result']];
      };
      expect(await run({}, 'all')).toEqual([undefined, undefined]);
      expect(await run({ content: true }, 'none')).toEqual([undefined, undefined]);
      const [args] = await run({ content: true }, 'all');
      expect(JSON.parse(String(args))).toMatchObject({ city: 'Bern' });
      expect(await run({ content: (_value, { kind, toolName }) => (kind === 'result' ? toolName : undefined) }, 'all')).toEqual([
        undefined,
        'echo',
      ]);
    });

    test('a caller that is not sampled has no span, and what its tools request neither', async () => {
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

      test('is taken where it says so itself', async () => {
        expect(await opened({}, its)).toEqual(attachedTree);
        expect(named('opened').attributes).toMatchObject({ 'holdfast.call.attempts': 2, 'holdfast.call.outcome': 'success' });
        expect(named('opened').status.code).toBe(0);
        expect(named('opened').events.map(({ name }) => name)).toEqual(['holdfast.recovery.decision']);
      });

      test('is not taken for another tool, another call, or several calls', async () => {
        expect(await opened({}, { ...its, 'gen_ai.tool.name': 'other' })).toEqual(createdTree);
        sdk.reset();
        expect(await opened({}, { ...its, 'gen_ai.tool.call.id': 'other' })).toEqual(createdTree);
        sdk.reset();
        expect(await opened({}, its, 2)).toHaveLength(7);
        sdk.reset();
        expect(await opened({ toolSpan: 'attach' }, {}, 2)).toHaveLength(7);
      });

      test('is taken unseen with attach, never with create', async () => {
        expect(await opened({ toolSpan: 'attach' }, {})).toEqual(attachedTree);
        sdk.reset();
        expect(await opened({ toolSpan: 'create' }, its)).toEqual(createdTree);
      });
    });

    test('attach twice is once; without the policy the spans are there, only the requests hang elsewhere', async () => {
      const system = manualSystem();
      const telemetry = openTelemetry();
      const service = new ToolExecutionService({ tools: [defineTool({ name: 'tool', run: () => request('GET') })], system });
      expect(telemetry.attach(service)).toBe(telemetry.attach(service));
      await service.executeTool({ toolName: 'tool' });
      expect(tree()).toEqual(['GET < nothing', 'tool_attempt tool < execute_tool tool', 'execute_tool tool < nothing']);
    });

    test('spans of attempts can be left out', async () => {
      const { system, service }: World = world([flaky(() => system, 1)], { attemptSpans: 'never' });
      await system.until(service.executeTool({ toolName: 'search' }));
      expect(tree().map((line) => line.replace(/ \d/, ''))).toEqual([
        ...['GET', 'POST', 'GET', 'POST'].map((method) => `${method} search < execute_tool search`),
        'execute_tool search < nothing',
      ]);
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
  });
}
