import type { Standing } from '@holdfast/simulate/report';
import { describe, expect, it } from 'vitest';
import { topologiesPage } from '../../src/topologies/page.ts';
import { isMet, missedBars, topologyVerdict, type TopologyVerdict } from '../../src/topologies/verdict.ts';

const figure = (mean: number) => ({ mean, spread: 0, runs: 1 });

const standing = (contender: string, success: number, { neverRecovered = 0, duplicates = 0 } = {}): Standing => ({
  world: 'outage',
  contender,
  runs: 1,
  success: figure(success),
  requestsPerCall: figure(1),
  duplicates: figure(duplicates),
  neverRecovered,
});

const verdictOf = (own: Standing, ...others: readonly Standing[]): TopologyVerdict => {
  const verdict = topologyVerdict({ world: 'outage', processes: 60 }, [own, standing('oracle', 1), ...others], 'adaptive');
  if (!verdict) throw new Error('There is no verdict.');
  return verdict;
};

describe('a scenario in a topology', () => {
  it.each<[string, TopologyVerdict, readonly string[]]>([
    ['as good as none', verdictOf(standing('adaptive', 0.8), standing('none', 0.8)), []],
    ['slightly below none', verdictOf(standing('adaptive', 0.791), standing('none', 0.8)), []],
    ['below none', verdictOf(standing('adaptive', 0.789), standing('none', 0.8)), ['more than 1 % below `none`']],
    ['close to the best', verdictOf(standing('adaptive', 0.871), standing('none', 0.8), standing('peer', 0.9)), []],
    [
      'far from the best',
      verdictOf(standing('adaptive', 0.869), standing('none', 0.8), standing('peer', 0.9)),
      ['more than 3 % below the best'],
    ],
    [
      'beside one that does unsafe work twice',
      verdictOf(standing('adaptive', 0.8), standing('none', 0.8), standing('peer', 0.9, { duplicates: 3 })),
      [],
    ],
    ['does not recover', verdictOf(standing('adaptive', 0.8, { neverRecovered: 1 }), standing('none', 0.8)), ['does not recover']],
    [
      'recovers as little as all others',
      verdictOf(standing('adaptive', 0.8, { neverRecovered: 1 }), standing('none', 0.8, { neverRecovered: 1 })),
      [],
    ],
  ])('%s', (_name, verdict, missed) => {
    expect(missedBars(verdict)).toEqual(missed);
    expect(isMet(verdict)).toBe(missed.length === 0);
  });

  it('is not judged without the contender, or without none', () => {
    expect(topologyVerdict({ world: 'outage', processes: 1 }, [standing('adaptive', 1)], 'adaptive')).toBeUndefined();
    expect(topologyVerdict({ world: 'outage', processes: 1 }, [standing('none', 1)], 'adaptive')).toBeUndefined();
  });
});

it('the page counts what is met, and names what is missed', () => {
  const good = verdictOf(standing('adaptive', 0.9), standing('none', 0.8));
  const bad = { ...verdictOf(standing('adaptive', 0.5), standing('none', 0.8)), processes: 200 };
  const page = topologiesPage([good, bad], 'in one process 5 seeds', { command: 'npm run lab', seeds: ['lab-1', 'lab-2'] });
  expect(page).toContain('1 of 2 combinations meet this.');
  expect(page).toContain('| outage | 200 | more than 1 % below `none`, more than 3 % below the best | 50.0 | 80.0 | 80.0 (none) | 1.00 |');
  expect(page).toContain('| [outage](./outage.md) | 90.0 · 80.0 · 80.0 | **50.0** · 80.0 · 80.0 |');
});
