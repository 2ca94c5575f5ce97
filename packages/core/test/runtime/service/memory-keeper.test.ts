import { describe, expect, it } from 'vitest';
import type { EventQuery, Store } from '../../../src/engine/ports/store.ts';
import type { MemoryEntry } from '../../../src/engine/recover/memory-entry.ts';
import { defineTool } from '../../../src/engine/tool/tool.ts';
import type { TraceEvent } from '../../../src/engine/trace/events.ts';
import type { HubFault } from '../../../src/runtime/service/event-hub.ts';
import type { ToolExecutionServiceOptions } from '../../../src/runtime/service/options.ts';
import { ToolExecutionService } from '../../../src/runtime/service/tool-execution-service.ts';
import { memoryStore } from '../../../src/runtime/stores/memory-store.ts';
import { manualSystem, type ManualSystem } from '../../../src/testing/index.ts';
import { memoryEntry } from '../../../src/testing/store-contract-data.ts';
import { errorWith } from '../../engine/classify/errors.ts';

/** Retries of this kind of error have never helped. */
const useless = (times: number): MemoryEntry =>
  memoryEntry(1, { toolName: 'down', outcomes: [{ strategy: 'retry', tried: times, succeeded: 0, withheld: 0 }] });

interface Process {
  readonly system: ManualSystem;
  readonly service: ToolExecutionService;
  readonly faults: readonly HubFault[];
  /** Makes calls that fail, and are retried. */
  readonly fail: (calls?: number) => Promise<void>;
}

/** A process with a tool that always fails, and one that works. */
function startProcess(store: Store | undefined, options: Partial<ToolExecutionServiceOptions> = {}): Process {
  const system = manualSystem();
  const faults: HubFault[] = [];
  const down = defineTool({ name: 'down', run: () => Promise.reject(errorWith({ status: 503 }, 'down')), breaker: false });
  const service = new ToolExecutionService({
    system,
    tools: [down, defineTool({ name: 'up', run: () => 1 })],
    useMemory: true,
    onFault: (fault) => faults.push(fault),
    ...(store ? { store } : {}),
    ...options,
  });
  return {
    system,
    service,
    faults,
    async fail(calls = 1) {
      for (let n = 0; n < calls; n += 1) await system.until(service.executeTool({ toolName: 'down' }));
    },
  };
}

const triedIn = async (store: Store): Promise<readonly (number | undefined)[]> =>
  (await store.loadMemory()).map(({ outcomes }) => outcomes[0]?.tried);

/** The events of a turn whose retries did not help. */
async function failedTurn(): Promise<readonly TraceEvent[]> {
  const { system, service } = startProcess(undefined, { profile: 'spec', useMemory: false });
  return (await system.until(service.executeTurn({ turnId: 'failed', calls: [{ toolName: 'down' }] }))).trace;
}

interface Reads {
  readonly store: Store;
  readonly queries: EventQuery[];
  /** Number of events that were read. */
  readonly read: () => number;
}

/** A store that counts how many events are read from it. */
function countingStore(store: Store): Reads {
  const queries: EventQuery[] = [];
  let read = 0;
  const counting: Store = {
    ...store,
    async *readEvents(query = {}) {
      queries.push(query);
      for await (const events of store.readEvents(query)) {
        read += events.length;
        yield events;
      }
    },
  };
  return { store: counting, queries, read: () => read };
}

/** A store of so many turns that failed. */
async function filledStore(turns: number): Promise<Store> {
  const store = memoryStore({ maxEvents: 1_000_000, maxTurns: 1_000_000 });
  const events = await failedTurn();
  for (let n = 0; n < turns; n += 1) store.append(events.map((event) => ({ ...event, turn_id: `turn-${String(n)}` })));
  return store;
}

describe('a start reads', () => {
  it('the stored entries and no events, however many there are', async () => {
    const { store, read } = countingStore(await filledStore(2_000));
    store.addMemory([useless(20)]);
    const { service, fail } = startProcess(store);
    await service.restore();
    expect(read()).toBe(0);
    const events: TraceEvent[] = [];
    service.subscribe((event) => events.push(event));
    await fail();
    expect(events.find((event) => event.event_type === 'RecoveryDecided')?.message).toContain('0 of 20 earlier retries helped');
  });

  it.each([2_000, 6_000])('of a store without entries only the newest events: of %i turns', async (turns) => {
    const { store, queries, read } = countingStore(await filledStore(turns));
    const { service } = startProcess(store);
    await service.restore();
    expect(queries).toEqual([{ eventTypes: ['RecoveryDecided', 'CallCompleted'], newest: 5_000 }]);
    expect(read()).toBeGreaterThan(1_000);
    expect(read()).toBeLessThanOrEqual(5_000);
    // The next start finds them.
    expect((await triedIn(store))[0]).toBeGreaterThan(50);
  });

  it('a bounded number of events of a store that does not know `newest`', async () => {
    const filled = await filledStore(5_000);
    const { store, read } = countingStore({ ...filled, readEvents: ({ newest: _newest, ...query } = {}) => filled.readEvents(query) });
    await startProcess(store).service.restore();
    expect(read()).toBeGreaterThanOrEqual(5_000);
    expect(read()).toBeLessThan(6_000);
  });

  it.each([
    ['switched off', { profile: 'adaptive', useMemory: false }],
    ['not used by the profile', { profile: 'spec', useMemory: undefined }],
  ] as const)('nothing where memory is %s', async (_, options) => {
    let loads = 0;
    const filled = await filledStore(10);
    const { store, read } = countingStore({ ...filled, loadMemory: () => ((loads += 1), filled.loadMemory()) });
    const { service, system, fail } = startProcess(store, options);
    await service.restore();
    await fail();
    await system.until(service.close());
    expect([read(), loads, await triedIn(store)]).toEqual([0, 0, []]);
  });
});

describe('what is learned', () => {
  it.each(['spec', 'service', 'adaptive'] as const)(
    'influences decisions under %s when memory is switched on, and not when it is off',
    async (profile) => {
      for (const useMemory of [true, false]) {
        const { service, fail, system } = startProcess(undefined, {
          profile,
          useMemory,
          policy: { retry: { maxAttempts: 2 }, waitForRecovery: false },
        });
        await fail(12);
        const { trace } = await system.until(service.executeTurn({ calls: [{ toolName: 'down' }] }));
        const withheld = trace.filter(
          (event) =>
            event.event_type === 'RecoveryDecided' &&
            event.decision.guards.some(({ guard, passed }) => guard === 'worth_retrying' && !passed),
        );
        expect(withheld.length > 0).toBe(useMemory);
      }
    },
  );

  it.each([
    [true, 1],
    [false, 0],
  ])('is the evidence of decisions only when memory is switched on: %s', async (useMemory, expected) => {
    const { service, fail, system } = startProcess(undefined, { profile: 'spec', useMemory });
    await fail(12);
    const { trace } = await system.until(service.executeTurn({ calls: [{ toolName: 'down' }] }));
    const first = trace.find((event) => event.event_type === 'RecoveryDecided');
    expect(first?.inputs.evidence).toHaveLength(expected);
  });

  it('is added to the store at once, then when a call ends five seconds later, and at close', async () => {
    const store = memoryStore();
    const { service, system, fail } = startProcess(store, { policy: { retry: { maxAttempts: 2, initialDelayMs: 1 } } });
    await fail(3);
    expect(await triedIn(store)).toEqual([1]);
    // Nothing has ended since.
    await system.advance(5_000);
    expect([await triedIn(store), system.pendingTimers]).toEqual([[1], 0]);
    await system.until(service.executeTool({ toolName: 'up' }));
    await system.settle();
    expect(await triedIn(store)).toEqual([3]);
    await fail(2);
    expect(await triedIn(store)).toEqual([3]);
    await system.until(service.close());
    expect([await triedIn(store), system.pendingTimers]).toEqual([[5], 0]);
  });

  it('by several processes is known to the next, each outcome once', async () => {
    const store = memoryStore();
    const processes = [startProcess(store), startProcess(store)];
    for (const round of [1, 2, 3]) {
      for (const { fail, system } of processes) {
        await fail(round);
        await system.advance(5_000);
      }
    }
    for (const { service, system } of processes) await system.until(service.close());
    expect(await triedIn(store)).toEqual([12]);
    const next = startProcess(store);
    await next.service.restore();
    await next.system.until(next.service.close());
    expect(await triedIn(store)).toEqual([12]);
  });
});

describe('a store that fails', () => {
  it('with entries that are not valid: they are reported and left out', async () => {
    const store = memoryStore();
    const invalid = [{ ...useless(20), version: 2 }, 'no entry'] as unknown as readonly MemoryEntry[];
    const { service, faults, fail } = startProcess({ ...store, loadMemory: () => Promise.resolve([useless(20), ...invalid]) });
    await service.restore();
    expect(faults).toEqual([{ component: 'memory', name: 'restore', error: '2 of 3 stored entries are not valid; they are ignored.' }]);
    const events: TraceEvent[] = [];
    service.subscribe((event) => events.push(event));
    await fail();
    expect(events.find((event) => event.event_type === 'RecoveryDecided')?.message).toContain('0 of 20');
  });

  it.each<readonly [string, Partial<Store>, readonly string[]]>([
    ['to load', { loadMemory: () => Promise.reject(new Error('lost')) }, ['restore']],
    [
      'to read',
      {
        readEvents: () => {
          throw new Error('lost');
        },
      },
      ['restore'],
    ],
    [
      'to add',
      {
        addMemory: () => {
          throw new Error('lost');
        },
      },
      ['addMemory'],
    ],
  ])('%s: it is reported, and calls continue', async (_, broken, names) => {
    const { service, system, faults, fail } = startProcess({ ...memoryStore(), ...broken });
    await service.restore();
    await fail();
    await system.until(service.close());
    expect(faults).toEqual(names.map((name) => ({ component: 'store', name, error: 'lost' })));
  });
});

it('useMemory that is neither true nor false is refused', () => {
  expect(() => startProcess(undefined, { useMemory: 'off' as never })).toThrow(
    "ToolExecutionService.useMemory must be true or false, got 'off'.",
  );
});
