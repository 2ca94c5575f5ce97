/**
 * Worlds that nobody has seen: 20 new ones at each run, drawn from a seed that the title of a failure names.
 * `HOLDFAST_LAB_SEED=<seed>` draws the same worlds again.
 */
import { env } from 'node:process';
import { describe, expect, it } from 'vitest';
import { runContest } from '../../src/run-job.ts';
import { describeWorld } from '../../src/random/describe.ts';
import { successOf, verdictOf } from '../../src/random/verdict.ts';

const seed = env['HOLDFAST_LAB_SEED'] ?? String(Date.now() % 1_000_000);
const worlds = Array.from({ length: 20 }, (_, index) => `${seed}-${index + 1}`);

describe(`fresh worlds, HOLDFAST_LAB_SEED=${seed}`, { timeout: 120_000 }, () => {
  it.each(worlds)('adaptive is not worse than none by more than 2 % of the calls in %s', (random) => {
    const contest = runContest({ random, contenders: ['none', 'adaptive'], isSmall: true });
    const verdict = verdictOf(contest, 'adaptive');
    if (!verdict) throw new Error('The contest has no verdict.');
    expect(verdict.own.turns).toBeGreaterThan(0);
    expect(
      successOf(verdict.own),
      `${describeWorld(contest.world)}\nAgain: npm run lab -- --small --random-world ${random} --policy adaptive`,
    ).toBeGreaterThanOrEqual(successOf(verdict.none) - 0.02);
  });
});
