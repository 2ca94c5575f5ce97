import { test } from 'vitest';
import { expectNothingFound, range, seedCount } from './run-seeds.ts';

test('random turns, the second half of the seeds: no violation', { timeout: 600_000 }, async () => {
  await expectNothingFound(range(Math.ceil(seedCount / 2), seedCount));
});
