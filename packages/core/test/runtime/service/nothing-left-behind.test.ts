import { describe, expect, it } from 'vitest';
import { ToolExecutionService } from '../../../src/runtime/service/tool-execution-service.ts';
import { manualSystem } from '../../../src/testing/index.ts';
import { defineTool } from '../../../src/engine/tool/tool.ts';
import { within } from '../../support/drive.ts';
import { errorWith } from '../../engine/classify/errors.ts';

const hang = (): Promise<never> => new Promise(() => undefined);
const down = (): never => {
  throw errorWith({ status: 503 }, 'down');
};

describe('B18: delays', () => {
  const delays = async (order: readonly string[], seed: string): Promise<ReadonlyMap<string, readonly number[]>> => {
    const system = manualSystem();
    const service = new ToolExecutionService({ system, seed, tools: [defineTool({ name: 'down', run: down, breaker: false })] });
    const report = service.executeTurn({ turnId: 'turn', calls: order.map((callId) => ({ callId, toolName: 'down' })) });
    const { trace } = await within(system, 10_000, report);
    const byCall = new Map<string, number[]>();
    for (const event of trace)
      if (event.event_type === 'RetryScheduled') byCall.set(event.call_id, [...(byCall.get(event.call_id) ?? []), event.delay_ms]);
    return byCall;
  };

  it('are the same for the same seed, for any order of the calls', async () => {
    const forth = await delays(['a', 'b', 'c'], 'one');
    const back = await delays(['c', 'b', 'a'], 'one');
    expect(back).toEqual(forth);
    expect(forth.get('a')).toHaveLength(4);
  });

  it('differ between calls, and between seeds', async () => {
    const one = await delays(['a', 'b', 'c'], 'one');
    const two = await delays(['a', 'b', 'c'], 'two');
    expect(new Set([one, two].flatMap((table) => [...table.values()].map((list) => list.join()))).size).toBe(6);
  });
});

it('B19, B20: retry burns no delay against an open breaker, and the refusal has the time to come back', async () => {
  const system = manualSystem();
  const service = new ToolExecutionService({
    system,
    tools: [defineTool({ name: 'down', run: down, breaker: { failureThreshold: 2, openMs: 30_000 }, retry: { jitter: 'none' } })],
  });
  const first = await within(system, 10_000, service.executeTool({ toolName: 'down' }), 10);
  expect(first).toMatchObject({ attempts: 2, executionTime: 100, error: { stoppedBy: 'circuit', code: 'SERVICE_UNAVAILABLE' } });
  const { retryAfterMs: left } = service.getToolHealth('down') ?? {};
  const second = await within(system, 0, service.executeTool({ toolName: 'down' }));
  expect(second).toMatchObject({ attempts: 0, executionTime: 0, error: { code: 'CIRCUIT_OPEN', retryable: false, retryAfterMs: left } });
  expect(second.error?.advice).toContain('Do not call down again');
});

describe('B21, B24: nothing is left behind', () => {
  it('by 1,000 calls on one signal', async () => {
    const system = manualSystem();
    const warnings: unknown[] = [];
    const warn = (warning: unknown): void => void warnings.push(warning);
    process.on('warning', warn);
    const service = new ToolExecutionService({
      system,
      tools: [defineTool({ name: 'work', run: () => new Promise((resolve) => void system.setTimer(5, () => resolve(1))) })],
    });
    const controller = new AbortController();
    const { signal } = controller;
    let listeners = 0;
    const watched = {
      get aborted() {
        return signal.aborted;
      },
      get reason(): unknown {
        return signal.reason;
      },
      addEventListener(type: 'abort', listener: () => void, options?: { readonly once?: boolean }) {
        listeners += 1;
        signal.addEventListener(type, listener, options);
      },
      removeEventListener(type: 'abort', listener: () => void) {
        listeners -= 1;
        signal.removeEventListener(type, listener);
      },
    };
    const results = Promise.all(Array.from({ length: 1_000 }, () => service.executeTool({ toolName: 'work' }, { signal: watched })));
    await system.settle();
    expect(listeners).toBe(1_000);
    expect((await within(system, 100, results)).every(({ status }) => status === 'success')).toBe(true);
    await new Promise((resolve) => setImmediate(resolve));
    process.off('warning', warn);
    expect({ listeners, timers: system.pendingTimers, warnings }).toEqual({ listeners: 0, timers: 0, warnings: [] });
  });

  it('by a cancelled, a timed-out and a failed call whose tools stop', async () => {
    const system = manualSystem();
    const polite = (_args: unknown, { signal }: { readonly signal: AbortSignal }): Promise<never> =>
      new Promise((_resolve, reject) => signal.addEventListener('abort', () => reject(signal.reason as Error)));
    const service = new ToolExecutionService({
      system,
      tools: [
        defineTool({ name: 'polite', run: polite, timeoutMs: 100, retry: { maxAttempts: 1 } }),
        defineTool({ name: 'down', run: down }),
      ],
    });
    const controller = new AbortController();
    const calls = Promise.all([
      service.executeTool({ toolName: 'polite' }, { signal: controller.signal }),
      service.executeTool({ toolName: 'polite' }),
      service.executeTool({ toolName: 'down' }),
      service.executeTool({ toolName: 'polite' }, { timeoutMs: 50 }),
    ]);
    controller.abort();
    await within(system, 10_000, calls);
    expect(system.pendingTimers).toBe(0);
    expect(service.getToolHealth('polite')).toMatchObject({ inFlight: 0, orphaned: 0 });
  });
});

it('a turn with 1,000 hung calls settles exactly at its deadline', async () => {
  for (const onDeadline of ['detach', 'abort'] as const) {
    const system = manualSystem();
    const service = new ToolExecutionService({ system, tools: [defineTool({ name: 'hung', run: hang })] });
    const calls = Array.from({ length: 1_000 }, (_, index) => ({
      callId: `c${index}`,
      toolName: 'hung',
      dependsOn: index % 3 === 2 ? [`c${index - 1}`] : [],
    }));
    let report: Awaited<ReturnType<typeof service.executeTurn>> | undefined;
    void service.executeTurn({ calls, timeoutMs: 5_000, concurrency: 400, onDeadline }).then((answer) => void (report = answer));
    await system.advance(4_999);
    expect(report).toBeUndefined();
    await system.advance(1);
    expect(report).toMatchObject({ outcome: 'deadline', executionTime: 5_000 });
    expect(report?.results).toHaveLength(1_000);
    expect(report?.results.every(({ status, error }) => status === 'timeout' && error?.code === 'TURN_DEADLINE')).toBe(true);
    expect(report?.trace.filter(({ event_type }) => event_type === 'AttemptStarted')).toHaveLength(400);
  }
});

it('the same seed gives an identical trace', async () => {
  const run = async (): Promise<string> => {
    const system = manualSystem();
    const service = new ToolExecutionService({
      system,
      seed: 'same',
      tools: [defineTool({ name: 'down', run: down }), defineTool({ name: 'fine', run: () => 1 })],
    });
    const { trace } = await within(
      system,
      100_000,
      service.executeTurn({
        calls: [{ toolName: 'down' }, { toolName: 'fine', dependsOn: ['call-1'] }, { toolName: 'down', optional: true }],
      }),
    );
    return JSON.stringify(trace);
  };
  const first = await run();
  for (let time = 0; time < 5; time++) expect(await run()).toBe(first);
});
