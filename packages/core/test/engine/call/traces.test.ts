import { join } from 'node:path';
import { it } from 'vitest';
import { expectRecordedTrace } from '../../support/expect-trace.ts';
import { scenarios } from './scenarios.ts';

it.each(scenarios)('$name', async (scenario) => {
  await expectRecordedTrace(scenario, join(import.meta.dirname, 'traces'));
});
