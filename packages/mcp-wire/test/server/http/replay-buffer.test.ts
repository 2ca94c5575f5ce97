/** The replay buffer, compared with a simple model. */
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { ReplayBuffer, ReplayTotal } from '../../../src/server/http/replay-buffer.ts';

interface Kept {
  readonly stream: number;
  readonly number: number;
  readonly size: number;
  readonly atMs: number;
}

test('keeps the newest events that fit, in the order of each stream, and counts their size', () => {
  const steps = fc.array(fc.record({ stream: fc.nat(3), size: fc.integer({ min: 1, max: 60 }), afterMs: fc.nat(20_000) }), {
    maxLength: 400,
  });
  fc.assert(
    fc.property(steps, (events) => {
      const total = new ReplayTotal(1000);
      const buffer = new ReplayBuffer(200, total);
      let model: Kept[] = [];
      let nowMs = 0;
      for (const [index, { stream, size, afterMs }] of events.entries()) {
        nowMs += afterMs;
        buffer.keep(stream, index, 'x'.repeat(size), nowMs);
        model.push({ stream, number: index, size, atMs: nowMs });
        while (model.reduce((sum, kept) => sum + kept.size, 0) > 200) model = model.slice(1);
        if (index % 7 === 0) {
          buffer.forgetOld(nowMs);
          model = model.filter(({ atMs }) => nowMs - atMs <= 60_000);
        }
        expect(total.bytes).toBe(model.reduce((sum, kept) => sum + kept.size, 0));
      }
      for (const stream of [0, 1, 2, 3]) {
        const expected = model.filter((kept) => kept.stream === stream).map(({ number }) => number);
        expect(buffer.after(stream, -1).map(({ number }) => number)).toEqual(expected);
        expect(buffer.has(stream)).toBe(expected.length > 0);
      }
      buffer.clear();
      expect(total.bytes).toBe(0);
    }),
  );
});

test('the total of all sessions is limited, too; an event larger than the limit of a session is not kept', () => {
  const total = new ReplayTotal(300);
  const buffers = [new ReplayBuffer(200, total), new ReplayBuffer(200, total)] as const;
  for (let number = 0; number < 10; number++) for (const buffer of buffers) buffer.keep(1, number, 'x'.repeat(40), 0);
  expect(total.bytes).toBeLessThanOrEqual(300);
  buffers[0].keep(2, 0, 'x'.repeat(201), 0);
  expect(buffers[0].has(2)).toBe(false);
  buffers[0].clear();
  buffers[1].clear();
  expect(total.bytes).toBe(0);
});

test('one principal holds at most four fifths, in any number of sessions', () => {
  const total = new ReplayTotal(1000);
  const flooding = Array.from({ length: 10 }, () => new ReplayBuffer(200, total, 'bob'));
  for (let number = 0; number < 10; number++) for (const buffer of flooding) buffer.keep(1, number, 'x'.repeat(40), 0);
  expect(total.bytes).toBe(800);
  const other = new ReplayBuffer(200, total, 'alice');
  for (let number = 0; number < 3; number++) other.keep(1, number, 'x'.repeat(40), 0);
  expect(other.after(1, -1)).toHaveLength(3);
  for (const buffer of flooding) buffer.clear();
  other.clear();
  expect(total.bytes).toBe(0);
  const nameless = new ReplayBuffer(2000, total);
  for (let number = 0; number < 30; number++) nameless.keep(1, number, 'x'.repeat(40), 0);
  expect(total.bytes).toBe(1000);
});
