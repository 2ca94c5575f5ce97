/** Following events of other processes in a store: each once and in order, no polling without listeners, and failing stores. */
import type { TraceEvent } from '@holdfast/core';
import type { AppendedEvents } from '@holdfast/core/store';
import { expect, test, vi } from 'vitest';
import { createStoreTail } from '../../src/tail/store-tail.ts';

const event = (seq: number): TraceEvent => ({ seq, turn_id: 'turn' }) as TraceEvent;

/** A store to which other processes append. */
function shared() {
  const events: TraceEvent[] = [];
  let asked = 0;
  let trouble: Error | undefined;
  return {
    events,
    asked: () => asked,
    fail: (error: Error | undefined) => (trouble = error),
    readAppended: async (after: string | undefined, limit = 1_000): Promise<AppendedEvents> => {
      asked += 1;
      if (trouble) throw trouble;
      const from = after === undefined ? events.length : Number(after);
      const found = events.slice(from, from + limit);
      return { events: found, cursor: String(from + found.length) };
    },
  };
}

const faults: string[] = [];
const quick = { eagerMs: 5, idleMs: 5, onFault: (text: string): void => void faults.push(text) };

test('listeners get all events that are appended from now on, once and in order', async () => {
  const store = shared();
  store.events.push(event(1));
  const tail = createStoreTail({ store, ...quick });
  const received: number[] = [];
  const other: number[] = [];
  tail.subscribe((events) => void received.push(...events.map(({ seq }) => seq)));
  tail.subscribe((events) => void other.push(...events.map(({ seq }) => seq)));
  await vi.waitFor(() => expect(store.asked()).toBeGreaterThan(0));
  for (let seq = 2; seq <= 2_500; seq += 1) store.events.push(event(seq));
  await vi.waitFor(() => expect(received).toHaveLength(2_499));
  expect(received).toEqual(Array.from({ length: 2_499 }, (_, index) => index + 2));
  expect(other).toEqual(received);
  await tail.close();
});

test('a store without listeners is not polled', async () => {
  const store = shared();
  const tail = createStoreTail({ store, ...quick });
  const stop = tail.subscribe(() => undefined);
  await vi.waitFor(() => expect(store.asked()).toBeGreaterThan(1));
  stop();
  await tail.close();
  const before = store.asked();
  store.events.push(event(1));
  await new Promise((resolve) => setTimeout(resolve, 30));
  expect(store.asked()).toBe(before);
});

test('frequent polling is independent of other listeners', async () => {
  const store = shared();
  const tail = createStoreTail({ store, eagerMs: 1, idleMs: 3_600_000, onFault: quick.onFault });
  const received: number[] = [];
  tail.subscribe((events) => void received.push(...events.map(({ seq }) => seq)));
  await vi.waitFor(() => expect(store.asked()).toBe(1));
  store.events.push(event(1));
  const calm = tail.pollOften();
  await vi.waitFor(() => expect(received).toEqual([1]));
  calm();
  await tail.close();
});

test('a failing store is reported, and polled again', async () => {
  const store = shared();
  const tail = createStoreTail({ store, ...quick });
  const received: number[] = [];
  tail.subscribe((events) => void received.push(...events.map(({ seq }) => seq)));
  await vi.waitFor(() => expect(store.asked()).toBeGreaterThan(0));
  store.fail(new Error('no disk'));
  await vi.waitFor(() => expect(faults.join()).toContain('no disk'));
  store.fail(undefined);
  store.events.push(event(1));
  await vi.waitFor(() => expect(received).toEqual([1]));
  await tail.close();
});
