import { expect, test } from 'vitest';
import type { TraceEvent } from '../../../src/index.ts';
import { pushAll } from '../../../src/runtime/stores/push-all.ts';

test('pushAll returns how many events did not fit, and tries all', () => {
  const kept: TraceEvent[] = [];
  const queue = { push: (event: TraceEvent) => kept.length < 2 && kept.push(event) > 0 };
  const events = [{ seq: 1 }, { seq: 2 }, { seq: 3 }, { seq: 4 }] as readonly Partial<TraceEvent>[] as readonly TraceEvent[];
  expect(pushAll(queue, events)).toBe(2);
  expect(kept).toEqual(events.slice(0, 2));
});
