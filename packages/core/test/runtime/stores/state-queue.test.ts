import { expect, it } from 'vitest';
import { createStateQueue, isEmpty } from '../../../src/runtime/stores/state-queue.ts';
import { circuitSnapshot, memoryEntry } from '../../../src/testing/store-contract-data.ts';

it('what is added while something is written waits for the next time, and is added once', () => {
  const queue = createStateQueue();
  expect([queue.idle, isEmpty(queue.next())]).toEqual([true, true]);
  queue.addMemory([memoryEntry(1)]);
  queue.addMemory([memoryEntry(2), memoryEntry(2, { toolName: 'hotel_search' })]);
  const first = queue.next();
  expect([...first.memory.values()].map(({ toolName, outcomes }) => [toolName, outcomes[0]?.tried])).toEqual([
    ['flight_search', 10],
    ['hotel_search', 5],
  ]);
  queue.addMemory([memoryEntry(3)]);
  queue.addCircuits(new Map([['flight_search', circuitSnapshot(3, 1)]]));
  // A second try of the same.
  expect(queue.next()).toBe(first);
  queue.done();
  expect(queue.idle).toBe(false);
  const second = queue.next();
  expect([...second.memory.values()].map(({ outcomes }) => outcomes[0]?.tried)).toEqual([5]);
  expect([...second.circuits.keys()]).toEqual(['flight_search']);
  queue.done();
  expect([queue.idle, isEmpty(queue.next())]).toEqual([true, true]);
});

it('of two snapshots of a tool the one saved last is kept', () => {
  const queue = createStateQueue();
  for (const savedAt of [5, 9, 7]) queue.addCircuits(new Map([['a', circuitSnapshot(savedAt, savedAt)]]));
  expect(queue.next().circuits.get('a')?.failureCount).toBe(9);
});

it('is bounded while nothing can be written', () => {
  const queue = createStateQueue();
  for (let n = 0; n < 2_500; n += 1) {
    queue.addMemory([memoryEntry(n, { rule: `code:${String(n)}` })]);
    if (n === 1_200) queue.next();
  }
  const sizes = [queue.next().memory.size];
  queue.done();
  sizes.push(queue.next().memory.size);
  expect(sizes).toEqual([1_000, 1_000]);
  expect([...queue.next().memory.values()].at(-1)?.rule).toBe('code:2499');
});
