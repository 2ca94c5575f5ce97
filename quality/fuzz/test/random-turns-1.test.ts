import { test } from 'vitest';
import { expectNothingFound, range, seedCount } from './run-seeds.ts';

test('turns at random, the first half of the seeds: every promise is kept', { timeout: 600_000 }, async () => {
  await expectNothingFound(range(0, Math.ceil(seedCount / 2)));
});
