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

describe('B4: aborting any waiter frees it at once', () => {
  it.each([0, 1, 2])('waiter %i', async (which) => {
    const system = manualSystem();
    const service = new ToolExecutionService({ system, tools: [defineTool({ name: 'slow', run: hang, concurrency: { limit: 1 } })] });
    void service.executeTool({ toolName: 'slow' });
    const controllers = [0, 1, 2].map(() => new AbortController());
    const waiting = controllers.map(({ signal }) => service.executeTool({ toolName: 'slow' }, { signal }));
    await system.settle();
    expect(service.getToolHealth('slow')).toMatchObject({ inFlight: 1, queued: 3 });
    controllers[which]?.abort();
    expect(await within(system, 0, waiting[which] as Promise<unknown>)).toMatchObject({ attempts: 0, error: { code: 'CANCELLED' } });
    expect(service.getToolHealth('slow')).toMatchObject({ inFlight: 1, queued: 2 });
  });
});

it("B5: the caller's cancellation during a probe is neutral", async () => {
  const system = manualSystem();
  let works = false;
  const service = new ToolExecutionService({
    system,
    tools: [
      defineTool({
        name: 'flaky',
        run: () => (works ? hang() : down()),
        breaker: { failureThreshold: 1, openMs: 1_000 },
        retry: { maxAttempts: 1 },
      }),
    ],
  });
  await within(system, 100, service.executeTool({ toolName: 'flaky' }));
  await system.advance(1_000);
  works = true;
  const controller = new AbortController();
  const probe = service.executeTool({ toolName: 'flaky' }, { signal: controller.signal });
  controller.abort();
  expect(await within(system, 0, probe)).toMatchObject({ error: { code: 'CANCELLED', classification: 'neutral' } });
  expect(service.getToolHealth('flaky')?.circuit).toBe('half_open');
});

it('B9: work that ignored its timeout still occupies its slot', async () => {
  const system = manualSystem();
  let live = 0;
  let most = 0;
  const run = (): Promise<never> => {
    live += 1;
    most = Math.max(most, live);
    return hang();
  };
  const service = new ToolExecutionService({
    system,
    tools: [
      defineTool({
        name: 'stuck',
        run,
        timeoutMs: 10,
        abandonMs: 1_000_000,
        concurrency: { limit: 2 },
        retry: { maxAttempts: 1 },
        breaker: false,
      }),
    ],
  });
  const calls = Array.from({ length: 20 }, () => service.executeTool({ toolName: 'stuck' }, { timeoutMs: 5_000 }));
  await within(system, 10_000, Promise.all(calls));
  expect(most).toBe(2);
  expect(service.getToolHealth('stuck')).toMatchObject({ inFlight: 2, orphaned: 2, queued: 0 });
});

it("B10: one call's timeout never aborts a sibling", async () => {
  const system = manualSystem();
  const aborted: string[] = [];
  const service = new ToolExecutionService({
    system,
    tools: [
      defineTool({
        name: 'work',
        run: (args: unknown, context) => {
          const { name, ms } = args as { name: string; ms: number };
          context.signal.addEventListener('abort', () => void aborted.push(name));
          return new Promise((resolve) => void system.setTimer(ms, () => resolve(name)));
        },
        timeoutMs: 100,
        retry: { maxAttempts: 1 },
      }),
    ],
  });
  const run = (name: string, ms: number, timeoutMs: number): ReturnType<typeof service.executeTool> =>
    service.executeTool({ toolName: 'work', arguments: { name, ms }, policy: { timeoutMs } });
  const [quick, slow] = await within(system, 1_000, Promise.all([run('quick', 500, 50), run('slow', 400, 600)]));
  expect(aborted).toEqual(['quick']);
  expect(quick.status).toBe('timeout');
  expect(slow).toMatchObject({ status: 'success', output: 'slow' });
});

it('B11: an abort during backoff returns at once and the tool is not called again', async () => {
  const system = manualSystem();
  let calls = 0;
  const service = new ToolExecutionService({ system, tools: [defineTool({ name: 'down', run: () => ((calls += 1), down()) })] });
  const controller = new AbortController();
  const result = service.executeTool({ toolName: 'down' }, { signal: controller.signal });
  await system.settle();
  expect(calls).toBe(1);
  controller.abort();
  expect(await within(system, 0, result)).toMatchObject({ attempts: 1, error: { code: 'CANCELLED' } });
  await system.advance(100_000);
  expect(calls).toBe(1);
  expect(system.pendingTimers).toBe(0);
});

it('B12, B13: an abort while an attempt hangs returns at once, and is not a timeout whatever its reason', async () => {
  for (const reason of [undefined, 'request timed out', new Error('timeout of 5000ms exceeded'), errorWith({ code: 'ETIMEDOUT' }, 'x')]) {
    const system = manualSystem();
    const service = new ToolExecutionService({ system, tools: [defineTool({ name: 'hung', run: hang })] });
    const controller = new AbortController();
    const result = service.executeTool({ toolName: 'hung' }, { signal: controller.signal });
    controller.abort(reason);
    expect(await within(system, 0, result)).toMatchObject({
      status: 'error',
      error: { code: 'CANCELLED', classification: 'neutral', retryable: false },
    });
  }
});

it("the caller's own time limit is a timeout", async () => {
  const system = manualSystem();
  const service = new ToolExecutionService({ system, tools: [defineTool({ name: 'hung', run: hang })] });
  const controller = new AbortController();
  const result = service.executeTool({ toolName: 'hung' }, { signal: controller.signal });
  controller.abort(new DOMException('The operation was aborted due to timeout', 'TimeoutError'));
  expect(await within(system, 0, result)).toMatchObject({ status: 'timeout', error: { classification: 'transient' } });
});

it('an aborted signal starts nothing', async () => {
  const system = manualSystem();
  let calls = 0;
  const service = new ToolExecutionService({ system, tools: [defineTool({ name: 'once', run: () => (calls += 1) })] });
  const signal = AbortSignal.abort();
  const single = await within(system, 0, service.executeTool({ toolName: 'once' }, { signal }));
  const batch = await within(system, 0, service.executeToolBatch([{ toolName: 'once' }, { toolName: 'once' }], { signal }));
  const turn = await within(system, 0, service.executeTurn({ calls: [{ toolName: 'once' }] }, { signal }));
  expect(calls).toBe(0);
  for (const result of [single, ...batch, ...turn.results]) expect(result).toMatchObject({ attempts: 0, error: { code: 'CANCELLED' } });
  expect(turn.outcome).toBe('cancelled');
});

it('B14: a throwing listener cannot change an outcome, and is removed', async () => {
  const system = manualSystem();
  const faults: unknown[] = [];
  const service = new ToolExecutionService({
    system,
    tools: [defineTool({ name: 'fine', run: () => 1 })],
    onFault: (fault) => void faults.push(fault),
  });
  let heard = 0;
  service.subscribe(() => {
    heard += 1;
    throw new Error('listener');
  });
  let others = 0;
  service.subscribe(() => void (others += 1));
  expect(await service.executeTool({ toolName: 'fine' })).toMatchObject({ status: 'success' });
  expect(heard).toBe(1);
  expect(others).toBeGreaterThan(1);
  expect(faults).toMatchObject([{ component: 'listener', error: 'listener' }]);
});

it('B15: synchronous and undefined-returning functions work', async () => {
  const system = manualSystem();
  const service = new ToolExecutionService({
    system,
    tools: [defineTool({ name: 'nothing', run: () => undefined }), defineTool({ name: 'now', run: () => 7 })],
  });
  expect(await service.executeTool({ toolName: 'nothing' })).toMatchObject({ status: 'success', output: undefined, attempts: 1 });
  expect(await service.executeTool({ toolName: 'now' })).toMatchObject({ status: 'success', output: 7 });
});

it('B16: a delay over 2^31-1 ms is not turned into 1 ms', async () => {
  const system = manualSystem();
  let calls = 0;
  const long = 2 ** 31 + 5;
  const service = new ToolExecutionService({
    system,
    tools: [
      defineTool({
        name: 'patient',
        run: () => ((calls += 1) === 1 ? down() : 'at last'),
        retry: { initialDelayMs: long, maxDelayMs: long, maxTotalTimeMs: Number.POSITIVE_INFINITY, jitter: 'none' },
      }),
    ],
  });
  const result = service.executeTool({ toolName: 'patient' });
  await system.advance(long - 1);
  expect(calls).toBe(1);
  await system.advance(1);
  expect(await result).toMatchObject({ status: 'success', executionTime: long });
});
