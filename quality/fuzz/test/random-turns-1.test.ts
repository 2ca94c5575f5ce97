import { test } from 'vitest';
import { expectNothingFound, range, seedCount } from './run-seeds.ts';

test('random turns, the first half of the seeds: no violation', { timeout: 600_000 }, async () => {
  await expectNothingFound(range(0, Math.ceil(seedCount / 2)));
});
