/** Every turn that an acceptance test runs, with faults of the fuzz. */
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { acceptanceTurns } from '../src/acceptance-turns.ts';
import { expectNothingFound, range, seedCount } from './run-seeds.ts';

const templates = acceptanceTurns();
/** About as many scenes of all of them as of random turns. */
const seedsEach = Math.ceil(seedCount / templates.length);

test('every acceptance turn with random faults: no violation', { timeout: 600_000 }, async () => {
  expect(templates.length).toBeGreaterThan(100);
  await expectNothingFound(
    range(0, seedsEach),
    templates.map((template) => ({ template })),
  );
});

test('every acceptance test with a stage keeps its turns; these have none', () => {
  const folder = join(import.meta.dirname, '../../acceptance');
  const tests = readdirSync(folder).flatMap((name) => (name.endsWith('.test.ts') ? [name.replace('.test.ts', '')] : []));
  const kept = new Set(readdirSync(join(folder, 'turns')).map((name) => name.replace('.json', '')));
  // They wait for a real thread and process, change settings between turns, pass invalid tools and calls, have services of their own, or are about something else than turns. The models draw their own.
  expect(tests.filter((name) => !kept.has(name) && !name.startsWith('model-of-')).toSorted()).toEqual([
    '4-timeouts.outside',
    'beside-a-tool',
    'errors-never-propagate',
    'every-error',
    'every-row',
    'exchanges',
    'faults',
    'faults-drawn',
    'hurried-user',
    'one-after-another',
    'policies-in-force',
    'requests-and-their-provider',
    'response-validation',
    'samples-in-code',
    'settings-of-a-manifest',
    'times-and-counts',
    'tools-and-arguments',
    'words-and-order',
    'wrong-settings',
  ]);
});
