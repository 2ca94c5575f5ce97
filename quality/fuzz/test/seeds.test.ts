/** Seeds that had findings once, in the engine or in the checks. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'vitest';
import { expectNothingFound } from './run-seeds.ts';

const seeds = JSON.parse(readFileSync(join(import.meta.dirname, 'seeds.json'), 'utf8')) as readonly {
  readonly seed: string;
  readonly showed: string;
}[];

test.each(seeds)('seed $seed: $showed', async ({ seed }) => {
  await expectNothingFound([Number(seed)]);
});
