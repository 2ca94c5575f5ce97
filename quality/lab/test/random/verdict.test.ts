import { describe, expect, it } from 'vitest';
import type { Contest, Entry } from '../../src/random/contest.ts';
import { barsOf, verdictOf, type Verdict } from '../../src/random/verdict.ts';
import { randomReport } from '../../src/random/report.ts';
import { randomWorld } from '../../src/random/world.ts';

const entry = (contender: string, succeeded: number, requests = 1_000, p99Ms = 100): Entry => ({
  contender,
  turns: 1_000,
  succeeded,
  calls: 1_000,
  requests,
  duplicates: 0,
  beside: { p99Ms, noneP99Ms: 100 },
});

const safe = ['a', 'b', 'c', 'd', 'e', 'f', 'g', 'h']
  .map((seed) => randomWorld(seed))
  .find(({ tools }) => tools['tool']?.effect !== 'unsafe');
const contestOf = (own: Entry, bare: Entry, ...others: readonly Entry[]): Contest => {
  if (!safe) throw new Error('No world of these is safe.');
  return { world: safe, seeds: ['1'], entries: [bare, own, ...others] };
};
const verdict = (...entries: Parameters<typeof contestOf>): Verdict => {
  const found = verdictOf(contestOf(...entries), 'own');
  if (!found) throw new Error('There is no verdict.');
  return found;
};

describe('the bars over many worlds', () => {
  it.each<[string, Verdict, readonly boolean[]]>([
    ['as good as none', verdict(entry('own', 900), entry('none', 900)), [false, false, false]],
    ['less than 1 % below none', verdict(entry('own', 891), entry('none', 900)), [false, false, false]],
    ['more than 1 % below none', verdict(entry('own', 889), entry('none', 900)), [true, false, false]],
    ['slower at equal success', verdict(entry('own', 905, 1_000, 201), entry('none', 900)), [false, true, false]],
    ['slower with more success', verdict(entry('own', 950, 1_000, 300), entry('none', 900)), [false, false, false]],
    ['dearer at equal success', verdict(entry('own', 900, 1_260), entry('none', 900)), [false, false, true]],
    ['dearer, with success that nothing else reaches', verdict(entry('own', 990, 2_000), entry('none', 900)), [false, false, false]],
    ['dearer than a peer', verdict(entry('own', 990, 2_000), entry('none', 900), entry('peer', 985, 1_900)), [false, false, true]],
    ['3 % dearer than a peer', verdict(entry('own', 990, 2_000), entry('none', 900), entry('peer', 985, 1_950)), [false, false, false]],
  ])('%s', (_name, seen, broken) => {
    expect(barsOf([seen]).map((bar) => bar.broken.length === 1)).toEqual(broken);
  });

  it('are reported, with the worst worlds', () => {
    const bad = contestOf(entry('own', 100), entry('none', 900));
    const good = contestOf(entry('own', 950), entry('none', 900));
    const text = randomReport([good, bad], 'own');
    expect(text).toContain('| success more than 1 % below `none` | 1 % | 1 of 2 (50.0 %) | **missed** |');
    expect(text.indexOf('| 90.0 | 10.0 | 90.0 (none) |')).toBeLessThan(text.indexOf('| 90.0 | 95.0 | 90.0 (none) |'));
  });
});
