import { describe, expect, test } from 'vitest';
import fc from 'fast-check';
import { memoryStore } from '../../../src/runtime/stores/memory-store.ts';
import { storeContract } from '../../../src/testing/store-contract.ts';
import {
  lateResult,
  toolProgress,
  turnCompleted,
  turnScript,
  turnStarted,
  completeTurn,
} from '../../../src/testing/store-contract-data.ts';

const startedAt = Date.UTC(2026, 0, 1);

describe('the store contract', () => {
  for (const { name, run } of storeContract({ open: () => memoryStore() })) test(name, run);
});

const idsOf = async (store: ReturnType<typeof memoryStore>): Promise<readonly string[]> =>
  (await store.listTurns({ limit: 1_000 })).map((turn) => turn.turnId);

describe('bounds', () => {
  test('the turn that ended first is dropped first, completely, and does not count as lost', async () => {
    const store = memoryStore({ maxEvents: 10 });
    const slow = turnScript('slow', startedAt);
    store.append([slow.next(turnStarted())]);
    for (const id of ['a', 'b', 'c']) store.append(completeTurn(id, startedAt + 1));
    expect(await idsOf(store)).toEqual(['c', 'b', 'slow']);
    expect(await store.readTurn('a')).toBeUndefined();
    expect(await store.readTurn('c')).toHaveLength(4);
    expect(store.status()).toEqual({ ok: true, dropped: 0 });
  });

  test('maxTurns counts runs', async () => {
    const store = memoryStore({ maxTurns: 2 });
    for (const id of ['a', 'a', 'b']) store.append(completeTurn(id, startedAt));
    expect(await idsOf(store)).toEqual(['b', 'a']);
    store.append(completeTurn('c', startedAt));
    expect(await idsOf(store)).toEqual(['c', 'b']);
    expect(await store.readTurn('a')).toBeUndefined();
  });

  test('an older run can be read after the latest of its id was dropped', async () => {
    const store = memoryStore({ maxTurns: 2 });
    const older = turnScript('again', startedAt);
    store.append([older.next(turnStarted())]);
    store.append(completeTurn('again', startedAt + 1));
    store.append(completeTurn('other', startedAt + 2));
    expect(await store.readTurn('again')).toHaveLength(1);
  });

  test('a running turn that is dropped is counted, and so are its later events', async () => {
    const store = memoryStore({ maxTurns: 1 });
    const turn = turnScript('running', startedAt);
    store.append([turn.next(turnStarted()), turn.next(toolProgress('a', 'on'))]);
    store.append(completeTurn('next', startedAt));
    expect(store.status().dropped).toBe(2);
    store.append([turn.next(turnCompleted())]);
    expect(store.status().dropped).toBe(3);
    expect(await idsOf(store)).toEqual(['next']);
  });

  test('a turn larger than the store keeps its start', async () => {
    const store = memoryStore({ maxEvents: 5 });
    const turn = turnScript('large', startedAt);
    store.append(Array.from({ length: 9 }, () => turn.next(toolProgress('a', 'on'))));
    expect((await store.readTurn('large'))?.map((event) => event.seq)).toEqual([1, 2, 3, 4, 5]);
    expect(store.status().dropped).toBe(4);
  });

  test('a late result counts towards the limits of an ended turn', async () => {
    const store = memoryStore({ maxEvents: 5 });
    const turn = turnScript('late', startedAt);
    store.append([turn.next(turnStarted()), turn.next(turnCompleted()), turn.next(lateResult('a'))]);
    store.append(completeTurn('next', startedAt));
    expect(await idsOf(store)).toEqual(['next']);
  });

  test('for any appended events, the limits hold and every event is kept, evicted or counted', async () => {
    const step = fc.record({ id: fc.constantFrom('a', 'b', 'c', 'd'), seq: fc.integer({ min: 1, max: 6 }), ends: fc.boolean() });
    await fc.assert(
      fc.asyncProperty(
        fc.array(step, { maxLength: 60 }),
        fc.integer({ min: 1, max: 8 }),
        fc.integer({ min: 1, max: 4 }),
        async (steps, maxEvents, maxTurns) => {
          const store = memoryStore({ maxEvents, maxTurns });
          for (const { id, seq, ends } of steps) {
            const body = ends ? turnCompleted() : toolProgress('a', 'on');
            store.append([{ ...body, turn_id: id, seq, timestamp: new Date(startedAt + seq).toISOString(), elapsed_ms: seq }]);
            const turns = await store.listTurns({ limit: 1_000 });
            const events = turns.reduce((sum, turn) => sum + turn.events, 0);
            expect(turns.length).toBeLessThanOrEqual(maxTurns);
            expect(events).toBeLessThanOrEqual(maxEvents);
            let read = 0;
            for await (const batch of store.readEvents()) read += batch.length;
            expect(read).toBe(events);
            for (const turn of turns) {
              const order = (await store.readTurn(turn.turnId, turn.run))?.map((event) => event.seq) ?? [];
              expect(order).toEqual([...new Set(order)].toSorted((one, other) => one - other));
              expect(order[0]).toBe(1);
            }
          }
        },
      ),
    );
  });
});

test.each([0, -1, 1.5, Number.NaN, Infinity])('maxEvents %s is refused with a message', (maxEvents) => {
  expect(() => memoryStore({ maxEvents })).toThrow(`memoryStore.maxEvents must be a whole number, 1 or more, got ${String(maxEvents)}.`);
});
