import fc from 'fast-check';
import type { TraceEvent } from '@holdfast/core';
import { expect, test } from 'vitest';
import { entryOf, type Entry } from '../src/entry.ts';
import { Queue } from '../src/queue.ts';
import { turnEvents } from './support/turns.ts';

const eventOf = (seq: number, size: number): TraceEvent =>
  ({ ...turnEvents(`turn-${String(seq % 3)}`, 0)[1]!, seq, message: 'x'.repeat(size) }) as TraceEvent;
const bytesOf = (entries: readonly Entry[]): number => entries.reduce((sum, { bytes }) => sum + bytes, 0);

const step = fc.oneof(
  fc.record({ type: fc.constant('push' as const), size: fc.integer({ min: 0, max: 400 }) }),
  fc.record({ type: fc.constantFrom('encode' as const, 'take' as const), count: fc.integer({ min: 0, max: 8 }) }),
  fc.record({ type: fc.constantFrom('settle' as const, 'give back' as const) }),
);

test('any sequence of operations: it keeps its limits and its order, and counts what it drops', () => {
  fc.assert(
    fc.property(fc.array(step, { maxLength: 80 }), (steps) => {
      const queue = new Queue(10, 1_500);
      let taken: Entry[] = [];
      let [pushed, refused, lost, settled] = [0, 0, 0, 0];
      const order: number[] = [];
      for (const one of steps) {
        if (one.type === 'push') {
          pushed += 1;
          if (!queue.push(eventOf(pushed, one.size))) refused += 1;
        } else if (one.type === 'encode') lost += queue.encode(one.count).crowdedOut;
        else if (one.type === 'take') taken.push(...queue.take(one.count));
        else if (one.type === 'give back') {
          queue.giveBack(taken);
          taken = [];
        } else {
          order.push(...taken.map(({ seq }) => seq));
          queue.settle(taken);
          settled += taken.length;
          taken = [];
        }
        expect(queue.size).toBeLessThanOrEqual(10);
        expect(queue.bytes).toBeLessThanOrEqual(1_500);
        expect(queue.bytes).toBeGreaterThanOrEqual(bytesOf(taken));
        expect(queue.accepted).toBe(pushed - refused);
        expect(queue.removed).toBe(settled + lost);
        expect(queue.size).toBe(pushed - refused - settled - lost);
      }
      expect(order).toEqual([...new Set(order)].toSorted((one, other) => one - other));
    }),
  );
});

test('an event that is not JSON data, or has no number, becomes no row', () => {
  const circular: Record<string, unknown> = {};
  circular['self'] = circular;
  const queue = new Queue(10, 1_000_000);
  const [started] = turnEvents('turn', 0);
  for (const part of [{ output: circular }, { seq: 1.5 }, { seq: 2 ** 31 }, { turn_id: 7 }, {}])
    queue.push({ ...started, ...part } as TraceEvent);
  expect(queue.encode(10)).toEqual({ unkeepable: 4, crowdedOut: 0 });
  expect(queue.take(10)).toHaveLength(1);
});

test('a forgotten turn is gone, prepared or not, and its space is free', () => {
  const queue = new Queue(10, 1_000_000);
  for (let seq = 1; seq <= 6; seq += 1) queue.push(eventOf(seq, 10));
  queue.encode(3);
  queue.forget('turn-1', 'turn-1');
  queue.encode(10);
  const rows = queue.take(10);
  expect(rows.map(({ turnId }) => turnId)).toEqual(['turn-2', 'turn-0', 'turn-2', 'turn-0']);
  queue.settle(rows);
  expect([queue.size, queue.bytes, queue.removed]).toEqual([0, 0, 6]);
});

test('a run has one key whatever its ids contain', () => {
  const keyOf = (turnId: string, executionId: string): string | undefined =>
    entryOf({ ...turnEvents(turnId, 0)[0]!, execution_id: executionId } as TraceEvent, 0)?.executionKey;
  expect(keyOf('a', 'b')).toBe(keyOf('a', 'b'));
  expect(new Set([keyOf('a', 'b'), keyOf('a","b', ''), keyOf('', 'a","b'), keyOf('b', 'a'), keyOf('ab', '')]).size).toBe(5);
});
