/** `close()` ends in bounded time, whatever the store and the runners do, and reports what it could not close. */
import { describe, expect, it } from 'vitest';
import type { Store } from '../../../src/engine/ports/store.ts';
import type { HubFault } from '../../../src/runtime/service/event-hub.ts';
import type { ToolExecutionServiceOptions } from '../../../src/runtime/service/options.ts';
import { ToolExecutionService } from '../../../src/runtime/service/tool-execution-service.ts';
import type { ManualSystem } from '../../../src/testing/index.ts';
import { manualSystem } from '../../../src/testing/index.ts';
import { memoryStore } from '../../../src/runtime/stores/memory-store.ts';
import type { AnyTool } from '../../../src/engine/tool/tool.ts';
import { defineTool } from '../../../src/engine/tool/tool.ts';

const hang = (): Promise<never> => new Promise(() => undefined);

interface Closed {
  readonly faults: readonly HubFault[];
  /** The time at which `close()` settled. */
  readonly after: number;
  readonly system: ManualSystem;
}

function storeThat(flush: () => Promise<void>): Store {
  return Object.assign(memoryStore(), { flush });
}

function toolThat(name: string, close: () => unknown): AnyTool {
  return defineTool({ name, run: Object.assign(() => 1, { close }) as never });
}

async function closed(options: Partial<ToolExecutionServiceOptions>): Promise<Closed> {
  const system = manualSystem();
  const faults: HubFault[] = [];
  const service = new ToolExecutionService({ system, tools: [], onFault: (fault) => void faults.push(fault), ...options });
  expect(await system.until(service.close())).toBeUndefined();
  return { faults, after: system.now(), system };
}

describe('a service is closed', () => {
  it('at once if everything closes, and leaves no timer', async () => {
    const { faults, after, system } = await closed({ store: memoryStore(), tools: [toolThat('one', () => undefined)] });
    expect([faults, after, system.pendingTimers]).toEqual([[], 0, 0]);
  });

  it('at once if there is nothing to close', async () => {
    const { after, system } = await closed({});
    expect([after, system.pendingTimers]).toEqual([0, 0]);
  });

  it('after five seconds if a store does not flush and runners do not close, and reports which', async () => {
    const { faults, after } = await closed({
      store: storeThat(hang),
      tools: [toolThat('stuck', hang), toolThat('fine', () => undefined), toolThat('stuck too', hang)],
    });
    expect(after).toBe(5_000);
    expect(faults).toEqual([
      { component: 'runner', name: 'stuck', error: 'not closed after 5000 ms' },
      { component: 'runner', name: 'stuck too', error: 'not closed after 5000 ms' },
      { component: 'store', name: 'flush', error: 'not closed after 5000 ms' },
    ]);
  });

  it('after the given limit', async () => {
    const { faults, after } = await closed({ store: storeThat(hang), closeTimeoutMs: 250 });
    expect([after, faults]).toEqual([250, [{ component: 'store', name: 'flush', error: 'not closed after 250 ms' }]]);
  });

  it('when the last part is closed, if that is earlier', async () => {
    const system = manualSystem();
    const later = (): Promise<void> => new Promise((resolve) => void system.setTimer(700, resolve));
    const service = new ToolExecutionService({
      system,
      tools: [toolThat('slow', later), toolThat('fine', () => 1)],
      store: storeThat(later),
    });
    await system.until(service.close());
    expect([system.now(), system.pendingTimers]).toEqual([700, 0]);
  });

  it('without a limit, on request', async () => {
    const system = manualSystem();
    const service = new ToolExecutionService({
      system,
      closeTimeoutMs: Infinity,
      tools: [toolThat('slow', () => new Promise((resolve) => void system.setTimer(60_000, () => resolve(1))))],
    });
    await system.until(service.close());
    expect(system.now()).toBe(60_000);
  });

  it.each([
    [
      'throws',
      () => {
        throw new Error('stuck');
      },
    ],
    ['rejects', () => Promise.reject(new Error('stuck'))],
  ])('even if a runner %s, which is reported', async (_how, close) => {
    const { faults, after } = await closed({ tools: [toolThat('one', close)] });
    expect([after, faults]).toEqual([0, [{ component: 'runner', name: 'one', error: 'stuck' }]]);
  });

  it('even if a store rejects; results after the limit are not reported', async () => {
    const system = manualSystem();
    const faults: HubFault[] = [];
    const late = (): Promise<never> => new Promise((_resolve, reject) => void system.setTimer(9_000, () => reject(new Error('late'))));
    const store = storeThat(() => Promise.reject(new Error('disk full')));
    const service = new ToolExecutionService({
      system,
      store,
      tools: [toolThat('late', late)],
      onFault: (fault) => void faults.push(fault),
    });
    await system.until(service.close());
    await system.advance(10_000);
    expect(faults).toEqual([
      { component: 'store', name: 'flush', error: 'disk full' },
      { component: 'runner', name: 'late', error: 'not closed after 5000 ms' },
    ]);
  });

  it.each([0, -1, Number.NaN])('but not within %d ms', (closeTimeoutMs) => {
    expect(() => new ToolExecutionService({ tools: [], closeTimeoutMs })).toThrow(
      new RangeError(`ToolExecutionService.closeTimeoutMs must be a number of milliseconds above 0, got ${String(closeTimeoutMs)}.`),
    );
  });
});
