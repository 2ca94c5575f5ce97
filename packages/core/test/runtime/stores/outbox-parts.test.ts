import { expect, test } from 'vitest';
import type { CircuitSnapshot, TraceEvent } from '../../../src/index.ts';
import { pushAll, WaitingCircuits } from '../../../src/runtime/stores/outbox-parts.ts';

const snapshotAt = (savedAtEpochMs: number): CircuitSnapshot => ({ savedAtEpochMs }) as CircuitSnapshot;

test('pushAll returns how many events did not fit, and tries all', () => {
  const kept: TraceEvent[] = [];
  const queue = { push: (event: TraceEvent) => kept.length < 2 && kept.push(event) > 0 };
  const events = [{ seq: 1 }, { seq: 2 }, { seq: 3 }, { seq: 4 }] as readonly Partial<TraceEvent>[] as readonly TraceEvent[];
  expect(pushAll(queue, events)).toBe(2);
  expect(kept).toEqual(events.slice(0, 2));
});

test('of two snapshots of one circuit, the one saved last waits', () => {
  const waiting = new WaitingCircuits();
  waiting.add(
    new Map([
      ['a', snapshotAt(5)],
      ['b', snapshotAt(5)],
    ]),
  );
  waiting.add(
    new Map([
      ['a', snapshotAt(4)],
      ['b', snapshotAt(6)],
      ['c', snapshotAt(1)],
    ]),
  );
  expect([...waiting.snapshots].map(([name, { savedAtEpochMs }]) => [name, savedAtEpochMs])).toEqual([
    ['a', 5],
    ['b', 6],
    ['c', 1],
  ]);
});

test('what was added during a write waits for the next one', () => {
  const waiting = new WaitingCircuits();
  waiting.add(new Map([['a', snapshotAt(1)]]));
  const first = waiting.snapshots;
  waiting.add(new Map([['b', snapshotAt(2)]]));
  waiting.written(first);
  expect(waiting.size).toBe(2);
  waiting.written(waiting.snapshots);
  expect(waiting.size).toBe(0);
});
