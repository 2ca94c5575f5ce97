/** What the guide to moving from another library says about Holdfast. */
import { defineTool, ToolExecutionService, type ToolPolicy } from '@holdfast/core';
import { manualSystem, type ManualSystem } from '@holdfast/core/testing';
import { expect, test } from 'vitest';

interface Scene {
  readonly system: ManualSystem;
  readonly service: ToolExecutionService;
  /** When the tool was started. */
  readonly starts: number[];
}

function sceneOf(policy: ToolPolicy, run: (system: ManualSystem) => unknown): Scene {
  const system = manualSystem();
  const starts: number[] = [];
  const tool = defineTool({
    name: 'tool',
    ...policy,
    run: () => {
      starts.push(system.now());
      return run(system);
    },
  });
  return { system, starts, service: new ToolExecutionService({ tools: [tool], system, seed: 'moving' }) };
}

const call = { toolName: 'tool' } as const;
const busy = (): never => {
  throw Object.assign(new Error('busy'), { status: 503 });
};
const later = (system: ManualSystem): Promise<string> => new Promise((resolve) => void system.setTimer(100, () => resolve('done')));

test('one `auto` ends any number of `forced_open`', async () => {
  const { service } = sceneOf({}, () => 'done');
  for (const _ of [1, 2, 3]) service.controlCircuit('tool', 'forced_open');
  expect(await service.executeTool(call)).toMatchObject({ error: { code: 'CIRCUIT_OPEN' } });
  service.controlCircuit('tool', 'auto');
  expect(await service.executeTool(call)).toMatchObject({ status: 'success' });
});

test('a queue is unlimited by default', async () => {
  const { service, system, starts } = sceneOf({ concurrency: { limit: 1 } }, later);
  const results = await system.until(Promise.all(Array.from({ length: 200 }, () => service.executeTool(call))));
  expect(results.every(({ status }) => status === 'success')).toBe(true);
  expect(starts.at(-1)).toBe(19_900);
});

test('work that does not stop keeps its slot until `abandonMs` has elapsed', async () => {
  const once = { timeoutMs: 10, abandonMs: 5_000, retry: { maxAttempts: 1 }, concurrency: { limit: 1 } } as const;
  const { service, system, starts } = sceneOf(once, () => new Promise(() => {}));
  expect(await system.until(service.executeTool(call))).toMatchObject({ status: 'timeout' });
  await system.until(service.executeTool(call));
  expect(starts[0]).toBe(0);
  expect(starts[1]).toBeGreaterThanOrEqual(5_000);
});

test('an open circuit needs no timer, and closes all the same', async () => {
  let works = false;
  const { service, system } = sceneOf(
    { retry: { maxAttempts: 1 }, breaker: { failureThreshold: 1, openMs: 30_000 } },
    () => works || busy(),
  );
  await system.until(service.executeTool(call));
  expect([service.getToolHealth('tool')?.circuit, system.pendingTimers]).toEqual(['open', 0]);
  works = true;
  await system.advance(30_000);
  expect(await system.until(service.executeTool(call))).toMatchObject({ status: 'success' });
  expect([service.getToolHealth('tool')?.circuit, system.pendingTimers]).toEqual(['closed', 0]);
});

test('metrics are counted since the start, not in a window', async () => {
  const { service, system } = sceneOf({}, () => 'done');
  await service.executeTool(call);
  await system.advance(7 * 24 * 3_600_000);
  await service.executeTool(call);
  expect(service.getToolMetrics('tool')).toMatchObject({ totalExecutions: 2 });
});

test('a delay that does not fit ends the retries, and is not shortened', async () => {
  const { service, system, starts } = sceneOf({ retry: { maxTotalTimeMs: 250, jitter: 'none' } }, busy);
  expect(await system.until(service.executeTool(call))).toMatchObject({ status: 'error', attempts: 2 });
  expect(starts).toEqual([0, 100]);
  expect(system.now()).toBe(100);
});

test('waiting for a rate limit does not use an attempt', async () => {
  const { service, system, starts } = sceneOf({ rateLimit: { limit: 1, windowMs: 1_000 }, retry: { maxAttempts: 1 } }, () => 'done');
  const results = await system.until(Promise.all([service.executeTool(call), service.executeTool(call)]));
  expect(results).toMatchObject([
    { status: 'success', attempts: 1 },
    { status: 'success', attempts: 1 },
  ]);
  expect(starts).toEqual([0, 1_000]);
});

test.each([
  ['x is not a function', 1],
  ['fetch failed', 5],
])('TypeError: %s: %i attempts', async (message, attempts) => {
  const { service, system } = sceneOf({ breaker: false }, () => {
    throw new TypeError(message);
  });
  expect(await system.until(service.executeTool(call))).toMatchObject({ status: 'error', attempts });
});

test('an aborted call returns immediately and does not affect the circuit, even if a time limit aborted it', async () => {
  for (const [reason, expected] of [
    [new Error('enough'), { status: 'error', error: { code: 'CANCELLED' } }],
    [new DOMException('late', 'TimeoutError'), { status: 'timeout' }],
  ] as const) {
    const { service, system } = sceneOf({}, () => new Promise(() => {}));
    const caller = new AbortController();
    const result = service.executeTool(call, { signal: caller.signal });
    await system.settle();
    caller.abort(reason);
    expect(await result).toMatchObject(expected);
    expect(service.getToolHealth('tool')).toMatchObject({ circuit: 'closed', failureCount: 0 });
    expect(system.now()).toBe(0);
  }
});
