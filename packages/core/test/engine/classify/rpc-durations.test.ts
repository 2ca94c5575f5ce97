import { expect, it } from 'vitest';
import { classify } from '../../../src/engine/classify/classify.ts';

it('a wait in seconds and nanoseconds is read with any fraction', () => {
  const misread: number[] = [];
  for (let ms = 1; ms <= 20_000; ms += 1) {
    const retryDelay = { seconds: String(Math.floor(ms / 1_000)), nanos: (ms % 1_000) * 1_000_000 };
    const error = Object.assign(new Error('8 RESOURCE_EXHAUSTED'), { code: 8, metadata: {}, statusDetails: [{ retryDelay }] });
    if (classify(error, { nowEpochMs: 0 }).retryAfterMs !== ms) misread.push(ms);
  }
  expect(misread).toEqual([]);
});
