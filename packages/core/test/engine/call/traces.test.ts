import { join } from 'node:path';
import { it } from 'vitest';
import { expectTold } from '../../support/told.ts';
import { ways } from './ways.ts';

it.each(ways)('$name', async (way) => {
  await expectTold(way, join(import.meta.dirname, 'traces'));
});
